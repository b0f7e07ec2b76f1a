/** The curve of one stream in calendar time: the corners, to be joined by lines. */
import { fundedTotal } from './rules.js';
import { curvePoints, decodeSchedule } from './schedule.js';
import type { StreamRecord } from './stream.js';

export type TimePoint = {
  /** Unix seconds. */
  readonly time: number;
  /** Smallest unit. */
  readonly amount: bigint;
};

/** More stairs than these are not drawn. */
const MAXIMUM_STAIRS = 120;

const intervalPoints = (stream: StreamRecord, start: number): TimePoint[] => {
  const { interval_seconds: interval, amount_per_interval: amount } = stream;
  if (interval === null || amount === null) return [];
  const count = Math.min(Number(fundedTotal(stream) / amount), MAXIMUM_STAIRS);
  return Array.from({ length: count }, (_, index) => [
    { time: start + (index + 1) * interval, amount: BigInt(index) * amount },
    { time: start + (index + 1) * interval, amount: BigInt(index + 1) * amount },
  ]).flat();
};

/**
 * What has vested and will vest, by when, as things stand: finished pauses have moved it, and a present one is not
 * taken into account. RECURRING goes as far as it is funded.
 */
export const curveOf = (stream: StreamRecord): readonly TimePoint[] => {
  const start = stream.start_time + stream.shift_seconds;
  if (stream.stream_type === 'RECURRING')
    return [{ time: start, amount: 0n }, ...intervalPoints(stream, start)];
  return curvePoints(decodeSchedule(stream.schedule)).map(({ offset, amount }) => ({
    time: start + offset,
    amount,
  }));
};
