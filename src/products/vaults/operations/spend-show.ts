/** One spend as the chain has it. */
import { z } from 'zod';
import { confirmationsOf } from '../../../offer/confirm.js';
import { defineOperation, FOLLOW_ERRORS } from '../../../operation/define.js';
import { openSpend, SPEND_PLACE, SpendPath } from '../open-spend.js';
import { showSpend, SpendReply } from '../reply.js';
import { viewSpend } from '../view.js';

export const spendShow = defineOperation({
  id: 'vaults.spend-show',
  summary: 'Show a spend: what it pays, who has signed, and what is missing',
  http: { method: 'GET', path: '/api/vaults/:id/spends/:spendId' },
  cli: { verb: 'spend show', ...SPEND_PLACE },
  auth: 'address',
  input: SpendPath,
  output: z.object({ ...SpendReply.shape, confirmations: z.number() }),
  errors: ['vault_not_found', 'private_vault', 'spend_not_found', ...FOLLOW_ERRORS],
  run: async (path, context) => {
    const { spend } = await openSpend(path, context, 'reader');
    return {
      ...(await showSpend(spend, context.store, context.network)),
      confirmations: await confirmationsOf(spend.tx_hash, context),
    };
  },
  view: viewSpend,
});
