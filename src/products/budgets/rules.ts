/**
 * The rules of budget plans: pure, with time as an argument. The arithmetic is that of the contract.
 *
 * Milestones are numbered from 1; milestone 0 is the start. Each falls due its duration after the one before it fell
 * due, so that a late release pushes nothing back. Source: contracts/budgets/budget-plan.cash.
 */
import { PAYOUT_DUST } from '../../bch/transaction.js';
import { belowDust } from '../../covenant/checks.js';
import { TreasuryError } from '../../errors.js';
import type { Milestone, PlanRecord } from './plan.js';

/** Seconds from the start, and what is paid up to and with a milestone. */
export type Reached = { readonly seconds: number; readonly amount: bigint };

/** What is reached at the start and at each milestone; index 0 is the start. */
export const reachedAt = (milestones: readonly Pick<Milestone, 'amount' | 'durationSeconds'>[]): Reached[] =>
  milestones.reduce<Reached[]>(
    (list, { amount, durationSeconds }) => {
      const last = list.at(-1) ?? { seconds: 0, amount: 0n };
      return [...list, { seconds: last.seconds + durationSeconds, amount: last.amount + amount }];
    },
    [{ seconds: 0, amount: 0n }],
  );

type Schedule = Pick<PlanRecord, 'milestones' | 'current_milestone' | 'anchor' | 'paused_at'>;

/** When a milestone falls due, unix seconds, as things stand: a pause moves the later ones on when it ends. */
export const dueAt = ({ milestones, current_milestone: current, anchor }: Schedule, milestone: number) => {
  const list = reachedAt(milestones);
  return anchor + (list[milestone]?.seconds ?? 0) - (list[current]?.seconds ?? 0);
};

/**
 * The last milestone that has elapsed, at least the current one. A paused plan stands still at its pause.
 *
 * @param now unix seconds: chain now, or the locktime of a transaction
 */
export const elapsedMilestone = (plan: Schedule, now: number): number => {
  const time = plan.paused_at ?? now;
  const { current_milestone: current, milestones } = plan;
  let elapsed = current;
  while (elapsed < milestones.length && time >= dueAt(plan, elapsed + 1)) elapsed += 1;
  return elapsed;
};

/** What falls between two milestones, smallest unit. */
export const amountBetween = (
  { milestones }: Pick<PlanRecord, 'milestones'>,
  from: number,
  upTo: number,
): bigint => milestones.slice(from, upTo).reduce((sum, { amount }) => sum + amount, 0n);

export type Releasable = {
  /** The last milestone that can be released. */
  readonly upTo: number;
  /** How many milestones. */
  readonly count: number;
  /** Smallest unit. */
  readonly amount: bigint;
};

/** What can be released at a time. */
export const releasableAt = (plan: Schedule, now: number): Releasable => {
  const { current_milestone: current } = plan;
  const upTo = elapsedMilestone(plan, now);
  return { upTo, count: upTo - current, amount: amountBetween(plan, current, upTo) };
};

/** When the next milestone that has not elapsed falls due; null when there is none, or while the plan stands still. */
export const nextUnlock = (plan: Schedule, now: number): number | null => {
  const next = elapsedMilestone(plan, now) + 1;
  return plan.paused_at !== null || next > plan.milestones.length ? null : dueAt(plan, next);
};

/** What the pool still holds, smallest unit. */
export const remainingPool = ({
  total_amount: total,
  released_amount: released,
}: Pick<PlanRecord, 'total_amount' | 'released_amount'>): bigint => total - released;

type Named = Pick<PlanRecord, 'budget_id' | 'status'>;

/**
 * What can be released now.
 *
 * @param now chain now, unix seconds
 * @throws nothing_releasable with `nextUnlock`; wrong_state when it is paused and nothing had elapsed
 */
export const checkReleasable = (plan: Schedule & Named, now: number): Releasable => {
  const releasable = releasableAt(plan, now);
  if (releasable.count > 0) return releasable;
  const { budget_id: label, status } = plan;
  if (plan.paused_at !== null) throw new TreasuryError('wrong_state', { label, status, allowed: ['ACTIVE'] });
  throw new TreasuryError('nothing_releasable', {
    label,
    nextUnlock: nextUnlock(plan, now),
    chainTime: now,
  });
};

/** Checks that each milestone of BCH can be an output of its own. @throws amount_below_dust (covenants rule 13) */
export const checkMilestoneDust = ({
  tokenType,
  milestones,
}: Pick<PlanRecord, 'tokenType' | 'milestones'>): void => {
  if (tokenType !== 'BCH') return;
  const row = milestones.findIndex(({ amount }) => amount < PAYOUT_DUST);
  const small = milestones[row];
  if (small === undefined) return;
  throw belowDust(`milestones.${row}.amount`, small.amount);
};
