/** Comparing a record with the chain: it is followed as a copy, folded again from its funding, and nothing is written. */
import { follow, refold, type ChainReader, type Followed } from './follow.js';

export type Comparison<R> = {
  /** The record followed to the tip. */
  readonly present: R;
  /** The record as every move from the funding on makes it. */
  readonly folded: R;
  /** Fields in which these two differ: the record does not say what happened. */
  readonly differing: readonly string[];
  /** Fields that have changed on chain since the record was written. */
  readonly behind: readonly string[];
};

/** Values as JSON, so that records of a store and of a file compare alike. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? one.toString() : one));

/** When a record was last touched says nothing of the money. */
const INCIDENTAL = ['updated_at'];

/** Names of the fields in which two records differ. */
const differences = <R extends object>(a: R, b: R): readonly string[] => {
  const [left, right] = [a, b] as unknown as readonly [Record<string, unknown>, Record<string, unknown>];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (name) => !INCIDENTAL.includes(name) && textOf(left[name]) !== textOf(right[name]),
  );
};

/**
 * How a record compares with the chain. What happened since it was written is no disagreement.
 *
 * @throws chain_unavailable; Error when the moves on chain cannot be read as this contract's
 * @example
 * const { present, differing } = await compareWithChain(counter, followedCounter, chain);
 * [present.status, differing]; // ['ENDED', []]
 */
export const compareWithChain = async <R extends object>(
  record: R,
  followed: Followed<R>,
  chain: ChainReader,
): Promise<Comparison<R>> => {
  const { record: present } = await follow(record, followed, chain);
  const { record: folded } = await refold(record, followed, chain);
  return {
    present,
    folded,
    differing: differences(present, folded),
    behind: differences(record, present),
  };
};
