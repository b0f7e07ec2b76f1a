/** How the embedded chain stands. */
import { z } from 'zod';
import { defineOperation } from '../../operation/define.js';
import { embeddedChain, tipFacts, TipReply } from './embedded-chain.js';

export const status = defineOperation({
  id: 'chain.status',
  summary: 'Show the tip, the clock and the mempool (embedded chain only)',
  auth: 'none',
  input: z.object({}),
  output: z.object({
    ...TipReply.shape,
    now: z.number().describe("The chain's clock, unix seconds"),
    coins: z.number().describe('Unspent outputs, mempool included'),
    mempool: z.number().describe('Transactions that wait for a block'),
    automine: z.boolean().describe('True when every broadcast mines a block'),
  }),
  errors: ['local_only'],
  run: async (_, context) => embeddedChain(context, 'status').status(),
  view: (reply) => [
    tipFacts(reply),
    {
      kind: 'facts',
      rows: [
        ['Clock', new Date(reply.now * 1000).toISOString()],
        ['Coins', String(reply.coins)],
        ['Mempool', String(reply.mempool)],
        ['Automine', reply.automine ? 'yes' : 'no'],
      ],
    },
  ],
});
