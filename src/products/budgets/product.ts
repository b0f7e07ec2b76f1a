/** Budget plans, declared: what the operations and the core know of them. */
import { RecordId } from '../../bch/fields.js';
import { moveId } from '../../record/events.js';
import { definePoolProduct } from '../../record/covenant-product.js';
import { findVault, vaultCollection, vaultReaders } from '../vaults/index.js';
import { checkPlanTerms, planContract } from './contract.js';
import { observePlan } from './observe.js';
import {
  Cancelled,
  PaidMilestones,
  planCollection,
  PLAN_MOVES,
  releaseCollection,
  type PlanRecord,
} from './plan.js';
import { releasableAt, remainingPool } from './rules.js';
import { planState } from './state.js';
import { planStray } from './strays.js';
import { planGenesis } from './transactions.js';

type Told = { readonly details: Readonly<Record<string, unknown>> };

/** The milestones that an event says were paid; none for most events. */
const paidIn = ({ details }: Told): number[] => {
  const { firstMilestone: first, lastMilestone: last } = PaidMilestones.safeParse(details).data ?? {
    firstMilestone: 1,
    lastMilestone: 0,
  };
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset);
};

const rowId = (budgetId: string, txHash: string | null, milestone: number): string =>
  moveId(budgetId, { txHash: txHash ?? '', type: `released ${milestone}` });

export const plans = definePoolProduct<PlanRecord, keyof typeof PLAN_MOVES>({
  noun: 'budgets',
  route: '/api/budget-plans',
  entityType: 'budget',
  words: ['budget plan', 'plan'],
  id: RecordId.describe('Budget plan id, or label such as BUDGET-0001'),
  collection: planCollection,
  notFound: 'budget_not_found',
  labelKind: 'BUDGET',
  labelField: 'budget_id',
  contractType: 'BudgetPlan',
  contract: planContract,
  checkTerms: checkPlanTerms,
  tokenCategory: (plan) => plan.tokenCategory,
  parties: (plan) => ({ controller: plan.creator, recipient: plan.recipient }),
  funder: 'controller',
  genesis: planGenesis,
  remaining: remainingPool,
  moves: PLAN_MOVES,
  fresh: ({ startDate: anchor }) => ({ current_milestone: 0, released_amount: 0n, anchor, paused_at: null }),
  observe: observePlan,
  paid: ({ event_type, amount, details }, { recipient }) => {
    if (event_type === 'released') return { to: recipient, amount };
    return event_type === 'cancelled'
      ? { to: recipient, amount: Cancelled.parse(details).vestedAmount }
      : null;
  },
  unclaimed: (plan, at) => releasableAt(plan, at).amount,
  rows: [
    {
      collection: releaseCollection,
      time: 'released_at',
      ids: (event) => paidIn(event).map((milestone) => rowId(event.entity_id, event.tx_hash, milestone)),
      of: (plan, event) =>
        paidIn(event).map((milestone) => ({
          id: rowId(plan.id, event.tx_hash, milestone),
          budget_id: plan.id,
          milestone_index: milestone,
          amount: plan.milestones[milestone - 1]?.amount ?? 0n,
          decimals: plan.decimals,
          tx_hash: event.tx_hash,
          released_at: event.created_at,
        })),
    },
  ],
  strays: {
    isState: ({ milestones }, commitment) => {
      const state = planState.decode(commitment);
      return state !== null && state.current <= milestones.length;
    },
    way: ({ cancelable }) =>
      cancelable
        ? 'the controller cancels it, which pays what has elapsed in it to its recipient and the rest back'
        : 'it is irrevocable, and its recipient releases it as it falls due',
    terms: planStray,
    due: 'what has elapsed',
  },
  findVault,
  ...vaultReaders((plan) => ({ vaultId: plan.vault_id, parties: [plan.creator, plan.recipient] })),
  needs: ({ vault_id: id }) => [{ collection: vaultCollection, id }],
});
