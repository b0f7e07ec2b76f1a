/** Starting the embedded chain anew. */
import { z } from 'zod';
import { defineOperation } from '../../operation/define.js';
import { embeddedChain, tipFacts, TipReply } from './embedded-chain.js';

export const reset = defineOperation({
  id: 'chain.reset',
  summary: 'Forget all blocks and coins and start at the genesis block (embedded chain only)',
  description: 'Wallets and records stay; what the records say is funded is then on no chain.',
  cli: { ending: true },
  auth: 'none',
  input: z.object({}),
  output: TipReply,
  errors: ['local_only'],
  run: async (_, context) => embeddedChain(context, 'reset').reset(),
  view: (tip) => [
    tipFacts(tip),
    { kind: 'next', command: 'init', why: 'to get coins for the wallets again' },
  ],
});
