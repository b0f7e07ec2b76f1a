/**
 * The arithmetic of recurring payments: pure, whole numbers only, and the same as the covenant's.
 *
 * Source: contracts/payments/recurring-payment.cash. "Now" is a locktime: chain now for what is shown, and the
 * transaction's own for what it did.
 */
import { least } from '../../bch/amount.js';
import type { RecurringTerms } from './contract.js';
import { CHAIN_STATUS, type RecurringState } from './state.js';

export type RecurringSchedule = Pick<RecurringTerms, 'amountPerPeriod' | 'intervalSeconds' | 'periods'>;

/** How far a payment is. Here `pool` is what is left in either asset, smallest unit. */
export type RecurringBalance = Pick<RecurringState, 'status' | 'nextDue' | 'paid' | 'pool'>;

/** Funding puts in no more periods than these. Source: docs/design/api.md. */
export const MAXIMUM_UPFRONT_PERIODS = 12;

/**
 * The periods of a fixed term: the first falls due an interval after the start, and one due at the end counts.
 *
 * @returns 0 when the end comes before the first; both dates in unix seconds
 * @example
 * periodsUntil(monday, monday + 10 * 86_400, 86_400); // 10
 */
export const periodsUntil = (startSeconds: number, endSeconds: number, intervalSeconds: number): number =>
  Math.max(Math.floor((endSeconds - startSeconds) / intervalSeconds), 0);

/**
 * The periods that funding puts in: up to 12, fewer when the end comes sooner.
 *
 * @example
 * upfrontPeriods({ periods: 10 }); // 10
 */
export const upfrontPeriods = ({ periods }: Pick<RecurringSchedule, 'periods'>): number =>
  periods === 0 ? MAXIMUM_UPFRONT_PERIODS : Math.min(MAXIMUM_UPFRONT_PERIODS, periods);

/**
 * The whole periods that a pool holds.
 *
 * @example
 * fundedPeriods(terms, 35_000_000n); // 3
 */
export const fundedPeriods = (
  { amountPerPeriod }: Pick<RecurringSchedule, 'amountPerPeriod'>,
  pool: bigint,
): number => Number(pool / amountPerPeriod);

/**
 * The periods that have fallen due by `now` and were not paid, at most those left of a fixed term; 0 while PAUSED.
 *
 * @example
 * duePeriods(terms, balance, monday + 5 * 86_400); // 5
 */
export const duePeriods = (
  { intervalSeconds, periods }: RecurringSchedule,
  { status, nextDue, paid }: RecurringBalance,
  now: number,
): number => {
  if (status === CHAIN_STATUS.paused) return 0;
  const due = Math.floor(Math.max(now - nextDue + intervalSeconds, 0) / intervalSeconds);
  return periods === 0 ? due : Math.min(due, periods - paid);
};

/**
 * The periods that are due and funded by `now`: what can be claimed, and what a pause or a cancellation pays.
 *
 * @example
 * settledPeriods(terms, balance, monday + 5 * 86_400); // 3
 */
export const settledPeriods = (schedule: RecurringSchedule, balance: RecurringBalance, now: number): number =>
  Number(least(BigInt(duePeriods(schedule, balance, now)), balance.pool / schedule.amountPerPeriod));

/**
 * The periods of a fixed term that can still be funded; null when the term is open.
 *
 * @example
 * fundablePeriods(terms, balance); // 7
 */
export const fundablePeriods = (
  schedule: RecurringSchedule,
  { paid, pool }: Pick<RecurringBalance, 'paid' | 'pool'>,
): number | null => (schedule.periods === 0 ? null : schedule.periods - paid - fundedPeriods(schedule, pool));

/**
 * Unix seconds at which the next funded period that is not due yet falls due; null when PAUSED or none is funded.
 *
 * @example
 * nextUnlock(terms, balance, monday); // monday + 86_400
 * nextUnlock(terms, balance, monday + 5 * 86_400); // null
 */
export const nextUnlock = (
  schedule: RecurringSchedule,
  balance: RecurringBalance,
  now: number,
): number | null => {
  const settled = settledPeriods(schedule, balance, now);
  if (balance.status === CHAIN_STATUS.paused || fundedPeriods(schedule, balance.pool) <= settled) return null;
  return balance.nextDue + settled * schedule.intervalSeconds;
};

/**
 * Unix seconds at which the last funded period falls due; null when PAUSED or none is funded.
 *
 * @example
 * runwayEnd(terms, balance); // monday + 3 * 86_400
 */
export const runwayEnd = (
  schedule: RecurringSchedule,
  { status, nextDue, pool }: RecurringBalance,
): number | null => {
  const funded = fundedPeriods(schedule, pool);
  if (status === CHAIN_STATUS.paused || funded === 0) return null;
  return nextDue + (funded - 1) * schedule.intervalSeconds;
};

/**
 * How far it is after `count` periods were paid.
 *
 * @example
 * afterPeriods(terms, balance, 2); // { status: 0, nextDue: monday + 3 * 86_400, paid: 2, pool: 10_000_000n }
 */
export const afterPeriods = <B extends RecurringBalance>(
  { amountPerPeriod, intervalSeconds }: RecurringSchedule,
  balance: B,
  count: number,
): B => ({
  ...balance,
  nextDue: balance.nextDue + count * intervalSeconds,
  paid: balance.paid + count,
  pool: balance.pool - BigInt(count) * amountPerPeriod,
});
