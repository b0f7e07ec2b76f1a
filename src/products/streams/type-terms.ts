/** The terms of each type: what it has of its own. Source: docs/design/api.md. */
import { showDuration } from '../../bch/duration.js';
import { momentText } from '../../bch/show-date.js';
import { formatUnits } from '../../bch/amount.js';
import {
  afterDays,
  checkedEnd,
  checkedInterval,
  endOf,
  payable,
  Refused,
  unitsOf,
  type Reading,
} from './reading.js';
import { MAXIMUM_SEGMENTS, PERCENTAGE_DECIMALS } from './schedule.js';
import type { StreamTerms, Tranche } from './stream.js';
import { DAY, splitByPercentages } from './templates.js';

/** The end, and what a type has beside it; the rest is null. */
export type Own = Pick<StreamTerms, 'end_time'> & Partial<StreamTerms>;

/** The cliff of LINEAR and STEP, or null. @throws Refused */
const checkedCliff = (reading: Reading, end: number, interval: number): number | null => {
  const { request, template, start } = reading;
  const cliff = request.cliffTimestamp ?? afterDays(reading, template?.cliffDays);
  if (cliff === null || (cliff > start && cliff < end && (cliff - start) % interval === 0)) return cliff;
  const multiple =
    interval > 1 ? `, a multiple of the interval (${showDuration(interval)}) after the start` : '';
  throw new Refused(
    'cliffTimestamp',
    `${momentText(cliff)} must lie between the start (${momentText(start)}) and the end (${momentText(end)})${multiple}`,
  );
};

export const readLinear = (reading: Reading): Own => {
  const end = checkedEnd(reading);
  return { end_time: end, cliff_timestamp: checkedCliff(reading, end, 1) };
};

export const readStep = (reading: Reading, total: bigint): Own => {
  const end = checkedEnd(reading);
  const interval = checkedInterval(reading);
  // Where the interval does not divide the duration, the last step is shorter and brings what is left.
  const [grown, duration] = [total * BigInt(interval), BigInt(end - reading.start)];
  return {
    end_time: end,
    cliff_timestamp: checkedCliff(reading, end, interval),
    interval_seconds: interval,
    amount_per_interval: grown % duration === 0n && grown <= total * duration ? grown / duration : null,
  };
};

/** The exact text of a percentage above 0 and below 100. @throws Refused */
const checkedPercentage = ({ request, template }: Reading): string => {
  const path = 'hybridUpfrontPercentage';
  const text = request.hybridUpfrontPercentage?.decimal ?? template?.unlockPercent?.toString();
  if (text === undefined) throw new Refused(path, 'is required for HYBRID');
  const [, fraction = ''] = text.split('.');
  if (fraction.length > PERCENTAGE_DECIMALS)
    throw new Refused(path, `${text} must have at most ${PERCENTAGE_DECIMALS} decimals`);
  if (Number(text) > 0 && Number(text) < 100) return text;
  throw new Refused(path, `${text} must be above 0 and below 100`);
};

export const readHybrid = (reading: Reading): Own => {
  const { request, template, start, attempt } = reading;
  const end = attempt(() => checkedEnd(reading));
  const percentage = attempt(() => checkedPercentage(reading));
  const unlock = request.hybridUnlockTimestamp ?? afterDays(reading, template?.unlockDay);
  const path = 'hybridUnlockTimestamp';
  if (unlock === null) throw new Refused(path, 'is required for HYBRID');
  if (end !== null && percentage !== null && (unlock < start || unlock >= end))
    throw new Refused(
      path,
      `${momentText(unlock)} must not be before the start (${momentText(start)}), and before the end (${momentText(end)})`,
    );
  return { end_time: end, hybrid_unlock_time: unlock, hybrid_upfront_percentage: percentage };
};

/** The tranches that are given, or the template's; what is wrong with an amount is said with the others. */
const readTranches = (reading: Reading, total: bigint): Tranche[] | null => {
  const { request, template, start, attempt } = reading;
  if (request.trancheSchedule != null) {
    const amounts = request.trancheSchedule.map(({ unlockTime: unlock_time, amount: given }, index) => {
      const amount = attempt(() => unitsOf(reading, given, `trancheSchedule.${index}.amount`));
      return amount === null ? null : { unlock_time, amount };
    });
    return amounts.includes(null) ? null : amounts.filter((tranche) => tranche !== null);
  }
  if (template?.trancheDays == null) throw new Refused('trancheSchedule', 'is required for TRANCHE');
  const amounts = splitByPercentages(total, template.tranchePercentages ?? []);
  return template.trancheDays.map((day, index) => ({
    unlock_time: start + day * DAY,
    amount: amounts[index] ?? 0n,
  }));
};

