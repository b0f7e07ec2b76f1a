/** What the registry, the audit and the monitor need to know of budget plans. */
import { defineDeployable } from '../../operation/deployable.js';
import { checkPlanTerms, planContract } from './contract.js';
import type { PlanRecord } from './plan.js';
import { planCollection, planFollowing } from './records.js';
import { remainingPool } from './rules.js';
import { planGenesis } from './transactions.js';

export const deployable = defineDeployable<PlanRecord>({
  contractType: 'BudgetPlan',
  module: 'budgets',
  collection: planCollection,
  label: (plan) => plan.budget_id,
  contract: planContract,
  checkTerms: checkPlanTerms,
  genesis: (plan, { network }) => [planGenesis(plan, network)],
  remaining: (plan) => (plan.thread === null ? null : remainingPool(plan)),
  tokenCategory: (plan) => plan.tokenCategory,
  parties: (plan) => ({ controller: plan.creator, recipient: plan.recipient }),
  following: planFollowing,
});
