/** Random numbers from a seed: the same seed, the same numbers, on every machine. */

export type Random = {
  /** An integer from 0 to `below - 1`. */
  readonly integer: (below: number) => number;
  /** True once in `outOf`. */
  readonly once: (outOf: number) => boolean;
  readonly pick: <T>(list: readonly T[]) => T;
  /** An amount up to `most`, near one of its ends as often as not. */
  readonly amount: (most: bigint) => bigint;
};

/** Mixes integers into 32 bits. Source: the finalizer of MurmurHash3. */
const mix = (numbers: readonly number[]): number =>
  numbers.reduce((state, number) => {
    let hash = (state ^ number) >>> 0;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) >>> 0;
  }, 0x9e3779b9);

/** A source of numbers. Source of the generator: Weyl sequence through the same finalizer. */
export const randomFrom = (...seeds: readonly number[]): Random => {
  let state = mix(seeds);
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    return mix([state]);
  };
  const integer = (below: number): number => Math.floor((next() / 2 ** 32) * below);
  const wide = (most: bigint): bigint => {
    const word = (BigInt(next()) << 32n) | BigInt(next());
    return word % (most + 1n);
  };
  return {
    integer,
    once: (outOf) => integer(outOf) === 0,
    pick: (list) => {
      const picked = list[integer(list.length)];
      if (picked === undefined) throw new Error('there is nothing to pick');
      return picked;
    },
    amount: (most) => {
      if (most <= 0n) return most;
      const near = BigInt(integer(3));
      const kinds = [near, most - near, wide(most), wide(most), most + near];
      const amount = kinds[integer(kinds.length)] ?? most;
      return amount < 0n ? 0n : amount;
    },
  };
};
