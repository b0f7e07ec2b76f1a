/** What a record owes its recipient at a time, worked out from what was asked for and from nothing else. */
import { DAY } from './cast.js';
import type { Known } from './world.js';

/** Units of one, as people write amounts. */
export const UNITS = { bch: 100_000_000, token: 100 } as const;

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

const unitsOf = ({ asset }: Known, value: unknown): number =>
  Math.round(number(value) * (asset === null ? UNITS.bch : UNITS.token));

const PERIODS: Readonly<Record<string, number>> = { DAILY: DAY, WEEKLY: 7 * DAY, MONTHLY: 30 * DAY };

type Milestone = { readonly amount: number; readonly durationSeconds: number };

/** A payment is funded for so many periods at first, or for as many as it has. */
const FIRST_PERIODS = 12;

/** What is put into a record when it is funded. More comes with refills. */
export const fundedBy = (record: Known): bigint => {
  const { noun, terms } = record;
  if (noun === 'payments') {
    const seconds = number(terms['endDate']) - number(terms['startDate']);
    const periods = Math.floor(seconds / (PERIODS[String(terms['interval'])] ?? DAY));
    return BigInt(unitsOf(record, terms['amountPerPeriod']) * Math.min(periods, FIRST_PERIODS));
  }
  if (noun === 'budgets')
    return BigInt(
      (terms['milestones'] as readonly Milestone[])
        .map(({ amount }) => unitsOf(record, amount))
        .reduce((sum, units) => sum + units, 0),
    );
  return BigInt(unitsOf(record, terms['totalAmount']));
};

const grown = (total: bigint, time: number, span: number): bigint =>
  time >= span ? total : time <= 0 ? 0n : (total * BigInt(time)) / BigInt(span);

const vestedOfStream = (record: Known, at: number): bigint => {
  const { terms } = record;
  const total = fundedBy(record);
  const [start, end] = [number(terms['startTime']), number(terms['endTime'])];
  const interval = number(terms['intervalSeconds']);
  const elapsed = at - start;
  switch (terms['streamType']) {
    case 'LINEAR':
      return at < number(terms['cliffTimestamp']) ? 0n : grown(total, elapsed, end - start);
    case 'STEP':
      return grown(total, elapsed - (elapsed % interval), end - start);
    default: {
      const unlock = number(terms['hybridUnlockTimestamp']);
      const upfront = (total * BigInt(number(terms['hybridUpfrontPercentage']))) / 100n;
      return at < unlock ? 0n : upfront + grown(total - upfront, at - unlock, end - unlock);
    }
  }
};

/** By periods: the first is due an interval after the start. */
const vestedByPeriods = (record: Known, at: number): bigint => {
  const { noun, terms } = record;
  const isPayment = noun === 'payments';
  const interval = isPayment ? (PERIODS[String(terms['interval'])] ?? DAY) : number(terms['intervalSeconds']);
  const start = number(terms[isPayment ? 'startDate' : 'startTime']);
  const span = number(terms['endTime']) - number(terms['startTime']);
  const each = isPayment
    ? BigInt(unitsOf(record, terms['amountPerPeriod']))
    : fundedBy(record) / BigInt(Math.floor(span / interval));
  return each * BigInt(Math.max(0, Math.floor((at - start) / interval)));
};

/** Clocks of processes are wrong by so much: what begins when it is asked for begins about then. */
export const CLOCKS_SECONDS = 300;

const vestedByMilestones = (record: Known, at: number): bigint => {
  let due = number(record.terms['askedAt']);
  let sum = 0;
  for (const { amount, durationSeconds } of record.terms['milestones'] as readonly Milestone[]) {
    due += durationSeconds;
    if (due <= at) sum += unitsOf(record, amount);
  }
  return BigInt(sum);
};

/**
 * What a record that was never paused owes by a time: at least, and at most; null for what owes by nobody's clock. One
 * that was paused owes no more than that.
 *
 * @param at - unix seconds
 */
export const owedBy = (record: Known, at: number): readonly [least: bigint, most: bigint] | null => {
  if (record.noun === 'budgets')
    return [vestedByMilestones(record, at - CLOCKS_SECONDS), vestedByMilestones(record, at + CLOCKS_SECONDS)];
  if (record.noun !== 'payments' && record.noun !== 'streams') return null;
  const isByPeriods = record.noun === 'payments' || record.terms['streamType'] === 'RECURRING';
  const vested = isByPeriods ? vestedByPeriods(record, at) : vestedOfStream(record, at);
  return [vested, vested];
};
