/** Some of the mutants, the same for the same seed. */
import type { Unit } from './unit.js';

/** A generator of numbers from 0 to below 1 (mulberry32). */
const numbersFrom = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** The units with `count` names left in all of them together. */
export const sampleOf = (units: readonly Unit[], count: number, seed: number): Unit[] => {
  const next = numbersFrom(seed);
  const drawn = units
    .flatMap(({ names }) => names)
    .map((name) => ({ name, rank: next() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count);
  const chosen = new Set(drawn.map(({ name }) => name));
  return units.map((unit) => ({ ...unit, names: unit.names.filter((name) => chosen.has(name)) }));
};
