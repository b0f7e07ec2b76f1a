/** What a push of a plan pays. */
import { pushableAmount, type Due } from '../../covenant/push.js';
import type { PlanRecord } from './plan.js';
import { releasableAt } from './rules.js';

export const pushRules = {
  contract: ({ artifact_fingerprint: pinned }: PlanRecord) => ({ name: 'budget-plan', pinned }) as const,
  dueAt: (plan: PlanRecord, now: number): Due => {
    const { upTo, amount } = releasableAt(plan, now);
    return { due: amount, isLast: upTo === plan.milestones.length };
  },
};

/** What a push would pay at a moment of chain time, smallest unit. */
export const pushableOf = (plan: PlanRecord, now: number): bigint => pushableAmount(pushRules, plan, now);
