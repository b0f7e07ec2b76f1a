/** The terms of RECURRING: a fixed term, or an open one that is refilled. Source: design, api.md (Streams). */
import { formatUnits } from '../../bch/amount.js';
import { PAYOUT_DUST } from '../../bch/transaction.js';
import { belowDust } from './rules.js';
import {
  base,
  checkedEnd,
  checkedInterval,
  endOf,
  orNull,
  type Desk,
  type StreamTerms,
} from './terms-desk.js';

/** The nearest total to `total` that `count` intervals share exactly. */
const nearestTotal = (total: bigint, count: bigint): bigint => {
  const nearest = ((total + count / 2n) / count) * count;
  return nearest === 0n ? count : nearest;
};

const shareExactly = (desk: Desk, total: bigint, count: bigint): bigint | null => {
  if (total % count === 0n) return total / count;
  const nearest = formatUnits(nearestTotal(total, count), desk.asset.decimals);
  return desk.refuse(
    'totalAmount',
    `${formatUnits(total, desk.asset.decimals)} does not divide exactly by ${count} intervals; ${nearest} does`,
  );
};

/** How many intervals there are until an end; null with an issue that names the nearest end, and the total it takes. */
const intervalsUntil = (desk: Desk, end: number, interval: number, total: bigint): number | null => {
  const { start, asset, refuse } = desk;
  const duration = end - start;
  if (duration > 0 && duration % interval === 0) return duration / interval;
  const count = Math.max(1, Math.round(duration / interval));
  const nearest = formatUnits(nearestTotal(total, BigInt(count)), asset.decimals);
  return refuse(
    'endTime',
    `${end} is not a whole number of intervals of ${interval} seconds after the start (${start}): the nearest end is ${start + count * interval}, and the nearest total that its ${count} intervals share equally is ${nearest}`,
  );
};

/**
 * What an interval of an open stream pays: as given; or its share of the total until the end that is given, or that the
 * template gives; or, with neither, the total, which is then the first interval's.
 */
const openAmount = (desk: Desk, total: bigint, interval: number): bigint | null => {
  const { request, template, units, refuse, asset } = desk;
  const given = orNull(request.amountPerInterval);
  if (given === null) {
    if (orNull(request.endTime) === null && template === null) return total;
    const count = intervalsUntil(desk, endOf(desk), interval, total);
    return count === null ? null : shareExactly(desk, total, BigInt(count));
  }
  const amount = units(given, 'amountPerInterval');
  if (amount === null || total % amount === 0n) return amount;
  const nearest = formatUnits(nearestTotal(total, amount), asset.decimals);
  return refuse('totalAmount', `must be a whole number of intervals of ${given.decimal}; ${nearest} is`);
};

export const readRecurring = (desk: Desk, total: bigint): StreamTerms | null => {
  const { request, template, asset, refuse } = desk;
  const isOpen = request.refillable ?? template?.refillable ?? false;
  const end = isOpen ? null : checkedEnd(desk);
  if (end === null && !isOpen) return null;
  const interval = checkedInterval(desk);
  if (interval === null) return null;
  const count = end === null ? null : intervalsUntil(desk, end, interval, total);
  if (end !== null && count === null) return null;
  const amount =
    count === null ? openAmount(desk, total, interval) : shareExactly(desk, total, BigInt(count));
  if (amount === null) return null;
  if (asset.category === null && amount < PAYOUT_DUST)
    return desk.refuseWith(belowDust('amountPerInterval', amount), 'totalAmount');
  if (isOpen && request.cancelable === false)
    return refuse('cancelable', 'an open-ended stream must be cancelable, else it could never end');
  if (request.transferable === true) return refuse('transferable', 'is not for RECURRING');
  return {
    ...base(desk, 'RECURRING', total, end),
    interval_seconds: interval,
    amount_per_interval: amount,
    refillable: isOpen,
  };
};
