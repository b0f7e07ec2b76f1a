/** The terms of RECURRING: a fixed term, or an open one that is refilled. Source: design, api.md (Streams). */
import { formatUnits } from '../../bch/amount.js';
import { PAYOUT_DUST } from '../../bch/transaction.js';
import {
  base,
  checkedEnd,
  checkedInterval,
  endOf,
  Refused,
  unitsOf,
  type Reading,
  type StreamTerms,
} from './reading.js';
import { belowDust } from './rules.js';

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
    `${end} is not a whole number of intervals of ${interval} seconds after the start (${start}): the nearest end is ${start + count * interval}, and the nearest total that its ${count} intervals share equally is ${nearestTotal(reading, total, BigInt(count))}`,
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

export const readRecurring = (reading: Reading, total: bigint): StreamTerms => {
  const { request, template, asset } = reading;
  const isOpen = request.refillable ?? template?.refillable ?? false;
  const end = isOpen ? null : checkedEnd(reading);
  const interval = checkedInterval(reading);
  const amount =
    end === null
      ? openAmount(reading, total, interval)
      : shareExactly(reading, total, intervalsUntil(reading, end, interval, total));
  if (asset.category === null && amount < PAYOUT_DUST) {
    const error = belowDust('amountPerInterval', amount);
    throw new Refused('totalAmount', error.message, error);
  }
  if (isOpen && request.cancelable === false)
    throw new Refused('cancelable', 'an open-ended stream must be cancelable, else it could never end');
  if (request.transferable === true) throw new Refused('transferable', 'is not for RECURRING');
  const own = { interval_seconds: interval, amount_per_interval: amount, refillable: isOpen };
  return { ...base(reading, 'RECURRING', total, end), ...own };
};
