/** Numbers that terms are made of. */
import fc from 'fast-check';
import { NOW, type Asset } from '../harness/coins.js';

/** 32 bytes that make a deployment distinct. */
export const anyId: fc.Arbitrary<Uint8Array> = fc.uint8Array({ minLength: 32, maxLength: 32 });

/** When terms begin, unix seconds: around the chain's now. */
export const anyStart: fc.Arbitrary<number> = fc.integer({ min: NOW - 1_000_000, max: NOW + 1_000_000 });

/** Flags, mostly all of them. */
export const anyFlags = (...flags: readonly number[]): fc.Arbitrary<number> => {
  const all = flags.reduce((sum, flag) => sum | flag, 0);
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(all) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: all }).map((some) => some & all) },
  );
};

/** As many different integers from 0 to `most`, rising; sometimes a second apart. */
export const ascending = (count: number, most: number): fc.Arbitrary<number[]> =>
  fc
    .record({
      first: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: Math.floor(most / 4) })),
      gaps: fc.array(
        fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: Math.floor(most / count) })),
        { minLength: count - 1, maxLength: count - 1 },
      ),
    })
    .map(({ first, gaps }) => gaps.reduce((list, gap) => [...list, (list.at(-1) ?? 0) + gap], [first]));

/** The largest pool of a trace: half the satoshis there are, or half of what a token can have, for there are two pools. */
export const largestPool = (asset: Asset): bigint =>
  asset === 'BCH' ? 1_000_000_000_000_000n : 2n ** 62n - 1n;

/** A `pushMinimum`: none, one that nearly every push keeps, and one that only large ones keep. BCH: at least dust. */
export const anyLeast = (asset: Asset): fc.Arbitrary<bigint> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant(0n) },
    { weight: 3, arbitrary: fc.constant(asset === 'BCH' ? 546n : 1n) },
    { weight: 2, arbitrary: fc.bigInt({ min: 546n, max: 5_000n }) },
  );
