/**
 * The schedules once more, in exact fractions: the second implementation that contracts and products are held against.
 *
 * Written from the specification of the covenants and from nothing in `src` or `contracts`. A fraction is rounded
 * once, at the very end, and always down.
 */

/** A fraction with a positive denominator. */
export type Fraction = { readonly over: bigint; readonly under: bigint };

const fraction = (over: bigint, under = 1n): Fraction => ({ over, under });
const plus = (a: Fraction, b: Fraction): Fraction =>
  fraction(a.over * b.under + b.over * a.under, a.under * b.under);
const times = (a: Fraction, b: Fraction): Fraction => fraction(a.over * b.over, a.under * b.under);
const isAtMost = (a: Fraction, b: Fraction): boolean => a.over * b.under <= b.over * a.under;

/** The largest integer that is not above a fraction. */
export const floorOf = ({ over, under }: Fraction): bigint =>
  over >= 0n ? over / under : -((-over + under - 1n) / under);

/** Seconds after the start, what has vested there (smallest unit), and the length of its steps in seconds. */
export type Segment = { readonly offset: number; readonly cumulative: bigint; readonly step: number };

/** The number of the last segment begun, from 1; 0 before the first. */
export const begunAt = (segments: readonly Segment[], elapsed: number): number => {
  let number = 0;
  for (const { offset } of segments) if (offset <= elapsed) number += 1;
  return number;
};

/** What has vested, as a fraction: the share of a growing segment that its whole steps are. */
const vestedFraction = (segments: readonly Segment[], elapsed: number): Fraction => {
  const number = begunAt(segments, elapsed);
  const begun = segments[number - 1];
  const next = segments[number];
  if (begun === undefined) return fraction(0n);
  if (next === undefined || begun.step === 0) return fraction(begun.cumulative);
  const wholeSteps = floorOf(fraction(BigInt(elapsed - begun.offset), BigInt(begun.step)));
  const share = times(
    fraction(wholeSteps * BigInt(begun.step)),
    fraction(1n, BigInt(next.offset - begun.offset)),
  );
  return plus(fraction(begun.cumulative), times(fraction(next.cumulative - begun.cumulative), share));
};

/** What a stream has vested `elapsed` seconds after its start, smallest unit. */
export const vestedBy = (segments: readonly Segment[], elapsed: number): bigint =>
  floorOf(vestedFraction(segments, elapsed));

/** True when `amount` has vested by then: the fraction itself is compared, nothing is rounded. */
export const hasVested = (segments: readonly Segment[], elapsed: number, amount: bigint): boolean =>
  isAtMost(fraction(amount), vestedFraction(segments, elapsed));

/** Seconds from the start, and what is paid up to and with the milestone (smallest unit). */
export type Milestone = { readonly seconds: number; readonly amount: bigint };

/** The number of the last milestone that has elapsed, at least `current`, when `current` fell due at `anchor`. */
export const elapsedMilestone = (
  milestones: readonly Milestone[],
  { current, anchor }: { readonly current: number; readonly anchor: number },
  time: number,
): number => {
  const start = anchor - (milestones[current - 1]?.seconds ?? 0);
  return Math.max(current, milestones.filter(({ seconds }) => start + seconds <= time).length);
};

/** What milestones 1 to `number` pay in all. */
export const paidUpTo = (milestones: readonly Milestone[], number: number): bigint =>
  milestones[number - 1]?.amount ?? 0n;

export type Periods = { readonly amount: bigint; readonly interval: number; readonly periods: number };

const smallest = (values: readonly bigint[]): bigint => values.reduce((a, b) => (b < a ? b : a));

/** The periods that have fallen due by `time`, are funded, and are within the term. */
export const settledBy = (
  { amount, interval, periods }: Periods,
  { nextDue, paid, pool }: { readonly nextDue: number; readonly paid: number; readonly pool: bigint },
  time: number,
): bigint => {
  const since = floorOf(fraction(BigInt(time - nextDue), BigInt(interval)));
  const due = since < 0n ? 0n : since + 1n;
  const funded = floorOf(fraction(pool, amount));
  return smallest([due, funded, ...(periods === 0 ? [] : [BigInt(periods - paid)])]);
};
