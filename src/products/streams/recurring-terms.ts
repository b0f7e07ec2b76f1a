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

/** What an interval of an open stream pays: as given, or its share of the total over the given or template duration. */
const openAmount = (desk: Desk, total: bigint, interval: number): bigint | null => {
  const { request, units, refuse, asset } = desk;
  const given = orNull(request.amountPerInterval);
  if (given === null) {
    const duration = endOf(desk) - desk.start;
    if (duration <= 0 || duration % interval !== 0)
      return refuse('amountPerInterval', 'is required, since the interval does not divide the duration');
    return shareExactly(desk, total, BigInt(duration / interval));
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
  const interval = checkedInterval(desk, end === null ? null : end - desk.start);
  if (interval === null) return null;
  const amount =
    end === null
      ? openAmount(desk, total, interval)
      : shareExactly(desk, total, BigInt((end - desk.start) / interval));
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
