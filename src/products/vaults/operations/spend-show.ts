/** One spend as the chain has it. */
import { z } from 'zod';
import { confirmationsOf } from '../../../offer/confirm.js';
import { defineOperation } from '../../../operation/define.js';
import { openSpend, SPEND_ERRORS, SPEND_PLACE, SpendPath } from '../open-spend.js';
import { showSpend, SpendReply } from '../reply.js';
import { pageOfSpend, viewSpend } from '../view.js';

export const spendShow = defineOperation({
  id: 'vaults.spend-show',
  summary: 'Show a spend: what it pays, who has signed, and what is missing',
  http: { method: 'GET', path: '/api/vaults/:id/spends/:spendId' },
  cli: { verb: 'spend show', ...SPEND_PLACE, page: pageOfSpend },
  auth: 'address',
  input: SpendPath,
  output: z.object({ ...SpendReply.shape, confirmations: z.number() }),
  errors: SPEND_ERRORS,
  run: async (path, context) => {
    const { spend } = await openSpend(path, context, 'reader');
    const confirmations = await confirmationsOf(spend.tx_hash, context);
    return { ...(await showSpend(spend, context)), confirmations };
  },
  view: viewSpend,
});
