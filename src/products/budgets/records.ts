/** Where budget plans are kept and how they are followed. */
import type { ChainTransaction } from '../../bch/transaction.js';
import type { Context } from '../../operation/context.js';
import { moveId, type EventRecord } from '../../record/events.js';
import { findRecord } from '../../record/find.js';
import { followRecord, type Following } from '../../record/follow.js';
import { defineCollection, type StoreReader } from '../../operation/ports/store.js';
import { planContract } from './contract.js';
import { followedPlan } from './observe.js';
import { PlanRecord, ReleaseRecord } from './plan.js';

export const planCollection = defineCollection({
  name: 'budget_plans',
  schema: PlanRecord,
  indexes: {
    label: (plan) => plan.budget_id,
    creator: (plan) => plan.creator,
    recipient: (plan) => plan.recipient,
    vault: (plan) => plan.vault_id,
    contract: (plan) => plan.contract_address,
    status: (plan) => plan.status,
  },
});

export const releaseCollection = defineCollection({
  name: 'budget_releases',
  schema: ReleaseRecord,
  indexes: { budget: (release) => release.budget_id, transaction: (release) => release.tx_hash },
});

/**
 * A plan by its id or its label.
 *
 * @throws budget_not_found
 */
export const findPlan = (store: StoreReader, id: string): PlanRecord =>
  findRecord(store, planCollection, id, 'budget_not_found');

/** The milestones that an event says were paid; none for most events. */
const paidIn = ({ details }: Pick<EventRecord, 'details'>): number[] => {
  const [first, last] = [Number(details['firstMilestone'] ?? 1), Number(details['lastMilestone'] ?? 0)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset);
};

const rowId = (budgetId: string, txHash: string, milestone: number): string =>
  moveId(budgetId, { txHash, type: `released ${milestone}` });

/** How plans are followed. */
export const planFollowing = (context: Context): Following<PlanRecord> => ({
  collection: planCollection,
  entityType: 'budget',
  followed: followedPlan(context.network),
  contract: (plan) => planContract(plan, context.network),
  decimals: (plan) => plan.decimals,
  label: (plan) => plan.budget_id,
  writeRow: (writer, plan, event, move) => {
    for (const milestone of paidIn(event)) {
      writer.put(releaseCollection, {
        id: rowId(plan.id, move.txHash, milestone),
        budget_id: plan.id,
        milestone_index: milestone,
        amount: plan.milestones[milestone - 1]?.amount ?? 0n,
        decimals: plan.decimals,
        tx_hash: move.txHash,
        released_at: event.created_at,
      });
    }
  },
  retimeRow: (writer, event) => {
    for (const milestone of paidIn(event)) {
      const row = writer.get(releaseCollection, rowId(event.entity_id, event.tx_hash ?? '', milestone));
      if (row !== null) writer.put(releaseCollection, { ...row, released_at: event.created_at });
    }
  },
  removeRow: (writer, event) => {
    for (const milestone of paidIn(event)) {
      writer.remove(releaseCollection, rowId(event.entity_id, event.tx_hash ?? '', milestone));
    }
  },
});

/**
 * A plan by its id or label, as the chain has it now.
 *
 * @throws budget_not_found, chain_unavailable
 */
export const followPlan = (
  id: string,
  context: Context,
  candidates: readonly ChainTransaction[] = [],
): Promise<PlanRecord> =>
  followRecord(findPlan(context.store, id).id, planFollowing(context), context, candidates);
