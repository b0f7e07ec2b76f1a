/** What time brings to budget plans. */
import { LIVE } from '../../record/pool-record.js';
import { defineTimetable, IDLE, tellAmount } from '../../record/timetable.js';
import { planCollection, type PlanRecord } from './plan.js';
import { plans } from './product.js';
import { amountBetween, dueAt, elapsedMilestone, nextUnlock } from './rules.js';

const TYPE = 'budget.milestone_due';

/** Each milestone is told once, when it has fallen due. */
export const timetable = defineTimetable<PlanRecord>({
  kind: 'budget',
  collection: planCollection,
  where: { live: LIVE },
  topic: plans.topic,
  agenda: (plan, { now, told }) => {
    if (plan.status !== 'ACTIVE' && plan.status !== 'PAUSED') return IDLE;
    const next = nextUnlock(plan, now);
    const milestone = elapsedMilestone(plan, now);
    const before = Math.max(Number(told[TYPE] ?? 0), plan.current_milestone);
    if (milestone <= before) return { moments: [], next };
    const data = {
      ...tellAmount(amountBetween(plan, before, milestone), plan.decimals, plan.tokenCategory),
      firstMilestone: before + 1,
      lastMilestone: milestone,
      milestones: plan.milestones.length,
    };
    return { moments: [{ type: TYPE, at: dueAt(plan, milestone), mark: String(milestone), data }], next };
  },
});
