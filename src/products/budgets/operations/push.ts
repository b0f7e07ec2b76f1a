/** Pushing: the milestones that have elapsed go to the recipient, who need not sign. */
import { TreasuryError } from '../../../errors.js';
import type { MoveSpend } from '../../../offer/gather-spend.js';
import { definePush } from '../../../offer/push.js';
import { definePushable } from '../../../offer/pushable.js';
import { planCollection, type PlanRecord } from '../plan.js';
import { plans } from '../product.js';
import { pushRules } from '../pushing.js';
import { PlanReply, showPlan } from '../reply.js';
import { nextUnlock } from '../rules.js';
import { buildPlanPush } from '../transactions.js';
import { tableOfPlans } from '../view.js';

const build = (spend: MoveSpend<PlanRecord>) => buildPlanPush(spend, spend.payer);

export const pushable = definePushable({
  ...pushRules,
  product: plans,
  name: 'plans',
  reply: PlanReply,
  activeOf: async (creator, { store }) =>
    (await store.find(planCollection, { where: { status: 'ACTIVE', creator }, order: 'oldest' })).items,
  build,
  show: (plan, now, { store }) => showPlan(plan, store, now),
  table: tableOfPlans,
});

export const push = definePush({
  ...pushRules,
  product: plans,
  event: 'released',
  nothing: {
    code: 'nothing_releasable',
    error: (plan, now) =>
      new TreasuryError('nothing_releasable', {
        label: plan.budget_id,
        nextUnlock: nextUnlock(plan, now),
        chainTime: now,
      }),
  },
  build,
  list: pushable,
  listed: { name: 'plans', label: 'budget_id' },
});
