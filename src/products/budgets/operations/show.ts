/** One budget plan with its milestones, releases and events. */
import { z } from 'zod';
import { confirmationsOf } from '../../../offer/confirm.js';
import { defineOperation, FOLLOW_ERRORS, VAULT_ERRORS } from '../../../operation/define.js';
import { unexpectedAt, UnexpectedFundingField } from '../../../offer/unexpected-funding.js';
import { EventReply, eventsOf, showEvent } from '../../../record/events.js';
import { chainNow } from '../../../operation/chain-now.js';
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
    events: z.array(EventReply).describe('Newest first, the latest 50'),
    unexpectedFunding: UnexpectedFundingField,
  }),
  errors: ['budget_not_found', ...VAULT_ERRORS, ...FOLLOW_ERRORS],
  run: async ({ id }, context) => {
    // Check: who may read it.
    const { store, caller } = context;
    await plans.checkReader(await plans.find(store, id), caller, store);

    const plan = await plans.follow(id, context);
    const now = await chainNow(context);
    return {
      plan: {
        ...(await showPlan(plan, store, now)),
        confirmations: await confirmationsOf(plan.last_tx_hash, context),
      },
      chainTime: now,
      events: (await eventsOf(store, plan.id)).map(showEvent),
      unexpectedFunding: await unexpectedAt(plans, plan, context),
    };
  },
  view: viewPlan,
});
