/** One budget plan with its milestones, releases and events. */
import { z } from 'zod';
import { readRecord, ToldFields } from '../../../offer/read-record.js';
import { chainNow } from '../../../operation/chain-now.js';
import { defineOperation, FOLLOW_ERRORS, VAULT_ERRORS } from '../../../operation/define.js';
import { PlanId } from '../fields.js';
import { plans } from '../product.js';
import { PlanReply, showPlan } from '../reply.js';
import { viewPlan } from '../view.js';

export const show = defineOperation({
  id: 'budgets.show',
  summary: 'Show a budget plan with its milestones and releases',
  http: { method: 'GET', path: '/api/budget-plans/:id' },
  auth: 'optional',
  input: z.object({ id: PlanId }),
  output: z.object({
    plan: PlanReply.extend({ confirmations: z.number() }),
    chainTime: z.number().describe('Unix seconds'),
    ...ToldFields,
  }),
  errors: ['budget_not_found', ...VAULT_ERRORS, ...FOLLOW_ERRORS],
  run: async ({ id }, context) => {
    const { record, confirmations, told } = await readRecord(plans, id, context);
    const now = await chainNow(context);
    return {
      plan: { ...(await showPlan(record, context.store, now)), confirmations },
      chainTime: now,
      ...told,
    };
  },
  view: viewPlan,
});
