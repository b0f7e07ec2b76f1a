/** Random choices that a seed decides. */
import { createHash } from 'node:crypto';

export type Random = {
  /** From 0 to below 1. */
  readonly next: () => number;
  /** True that often, from 0 to 1. */
  readonly chance: (often: number) => boolean;
  /** A whole number from `least` to `most`. */
  readonly whole: (least: number, most: number) => number;
  readonly pick: <T>(from: readonly T[]) => T;
  /** A key, as often as its weight says. */
  readonly weighed: <K extends string>(weights: Readonly<Record<K, number>>) => K;
  readonly bytes: (length: number) => Uint8Array;
};

/** Choices that the words decide: other words, other choices. Source: sfc32, of the PractRand suite. */
export const randomOf = (...words: readonly (string | number)[]): Random => {
  const digest = createHash('sha256').update(words.join('\n')).digest();
  let [a, b, c, d] = [0, 4, 8, 12].map((at) => digest.readUInt32LE(at)) as [number, number, number, number];
  const next32 = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  const next = (): number => next32() / 2 ** 32;
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const pick = <T>(from: readonly T[]): T => {
    const found = from[whole(0, from.length - 1)];
    if (found === undefined) throw new Error('there is nothing to pick from');
    return found;
  };
  return {
    next,
    chance: (often) => next() < often,
    whole,
    pick,
    weighed: <K extends string>(weights: Readonly<Record<K, number>>): K => {
      const entries = Object.entries(weights) as [K, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of entries) {
        left -= weight;
        if (left < 0) return key;
      }
      return pick(entries)[0];
    },
    bytes: (length) => Uint8Array.from({ length }, () => next32() & 0xff),
  };
};
