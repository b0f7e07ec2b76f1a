import test from 'ava';
import fc from 'fast-check';
import {
  curvePoints,
  decodeSchedule,
  encodeSchedule,
  nextUnlock,
  segmentsOf,
  vestedAt,
  type Segment,
  type Shape,
} from '../../../src/products/streams/schedule.js';
import { previewOf, splitByPercentages, TEMPLATES } from '../../../src/products/streams/templates.js';
import { exactlyVested } from './exact-schedule.js';
import { anyShape } from './shapes.js';

const runs = { numRuns: 300, seed: 20260601 };

/** Seconds after the start around every boundary: segments, and for stairs the first ones and the last. */
const boundaries = ({ interval_seconds }: Shape, segments: readonly Segment[]): readonly number[] => {
  const stairs = interval_seconds === null ? [] : [1, 2, 3].map((count) => count * interval_seconds);
  return [0, ...segments.map(({ offset }) => offset), ...stairs].flatMap((at) => [at - 1, at, at + 1]);
};

test('I2 › what has vested never falls, is 0 before the first offset and the total from the last one on', (t) => {
  fc.assert(
    fc.property(
      anyShape,
      fc.array(fc.integer({ min: -1_000, max: 50_000_000 }), { maxLength: 20 }),
      (shape, times) => {
        const segments = segmentsOf(shape);
        const [first, last] = [segments[0]?.offset ?? 0, segments.at(-1)?.offset ?? 0];
        let before = 0n;
        for (const elapsed of [...times, ...boundaries(shape, segments)].sort((a, b) => a - b)) {
          const { amount } = vestedAt(segments, elapsed);
          t.true(amount >= before);
          if (elapsed < first) t.is(amount, 0n);
          if (elapsed >= last) t.is(amount, shape.total_amount);
          before = amount;
        }
      },
    ),
    runs,
  );
});

test('I11 › what has vested is what exact rational numbers say, at t-1, t and t+1 of every boundary', (t) => {
  fc.assert(
    fc.property(
      anyShape,
      fc.array(fc.integer({ min: -10, max: 40_000_000 }), { maxLength: 10 }),
      (shape, times) => {
        const segments = segmentsOf(shape);
        for (const elapsed of [...times, ...boundaries(shape, segments)]) {
          t.is(vestedAt(segments, elapsed).amount, exactlyVested(shape, shape.start_time + elapsed));
        }
      },
    ),
    runs,
  );
});

test('the segment is the last one begun, and 0 before the first', (t) => {
  fc.assert(
    fc.property(anyShape, fc.integer({ min: -10, max: 40_000_000 }), (shape, elapsed) => {
      const segments = segmentsOf(shape);
      const { segment } = vestedAt(segments, elapsed);
      t.is(segment, segments.filter(({ offset }) => offset <= elapsed).length);
    }),
    runs,
  );
});

test('the next unlock is the first second at which more has vested, and null when nothing is left to vest', (t) => {
  fc.assert(
    fc.property(anyShape, fc.integer({ min: -10, max: 40_000_000 }), (shape, elapsed) => {
      const segments = segmentsOf(shape);
      const next = nextUnlock(segments, elapsed);
      const { amount } = vestedAt(segments, elapsed);
      if (next === null) return t.is(amount, shape.total_amount);
      t.true(next > elapsed);
      t.is(vestedAt(segments, next - 1).amount, amount);
      return t.true(vestedAt(segments, next).amount > amount);
    }),
    runs,
  );
});

test('a schedule is read back as it was written', (t) => {
  fc.assert(
    fc.property(anyShape, (shape) => {
      const segments = segmentsOf(shape);
      t.is(encodeSchedule(segments).length, segments.length * 34);
      t.deepEqual(decodeSchedule(encodeSchedule(segments)), segments);
    }),
    runs,
  );
});

test('the corners of a curve lie on it, in order of time, and a jump stands between two of them', (t) => {
  fc.assert(
    fc.property(anyShape, (shape) => {
      const segments = segmentsOf(shape);
      const points = curvePoints(segments);
      t.deepEqual(points[0], { offset: 0, amount: 0n });
      t.is(points.at(-1)?.amount, shape.total_amount);
      for (const [index, { offset, amount }] of points.entries()) {
        t.true(offset >= (points[index - 1]?.offset ?? 0) && amount >= (points[index - 1]?.amount ?? 0n));
        t.true([vestedAt(segments, offset).amount, vestedAt(segments, offset - 1).amount].includes(amount));
      }
    }),
    runs,
  );
});

const shape: Shape = {
  stream_type: 'LINEAR',
  total_amount: 1_000n,
  start_time: 600_000_000,
  end_time: 600_000_100,
  cliff_timestamp: null,
  interval_seconds: null,
  hybrid_unlock_time: null,
  hybrid_upfront_percentage: null,
  tranche_schedule: null,
};

test('the segments are those of the table of the covenants', (t) => {
  const end = { offset: 100, cumulative: 1_000n, step: 0 };
  t.deepEqual(segmentsOf(shape), [{ offset: 0, cumulative: 0n, step: 1 }, end]);
  t.deepEqual(segmentsOf({ ...shape, cliff_timestamp: 600_000_025 }), [
    { offset: 25, cumulative: 250n, step: 1 },
    end,
  ]);
  t.deepEqual(segmentsOf({ ...shape, stream_type: 'STEP', interval_seconds: 20 }), [
    { offset: 0, cumulative: 0n, step: 20 },
    end,
  ]);
  t.deepEqual(
    segmentsOf({
      ...shape,
      stream_type: 'HYBRID',
      hybrid_unlock_time: 600_000_030,
      hybrid_upfront_percentage: '33.35',
    }),
    [{ offset: 30, cumulative: 333n, step: 1 }, end],
  );
  t.deepEqual(
    segmentsOf({
      ...shape,
      stream_type: 'TRANCHE',
      tranche_schedule: [
        { unlock_time: 600_000_010, amount: 300n },
        { unlock_time: 600_000_100, amount: 700n },
      ],
    }),
    [{ offset: 10, cumulative: 300n, step: 0 }, end],
  );
});

test('the templates are the eighteen of the catalog, and each preview ends at 100 percent on its last day', (t) => {
  t.is(TEMPLATES.length, 18);
  t.is(new Set(TEMPLATES.map(({ id }) => id)).size, 18);
  for (const template of TEMPLATES) {
    const preview = previewOf(template);
    t.deepEqual(preview[0], { day: 0, percent: 0 }, template.id);
    t.deepEqual(preview.at(-1), { day: template.durationDays, percent: 100 }, template.id);
    const sum = (template.tranchePercentages ?? [100]).reduce((held, percent) => held + percent, 0);
    t.is(sum, 100, template.id);
    t.is(template.trancheDays?.at(-1) ?? template.durationDays, template.durationDays, template.id);
  }
});

test('percentages of a total lose nothing: the last one takes what rounding leaves', (t) => {
  t.deepEqual(splitByPercentages(999n, [10, 20, 30, 40]), [99n, 199n, 299n, 402n]);
});
