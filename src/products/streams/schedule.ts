/**
 * Schedules: from a stream's terms to the segments of its covenant, and what has vested at a time.
 *
 * A segment begins `offset` seconds after the start with `cumulative` vested; from there it stays (`step` 0), or grows
 * to the next segment's cumulative, every `step` seconds by its share, rounded down. The arithmetic is the covenant's
 * own, integer for integer. Source: contracts/streams/stream.cash.
 */
import { commitment } from '../../bch/commitment.js';
import { remembered } from '../../bch/remembered.js';
import type { Shape } from './stream.js';

export type { Shape } from './stream.js';

export type Segment = {
  /** Seconds after the start. */
  readonly offset: number;
  /** Vested at its begin, smallest unit. */
  readonly cumulative: bigint;
  /** Seconds; 0 for a segment that does not grow. */
  readonly step: number;
};

/** A covenant takes at most this many segments. Source: contracts/streams/stream.cash. */
export const MAXIMUM_SEGMENTS = 30;

const layout = commitment({ offset: 'u40', cumulative: 'u64', step: 'u32' });

/** The segments as the covenant's parameter, hex. For the reverse, see {@link decodeSchedule}. */
export const encodeSchedule = (segments: readonly Segment[]): string => segments.map(layout.encode).join('');

/** Schedules that are kept decoded: a page of a list asks for each of its own twice, and again with the next request. */
const KEPT_SCHEDULES = 2_000;

/** The segments of a schedule parameter, frozen. @throws Error when it is none */
export const decodeSchedule = remembered(KEPT_SCHEDULES, (schedule): readonly Segment[] => {
  const digits = layout.size * 2;
  const count = Math.ceil(schedule.length / digits);
  return Object.freeze(
    Array.from({ length: count }, (_, index) =>
      layout.read(schedule.slice(index * digits, (index + 1) * digits)),
    ),
  );
});

/** What vests in all by a schedule parameter, smallest unit. */
export const scheduledTotal = (schedule: string): bigint => decodeSchedule(schedule).at(-1)?.cumulative ?? 0n;

/** Decimals that an upfront percentage may have. */
export const PERCENTAGE_DECIMALS = 6;

/** The share of a total that a decimal percentage is, rounded down. */
export const percentOf = (total: bigint, percentage: string): bigint => {
  const [whole = '0', fraction = ''] = percentage.split('.');
  const parts = BigInt(whole + fraction.padEnd(PERCENTAGE_DECIMALS, '0'));
  return (total * parts) / (100n * 10n ** BigInt(PERCENTAGE_DECIMALS));
};

const trancheSegments = ({ tranche_schedule, start_time }: Shape): Segment[] => {
  let cumulative = 0n;
  return (tranche_schedule ?? []).map(({ unlock_time, amount }) => {
    cumulative += amount;
    return { offset: unlock_time - start_time, cumulative, step: 0 };
  });
};

/** The segments of a shape; none for RECURRING, which has a covenant of its own. Source: contracts/streams/stream.cash. */
export const segmentsOf = (shape: Shape): readonly Segment[] => {
  const { stream_type, total_amount: total, start_time: start, end_time, cliff_timestamp } = shape;
  const duration = (end_time ?? start) - start;
  const end: Segment = { offset: duration, cumulative: total, step: 0 };
  const grow = (step: number): Segment[] => {
    const cliff = cliff_timestamp === null ? 0 : cliff_timestamp - start;
    const cumulative = cliff === 0 ? 0n : (total * BigInt(cliff)) / BigInt(duration);
    return [{ offset: cliff, cumulative, step }, end];
  };
  switch (stream_type) {
    case 'LINEAR':
      return grow(1);
    case 'STEP':
      return grow(shape.interval_seconds ?? 1);
    case 'HYBRID': {
      const upfront = percentOf(total, shape.hybrid_upfront_percentage ?? '0');
      return [{ offset: (shape.hybrid_unlock_time ?? start) - start, cumulative: upfront, step: 1 }, end];
    }
    case 'TRANCHE':
      return trancheSegments(shape);
    case 'RECURRING':
      return [];
  }
};

