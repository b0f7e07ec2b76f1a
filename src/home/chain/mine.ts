/** Mining on the embedded chain. */
import { z } from 'zod';
import { defineOperation } from '../../operation/define.js';
import { embeddedChain, tipFacts, TipReply } from './embedded-chain.js';

export const mine = defineOperation({
  id: 'chain.mine',
  summary: 'Mine blocks (embedded chain only)',
  cli: { positional: ['blocks'] },
  auth: 'none',
  input: z.object({ blocks: z.int().min(1).max(1_000).default(1).describe('How many') }),
  output: TipReply,
  errors: ['local_only'],
  run: async ({ blocks }, context) => embeddedChain(context, 'mine').mine(blocks),
  view: (tip) => [tipFacts(tip)],
});
