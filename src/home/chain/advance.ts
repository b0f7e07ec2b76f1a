/** Moving the clock of the embedded chain. */
import { z } from 'zod';
import { parseSeconds } from '../../bch/duration.js';
import { defineOperation } from '../../operation/define.js';
import { embeddedChain, tipFacts, TipReply } from './embedded-chain.js';

export const advance = defineOperation({
  id: 'chain.advance',
  summary: 'Move the clock on and mine 11 blocks, so that median time past moves too (embedded chain only)',
  cli: { positional: ['duration'], example: 'chain advance 30d' },
  auth: 'none',
  input: z.object({ duration: z.string().describe('Such as 30d, 12h, 1h30m or 3600s') }),
  output: TipReply,
  errors: ['local_only'],
  run: async ({ duration }, context) => {
    const chain = embeddedChain(context, 'advance');
    return chain.advance(parseSeconds(duration));
  },
  view: (tip) => [tipFacts(tip)],
});
