/** What two servers say of one script, compared as of the lower of their tips. Pure. */
import { outpointText, type Coin } from '../../bch/coins.js';
import type { HistoryEntry } from '../../operation/ports/chain.js';

/** Blocks by which servers may be apart without contradicting each other. */
export const LAG_BLOCKS = 2;

/** A line of one history that the other lacks, or has elsewhere. */
export type Difference = {
  readonly txid: string;
  readonly height: number;
  /** Who shows it. */
  readonly shownBy: 'first' | 'second';
};

const missing = (
  shown: readonly HistoryEntry[],
  other: readonly HistoryEntry[],
  upTo: number,
): { readonly txid: string; readonly height: number } | null => {
  const heights = new Map(other.map(({ txid, height }) => [txid, height]));
  for (const { txid, height } of shown) {
    if (height !== null && height <= upTo && heights.get(txid) !== height) return { txid, height };
  }
  return null;
};

/**
 * The first difference in what blocks up to a height hold; null when there is none. What is above it, and what waits
 * for a block, servers may see at different moments.
 */
export const findDifference = (
  first: readonly HistoryEntry[],
  second: readonly HistoryEntry[],
  upTo: number,
): Difference | null => {
  const shown = missing(first, second, upTo);
  if (shown !== null) return { ...shown, shownBy: 'first' };
  const hidden = missing(second, first, upTo);
  return hidden === null ? null : { ...hidden, shownBy: 'second' };
};

const inOrder = (a: HistoryEntry, b: HistoryEntry): number => (a.height ?? Infinity) - (b.height ?? Infinity);

/** Both histories as one: what only one of two servers has seen yet is in it. */
export const mergeHistories = (
  first: readonly HistoryEntry[],
  second: readonly HistoryEntry[],
): HistoryEntry[] => {
  const known = new Set(first.map(({ txid }) => txid));
  const added = second.filter(({ txid }) => !known.has(txid));
  // What a block holds comes first; the sort is stable, so that the order within a block stays.
  return added.length === 0 ? [...first] : [...first, ...added].sort(inOrder);
};

/** Outpoints of coins that one of two servers shows and the other does not. */
export const differingCoins = (first: readonly Coin[], second: readonly Coin[]): Coin[] => {
  const [a, b] = [new Set(first.map(outpointText)), new Set(second.map(outpointText))];
  return [
    ...first.filter((coin) => !b.has(outpointText(coin))),
    ...second.filter((coin) => !a.has(outpointText(coin))),
  ];
};
