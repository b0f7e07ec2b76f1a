/** Reorganising the embedded chain. */
import { z } from 'zod';
import { defineOperation } from '../../operation/define.js';
import { embeddedChain, tipFacts, TipReply } from './embedded-chain.js';

export const reorg = defineOperation({
  id: 'chain.reorg',
  summary:
    'Replace the last blocks by empty ones; their transactions go back to the mempool (embedded chain only)',
  cli: { positional: ['depth'], example: 'chain reorg 2' },
  auth: 'none',
  input: z.object({ depth: z.int().min(1).describe('How many blocks are taken off') }),
  output: TipReply,
  errors: ['local_only'],
  run: async ({ depth }, context) => embeddedChain(context, 'reorg').reorg(depth),
  view: (tip) => [tipFacts(tip)],
});