/** Checks that tranches rise in time from the start on, and add up. @throws Refused */
const checkTranches = ({ start, now, asset }: Reading, tranches: readonly Tranche[], total: bigint): void => {
  const path = 'trancheSchedule';
  if (tranches.length < 1 || tranches.length > MAXIMUM_SEGMENTS)
    throw new Refused(path, `${tranches.length} tranches must be 1 to ${MAXIMUM_SEGMENTS}`);
  const unsorted = tranches.findIndex(
    ({ unlock_time }, index) =>
      unlock_time < start || unlock_time <= (tranches[index - 1]?.unlock_time ?? -1),
  );
  if (unsorted >= 0)
    throw new Refused(
      `${path}.${unsorted}.unlockTime`,
      `${momentText(tranches[unsorted]?.unlock_time ?? 0)} must be later than the one before, and not before the start (${momentText(start)})`,
    );
  const sum = tranches.reduce((held, { amount }) => held + amount, 0n);
  const show = (value: bigint) => formatUnits(value, asset.decimals);
  if (sum !== total)
    throw new Refused(path, `the amounts add up to ${show(sum)}, and must to totalAmount (${show(total)})`);
  const last = tranches.at(-1)?.unlock_time ?? start;
  if (last <= Math.max(start, now))
    throw new Refused(
      path,
      `the last one (${momentText(last)}) must be later than the start (${momentText(start)}) and than now (${momentText(now)})`,
    );
};

export const readTrancheTerms = (reading: Reading, total: bigint): Own | null => {
  const tranches = readTranches(reading, total);
  if (tranches === null) return null;
  checkTranches(reading, tranches, total);
  const last = tranches.at(-1)?.unlock_time ?? reading.start;
  const end = reading.request.endTime ?? last;
  if (end < last)
    throw new Refused(
      'endTime',
      `${momentText(end)} is before the last tranche (${momentText(last)}): leave it out`,
    );
  return { end_time: last, tranche_schedule: tranches };
};

/** The nearest total to `total` that `count` intervals share exactly, in display units. */
const nearestTotal = ({ asset }: Reading, total: bigint, count: bigint): string => {
  const nearest = ((total + count / 2n) / count) * count;
  return formatUnits(nearest === 0n ? count : nearest, asset.decimals);
};

const shareExactly = (reading: Reading, total: bigint, count: bigint): bigint => {
  if (total % count === 0n) return total / count;
  const given = formatUnits(total, reading.asset.decimals);
  throw new Refused(
    'totalAmount',
    `${given} does not divide exactly by ${count} intervals; ${nearestTotal(reading, total, count)} does`,
  );
};

/** How many intervals there are until an end. @throws Refused with the nearest end, and the total that it takes */
const intervalsUntil = (reading: Reading, end: number, interval: number, total: bigint): bigint => {
  const { start } = reading;
  const duration = end - start;
  if (duration > 0 && duration % interval === 0) return BigInt(duration / interval);
  const count = Math.max(1, Math.round(duration / interval));
  throw new Refused(
    'endTime',
    `${momentText(end)} is not a whole number of intervals of ${showDuration(interval)} after the start (${momentText(start)}): the nearest end is ${momentText(start + count * interval)}, and the nearest total that its ${count} intervals share equally is ${nearestTotal(reading, total, BigInt(count))}`,
  );
};

/**
 * What an interval of an open stream pays: as given; or its share of the total until the end that is given, or that the
 * template gives; or, with neither, the total, which is then the first interval's.
 */
const openAmount = (reading: Reading, total: bigint, interval: number): bigint => {
  const { request, template } = reading;
  const { amountPerInterval: given } = request;
  if (given == null) {
    if (request.endTime == null && template === null) return total;
    return shareExactly(reading, total, intervalsUntil(reading, endOf(reading), interval, total));
  }
  const amount = unitsOf(reading, given, 'amountPerInterval');
  if (total % amount === 0n) return amount;
  const nearest = nearestTotal(reading, total, amount);
  throw new Refused('totalAmount', `must be a whole number of intervals of ${given.decimal}; ${nearest} is`);
};

/** RECURRING: a fixed term, or an open one that is refilled. */
export const readRecurring = (reading: Reading, total: bigint): Own => {
  const { request, template } = reading;
  const isOpen = request.refillable ?? template?.refillable ?? false;
  const end = isOpen ? null : checkedEnd(reading);
  const interval = checkedInterval(reading);
  const amount =
    end === null
      ? openAmount(reading, total, interval)
      : shareExactly(reading, total, intervalsUntil(reading, end, interval, total));
  payable(reading, amount, 'amountPerInterval');
  if (isOpen && request.cancelable === false)
    throw new Refused('cancelable', 'an open-ended stream must be cancelable, else it could never end');
  if (request.transferable === true) throw new Refused('transferable', 'is not for RECURRING');
  return { end_time: end, interval_seconds: interval, amount_per_interval: amount, refillable: isOpen };
};
