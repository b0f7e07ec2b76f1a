/** What has vested, worked out a second time and in another way: exact rational numbers, straight from the terms. */
import type { Shape } from '../../../src/products/streams/schedule.js';

const floor = (numerator: bigint, denominator: bigint): bigint => numerator / denominator;

/** The share of a span of time that has gone by in whole steps, of an amount: rounded down once, at the end. */
const shareOf = (amount: bigint, gone: bigint, span: bigint, step: bigint): bigint =>
  floor(amount * (gone - (gone % step)), span);

/**
 * What the terms of a stream have vested at a time, told from their definition in words: LINEAR by the second, STEP by
 * whole intervals, HYBRID an upfront part and then by the second, TRANCHE each amount at its time, and with a cliff
 * nothing before it, then what the whole had grown to, then the rest by the same clock.
 */
export const exactlyVested = (shape: Shape, now: number): bigint => {
  const total = shape.total_amount;
  const start = shape.start_time;
  if (shape.stream_type === 'TRANCHE') {
    return (shape.tranche_schedule ?? [])
      .filter(({ unlock_time }) => unlock_time <= now)
      .reduce((sum, { amount }) => sum + amount, 0n);
  }
  const end = shape.end_time ?? start;
  if (now >= end) return total;
  const step = shape.stream_type === 'STEP' ? BigInt(shape.interval_seconds ?? 1) : 1n;
  const [head, begin] =
    shape.stream_type === 'HYBRID'
      ? [
          floor(total * BigInt(Math.round(Number(shape.hybrid_upfront_percentage) * 1e6)), 100_000_000n),
          shape.hybrid_unlock_time ?? start,
        ]
      : shape.cliff_timestamp === null
        ? [0n, start]
        : [floor(total * BigInt(shape.cliff_timestamp - start), BigInt(end - start)), shape.cliff_timestamp];
  if (now < begin) return 0n;
  return head + shareOf(total - head, BigInt(now - begin), BigInt(end - begin), step);
};