/** A plan that pays by intervals, as segments: after so many of them it has `paid` so much. */
export const intervalSegments = (
  count: number,
  interval: number,
  paid: (periods: number) => bigint,
): readonly Segment[] =>
  Array.from({ length: count }, (_, index) => {
    const periods = index + 1;
    return { offset: periods * interval, cumulative: paid(periods), step: 0 };
  });

export type Vested = {
  /** Smallest unit. */
  readonly amount: bigint;
  /** Number of the last segment begun, from 1; 0 before the first. The covenant asks for it. */
  readonly segment: number;
};

/** What a schedule has vested `elapsed` seconds after its start (negative before it). */
export const vestedAt = (segments: readonly Segment[], elapsed: number): Vested => {
  const segment = segments.findLastIndex(({ offset }) => offset <= elapsed) + 1;
  const begun = segments[segment - 1];
  if (begun === undefined) return { amount: 0n, segment };
  const later = segments[segment];
  if (later === undefined || begun.step === 0) return { amount: begun.cumulative, segment };
  const time = elapsed - begun.offset;
  const grown =
    ((later.cumulative - begun.cumulative) * BigInt(time - (time % begun.step))) /
    BigInt(later.offset - begun.offset);
  return { amount: begun.cumulative + grown, segment };
};

/** Seconds after the begin of a growing segment until `wanted` more than its cumulative has vested, or Infinity. */
const timeToGrow = (begun: Segment, later: Segment, wanted: bigint): number => {
  const growth = later.cumulative - begun.cumulative;
  if (begun.step === 0 || growth === 0n) return Infinity;
  const duration = BigInt(later.offset - begun.offset);
  const step = BigInt(begun.step);
  const seconds = (wanted * duration + growth - 1n) / growth;
  return Number(((seconds + step - 1n) / step) * step);
};

/** When, in seconds after the start, more than at `elapsed` will first have vested; null when nothing is left to vest. */
export const nextUnlock = (segments: readonly Segment[], elapsed: number): number | null => {
  const { amount, segment } = vestedAt(segments, elapsed);
  for (let number = segment; number <= segments.length; number += 1) {
    const begun = segments[number - 1];
    const later = segments[number];
    if (begun !== undefined && begun.cumulative > amount) return begun.offset;
    if (begun === undefined || later === undefined) continue;
    const time = timeToGrow(begun, later, amount + 1n - begun.cumulative);
    if (begun.offset + time < later.offset) return begun.offset + time;
  }
  return null;
};

/** A point of a curve: what has vested at an offset. A jump is two points with one offset. */
export type CurvePoint = { readonly offset: number; readonly amount: bigint };

/** More stairs than this are drawn as a line. */
const MAXIMUM_STAIRS = 100;

/** Offsets of the stairs on which a segment grows to the next one. */
const stairsOf = (begun: Segment, later: Segment | undefined): readonly number[] => {
  if (begun.step <= 1 || later === undefined) return [];
  const count = (later.offset - begun.offset) / begun.step;
  if (count > MAXIMUM_STAIRS) return [];
  return Array.from({ length: Math.ceil(count) - 1 }, (_, index) => begun.offset + (index + 1) * begun.step);
};

/** The corners of a curve from the start to its last segment, to be joined by lines. */
export const curvePoints = (segments: readonly Segment[]): readonly CurvePoint[] => {
  const points: CurvePoint[] = [{ offset: 0, amount: 0n }];
  const add = (offset: number, time: number) => {
    const { amount } = vestedAt(segments, time);
    const last = points.at(-1);
    if (last?.offset !== offset || last.amount !== amount) points.push({ offset, amount });
  };
  for (const [index, segment] of segments.entries()) {
    // At the end of a line there is no jump.
    if (segments[index - 1]?.step !== 1) add(segment.offset, segment.offset - 1);
    add(segment.offset, segment.offset);
    for (const stair of stairsOf(segment, segments[index + 1])) {
      add(stair, stair - 1);
      add(stair, stair);
    }
  }
  return points;
};
