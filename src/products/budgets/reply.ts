/** Budget plans and their releases as answers show them. */
import { z } from 'zod';
import { Units } from '../../bch/fields.js';
import { DamagedReply } from '../../record/damaged.js';
import { latestEvent, LatestEventReply } from '../../offer/read-record.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { defineShown } from '../../record/shown-record.js';
import { MAXIMUM_MILESTONES, Milestone, PlanRecord, releaseCollection, ReleaseRecord } from './plan.js';
import { pushableOf } from './pushing.js';
import { dueAt, elapsedMilestone, nextUnlock, releasableAt } from './rules.js';

/** One paid milestone. Source: docs/design/api.md. */
const shownRelease = defineShown(ReleaseRecord, { hidden: ['decimals'] });

const MILESTONE_STATES = ['released', 'releasable', 'pending', 'returned'] as const;
type MilestoneState = (typeof MILESTONE_STATES)[number];

const shownMilestone = defineShown(Milestone, {
  computed: {
    dueAt: z.number().nullable().describe('Unix seconds, as things stand; null once it was released'),
    releasedAt: z.number().nullable().describe('Unix seconds'),
    state: z.enum(MILESTONE_STATES),
  },
});

/** A plan. Source: docs/design/api.md. */
const shownPlan = defineShown(PlanRecord, {
  hidden: ['anchor', 'artifact_fingerprint', 'last_tx_hash'],
  computed: {
    milestones: z.array(shownMilestone.reply),
    releases: z.array(shownRelease.reply).describe('One per milestone, newest first'),
    releasable_amount: Units.describe('What can be released at chain time, display units'),
    pushable_amount: Units.describe('What a push would pay now, display units; 0: nothing'),
    total_milestones: z.number(),
    next_unlock: z.number().nullable().describe('Unix seconds; null when none is left or it stands still'),
    damaged: DamagedReply,
    latest_event: LatestEventReply,
  },
});
export const PlanReply = shownPlan.reply;

const isLive = ({ status }: PlanRecord): boolean => status === 'ACTIVE' || status === 'PAUSED';

const stateOfMilestone = (plan: PlanRecord, milestone: number, elapsed: number): MilestoneState => {
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
  const { decimals } = plan;
  const elapsed = elapsedMilestone(plan, now);
  const { items: releases } = await store.find(releaseCollection, {
    where: { budget: plan.id },
    limit: MAXIMUM_MILESTONES,
  });
  return shownPlan.show(plan, {
    milestones: plan.milestones.map((milestone, index) => {
      const release = releases.find(({ milestone_index: paid }) => paid === index + 1);
      return shownMilestone.show(
        { ...milestone, decimals },
        {
          dueAt: index < plan.current_milestone ? null : dueAt(plan, index + 1),
          releasedAt: release?.released_at ?? null,
          state: stateOfMilestone(plan, index + 1, elapsed),
        },
      );
    }),
    releases: releases.map((release) => shownRelease.show(release)),
    releasable_amount: isLive(plan) ? releasableAt(plan, now).amount : 0n,
    pushable_amount: pushableOf(plan, now),
    total_milestones: plan.milestones.length,
    next_unlock: isLive(plan) ? nextUnlock(plan, now) : null,
    latest_event: await latestEvent(store, plan.id),
  });
};
