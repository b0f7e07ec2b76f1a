/** What the registry, the audit and the monitor need to know of budget plans. */
import { defineDeployable } from '../../record/deployable.js';
import { defineFeed } from '../../record/order-by-time.js';
import { vaultCollection } from '../vaults/index.js';
import { checkPlanTerms, planContract } from './contract.js';
import type { PlanRecord, ReleaseRecord } from './plan.js';
import { planCollection, planFollowing, releaseCollection } from './records.js';
import { remainingPool } from './rules.js';
import { planGenesis } from './transactions.js';
import { planStrays } from './strays.js';

export const deployable = defineDeployable<PlanRecord>({
  contractType: () => 'BudgetPlan',
  module: 'budgets',
  strays: planStrays,
  collection: planCollection,
  label: (plan) => plan.budget_id,
  contract: planContract,
  checkTerms: checkPlanTerms,
  genesis: (plan, { network }) => [planGenesis(plan, network)],
  remaining: (plan) => (plan.thread === null ? null : remainingPool(plan)),
  tokenCategory: (plan) => plan.tokenCategory,
  parties: (plan) => ({ controller: plan.creator, recipient: plan.recipient }),
  following: planFollowing,
  needs: ({ vault_id }) => [{ collection: vaultCollection, id: vault_id }],
  feeds: [
    defineFeed<ReleaseRecord>({ collection: releaseCollection, timeOf: ({ released_at }) => released_at }),
  ],
});
