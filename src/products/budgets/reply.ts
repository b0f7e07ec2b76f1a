/** Budget plans and their releases as answers show them. */
import { z } from 'zod';
import { showAmounts } from '../../bch/amount.js';
import { ThreadPointer } from '../../covenant/thread.js';
import { DamagedReply } from '../../record/damaged.js';
import { latestEvent, LatestEventReply } from '../../offer/read-record.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { MAXIMUM_MILESTONES, releaseCollection, type PlanRecord, type ReleaseRecord } from './plan.js';
import { dueAt, elapsedMilestone, nextUnlock, releasableAt } from './rules.js';

const amount = z.number().describe('Display units');
const amountOnChain = z.string().describe('Smallest unit');

/** One paid milestone. Source: design, api.md (Budget plans). */
export const ReleaseReply = z.object({
  id: z.string(),
  budget_id: z.string().describe("The plan's id"),
  milestone_index: z.number().describe('From 1'),
  amount,
  amountOnChain,
  released_at: z.number().describe('Unix seconds'),
  tx_hash: z.string(),
});

const showRelease = ({ decimals, ...release }: ReleaseRecord): z.output<typeof ReleaseReply> => ({
  ...release,
  ...showAmounts({ amount: release.amount }, decimals),
});

const MilestoneReply = z.object({
  amount,
  amountOnChain,
  durationSeconds: z.number().describe('From when the milestone before it fell due'),
  description: z.string(),
  dueAt: z.number().nullable().describe('Unix seconds, as things stand; null once it was released'),
  releasedAt: z.number().nullable().describe('Unix seconds'),
  state: z.enum(['released', 'releasable', 'pending', 'returned']),
});

/** A plan. Source: specification, Resources; design, api.md (Budget plans). */
export const PlanReply = z.object({
  id: z.string(),
  budget_id: z.string().describe('Label'),
  on_chain_budget_id: z.string(),
  vault_id: z.string(),
  creator: z.string().describe('The controller'),
  recipient: z.string(),
  recipientName: z.string().nullable(),
  tokenType: z.string(),
  tokenCategory: z.string().nullable(),
  decimals: z.number(),
  cancelable: z.boolean(),
  milestones: z.array(MilestoneReply),
  releases: z.array(ReleaseReply).describe('One per milestone, newest first'),
  total_amount: amount,
  total_amountOnChain: amountOnChain,
  released_amount: amount,
  released_amountOnChain: amountOnChain,
  releasable_amount: amount.describe('What can be released at chain time, display units'),
  releasable_amountOnChain: amountOnChain,
  total_milestones: z.number(),
  current_milestone: z.number().describe('Milestones released so far'),
  startDate: z.number(),
  next_unlock: z.number().nullable().describe('Unix seconds; null when none is left or it stands still'),
  paused_at: z.number().nullable(),
  status: z.string(),
  damaged: DamagedReply,
  contract_address: z.string(),
  constructor_params: z.array(z.string()),
  authority_pubkey: z.string(),
  tx_hash: z.string().nullable(),
  thread: ThreadPointer.nullable(),
  created_at: z.number(),
  updated_at: z.number(),
  latest_event: LatestEventReply,
});

const isLive = ({ status }: PlanRecord): boolean => status === 'ACTIVE' || status === 'PAUSED';

const stateOfMilestone = (
  plan: PlanRecord,
  milestone: number,
  elapsed: number,
): z.output<typeof MilestoneReply>['state'] => {
  if (milestone <= plan.current_milestone) return 'released';
  if (plan.status === 'CANCELLED') return 'returned';
  return isLive(plan) && milestone <= elapsed ? 'releasable' : 'pending';
};

/** For the schema, see {@link PlanReply}. `now` is chain now. */
export const showPlan = async (
  plan: PlanRecord,
  store: StoreReader,
  now: number,
): Promise<z.output<typeof PlanReply>> => {
  const { decimals, anchor: _anchor, last_tx_hash: _last, ...rest } = plan;
  const elapsed = elapsedMilestone(plan, now);
  const releasable = isLive(plan) ? releasableAt(plan, now).amount : 0n;
  const releases = await store.find(releaseCollection, {
    where: { budget: plan.id },
    limit: MAXIMUM_MILESTONES,
  });
  return {
    ...rest,
    decimals,
    milestones: plan.milestones.map((milestone, index) => {
      const release = releases.items.find(({ milestone_index: paid }) => paid === index + 1);
      return {
        ...milestone,
        ...showAmounts({ amount: milestone.amount }, decimals),
        dueAt: index < plan.current_milestone ? null : dueAt(plan, index + 1),
        releasedAt: release?.released_at ?? null,
        state: stateOfMilestone(plan, index + 1, elapsed),
      };
    }),
    releases: releases.items.map(showRelease),
    ...showAmounts(
      {
        total_amount: plan.total_amount,
        released_amount: plan.released_amount,
        releasable_amount: releasable,
      },
      decimals,
    ),
    total_milestones: plan.milestones.length,
    next_unlock: isLive(plan) ? nextUnlock(plan, now) : null,
    latest_event: await latestEvent(store, plan.id),
  };
};
