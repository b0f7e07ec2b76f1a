/** Random terms of every vesting type, for properties. */
import fc from 'fast-check';
import type { Shape } from '../../../src/products/streams/schedule.js';

const START = 1_780_272_000;

const none = {
  start_time: START,
  cliff_timestamp: null,
  interval_seconds: null,
  hybrid_unlock_time: null,
  hybrid_upfront_percentage: null,
  tranche_schedule: null,
} as const;

const total = fc.oneof(
  fc.bigInt({ min: 1n, max: 1_000n }),
  fc.bigInt({ min: 546n, max: 2_100_000_000_000_000n }),
  fc.bigInt({ min: 1n, max: 9_223_372_036_854_775_807n }),
);
const duration = fc.oneof(fc.integer({ min: 2, max: 100 }), fc.integer({ min: 2, max: 40_000_000 }));

const linear = fc
  .record({ total, duration, cliff: fc.option(fc.double({ min: 0, max: 1, noNaN: true })) })
  .map(({ total: total_amount, duration: length, cliff }): Shape => {
    const at = cliff === null ? 0 : Math.floor(cliff * (length - 1));
    return {
      ...none,
      stream_type: 'LINEAR',
      total_amount,
      end_time: START + length,
      cliff_timestamp: at > 0 ? START + at : null,
    };
  });

const step = fc
  .record({
    total,
    interval: fc.integer({ min: 1, max: 3_000_000 }),
    count: fc.integer({ min: 1, max: 60 }),
    cliff: fc.integer({ min: 0, max: 59 }),
  })
  .map(({ total: total_amount, interval, count, cliff }): Shape => ({
    ...none,
    stream_type: 'STEP',
    total_amount,
    interval_seconds: interval,
    end_time: START + interval * count,
    cliff_timestamp: cliff > 0 && cliff < count ? START + cliff * interval : null,
  }));

const hybrid = fc
  .record({
    total,
    duration,
    unlock: fc.double({ min: 0, max: 1, noNaN: true }),
    percentage: fc.integer({ min: 1, max: 99_999_999 }),
  })
  .map(({ total: total_amount, duration: length, unlock, percentage }): Shape => ({
    ...none,
    stream_type: 'HYBRID',
    total_amount,
    end_time: START + length,
    hybrid_unlock_time: START + Math.floor(unlock * (length - 1)),
    hybrid_upfront_percentage: `${Math.floor(percentage / 1_000_000)}.${String(percentage % 1_000_000).padStart(6, '0')}`,
  }));

const tranche = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 1, max: 3_000_000 }),
      amount: fc.bigInt({ min: 1n, max: 1_000_000_000_000n }),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((gaps): Shape => {
    let time = START;
    const tranches = gaps.map(({ gap, amount }) => {
      time += gap;
      return { unlock_time: time, amount };
    });
    return {
      ...none,
      stream_type: 'TRANCHE',
      total_amount: tranches.reduce((sum, { amount }) => sum + amount, 0n),
      end_time: time,
      tranche_schedule: tranches,
    };
  });

/** Terms of any vesting type. */
export const anyShape: fc.Arbitrary<Shape> = fc.oneof(linear, step, hybrid, tranche);
