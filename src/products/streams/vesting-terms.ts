/** The terms of LINEAR, STEP, HYBRID and TRANCHE. Source: specification, Streams; design, api.md (Streams). */
import { formatUnits } from '../../bch/amount.js';
import { MAXIMUM_SEGMENTS, PERCENTAGE_DECIMALS } from './schedule.js';
import type { Tranche } from './stream.js';
import { DAY, splitByPercentages } from './templates.js';
import {
  base,
  checkedEnd,
  checkedInterval,
  orNull,
  templateDays,
  type Desk,
  type StreamTerms,
} from './terms-desk.js';

/** The cliff of LINEAR and STEP; undefined with an issue when it does not fit. */
const checkedCliff = (desk: Desk, end: number, interval: number): number | null | undefined => {
  const cliff = desk.request.cliffTimestamp ?? templateDays(desk, ({ cliffDays }) => cliffDays);
  if (cliff === null) return null;
  const { start } = desk;
  const fits = cliff > start && cliff < end && (cliff - start) % interval === 0;
  if (fits) return cliff;
  const multiple = interval > 1 ? `, a multiple of the interval (${interval} seconds) after the start` : '';
  desk.refuse(
    'cliffTimestamp',
    `${cliff} must lie between the start (${start}) and the end (${end})${multiple}`,
  );
  return undefined;
};

export const readLinear = (desk: Desk, total: bigint): StreamTerms | null => {
  const end = checkedEnd(desk);
  const cliff = end === null ? undefined : checkedCliff(desk, end, 1);
  if (end === null || cliff === undefined) return null;
  return { ...base(desk, 'LINEAR', total, end), cliff_timestamp: cliff };
};

export const readStep = (desk: Desk, total: bigint): StreamTerms | null => {
  const end = checkedEnd(desk);
  const interval = end === null ? null : checkedInterval(desk);
  const cliff = end === null || interval === null ? undefined : checkedCliff(desk, end, interval);
  if (end === null || interval === null || cliff === undefined) return null;
  // Where the interval does not divide the duration, the last step is shorter and brings what is left.
  const [grown, duration] = [total * BigInt(interval), BigInt(end - desk.start)];
  return {
    ...base(desk, 'STEP', total, end),
    cliff_timestamp: cliff,
    interval_seconds: interval,
    amount_per_interval: grown % duration === 0n && grown <= total * duration ? grown / duration : null,
  };
};

/** The exact text of a percentage above 0 and below 100; null with an issue. */
const checkedPercentage = (desk: Desk): string | null => {
  const { request, template, refuse } = desk;
  const percent = template?.unlockPercent ?? null;
  const text = request.hybridUpfrontPercentage?.decimal ?? (percent === null ? null : String(percent));
  const path = 'hybridUpfrontPercentage';
  if (text === null) return refuse(path, 'is required for HYBRID');
  const [, fraction = ''] = text.split('.');
  if (fraction.length > PERCENTAGE_DECIMALS)
    return refuse(path, `${text} must have at most ${PERCENTAGE_DECIMALS} decimals`);
  if (Number(text) > 0 && Number(text) < 100) return text;
  return refuse(path, `${text} must be above 0 and below 100`);
};

export const readHybrid = (desk: Desk, total: bigint): StreamTerms | null => {
  const end = checkedEnd(desk);
  const percentage = checkedPercentage(desk);
  const unlock = desk.request.hybridUnlockTimestamp ?? templateDays(desk, ({ unlockDay }) => unlockDay);
  const path = 'hybridUnlockTimestamp';
  if (unlock === null) return desk.refuse(path, 'is required for HYBRID');
  if (end === null || percentage === null) return null;
  if (unlock < desk.start || unlock >= end) {
    return desk.refuse(
      path,
      `${unlock} must not be before the start (${desk.start}), and before the end (${end})`,
    );
  }
  return {
    ...base(desk, 'HYBRID', total, end),
    hybrid_unlock_time: unlock,
    hybrid_upfront_percentage: percentage,
  };
};

/** The tranches that are given, or the template's. Null with issues when an amount is none. */
const readTranches = ({ request, template, start, units, refuse }: Desk, total: bigint): Tranche[] | null => {
  const given = request.trancheSchedule ?? null;
  if (given !== null) {
    const tranches = given.map(({ unlockTime, amount }, index) => ({
      unlock_time: unlockTime,
      amount: units(amount, `trancheSchedule.${index}.amount`),
    }));
    return tranches.every((tranche): tranche is Tranche => tranche.amount !== null) ? tranches : null;
  }
  const days = template?.trancheDays ?? null;
  if (days === null) return refuse('trancheSchedule', 'is required for TRANCHE');
  const amounts = splitByPercentages(total, template?.tranchePercentages ?? []);
  return days.map((day, index) => ({ unlock_time: start + day * DAY, amount: amounts[index] ?? 0n }));
};

export const readTrancheTerms = (desk: Desk, total: bigint): StreamTerms | null => {
  const { start, now, asset, refuse, request } = desk;
  const path = 'trancheSchedule';
  const tranches = readTranches(desk, total);
  if (tranches === null) return null;
  const last = tranches.at(-1)?.unlock_time ?? start;
  if (tranches.length < 1 || tranches.length > MAXIMUM_SEGMENTS)
    return refuse(path, `${tranches.length} tranches must be 1 to ${MAXIMUM_SEGMENTS}`);
  const unsorted = tranches.findIndex(
    ({ unlock_time }, index) =>
      unlock_time < start || unlock_time <= (tranches[index - 1]?.unlock_time ?? -1),
  );
  if (unsorted >= 0) {
    return refuse(
      `${path}.${unsorted}.unlockTime`,
      `${tranches[unsorted]?.unlock_time ?? 0} must be later than the one before, and not before the start (${start})`,
    );
  }
  const sum = tranches.reduce((held, { amount }) => held + amount, 0n);
  if (sum !== total) {
    const show = (value: bigint) => formatUnits(value, asset.decimals);
    return refuse(path, `the amounts add up to ${show(sum)}, and must to totalAmount (${show(total)})`);
  }
  if (last <= Math.max(start, now))
    return refuse(
      path,
      `the last one (${last}) must be later than the start (${start}) and than now (${now})`,
    );
  const end = orNull(request.endTime);
  if (end !== null && end < last)
    return refuse('endTime', `${end} is before the last tranche (${last}): leave it out`);
  return { ...base(desk, 'TRANCHE', total, last), tranche_schedule: tranches };
};
