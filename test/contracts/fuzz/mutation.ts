/** What a mutation is, and lists with one item changed. */
import type { Spend } from '../harness/spend.js';
import type { Base } from './base.js';
import type { Random } from './random.js';

/** Changes one thing of a spend. */
export type Mutation = (spend: Spend, base: Base, random: Random) => Spend;

/** The list with another item at an index. */
export const replaceAt = <T>(list: readonly T[], index: number, item: T): T[] =>
  list.map((before, at) => (at === index ? item : before));
/** The list with one item more. */
export const insertAt = <T>(list: readonly T[], index: number, item: T): T[] => [
  ...list.slice(0, index),
  item,
  ...list.slice(index),
];
/** The list with two items in each other's place. */
export const swap = <T>(list: readonly T[], a: number, b: number): T[] =>
  list.map((item, at) => (at === a ? (list[b] as T) : at === b ? (list[a] as T) : item));
