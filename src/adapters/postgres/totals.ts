/** How many records a query is about. Up to a limit it is counted each time; beyond it, what was counted is kept a while. */
import type { DatabaseRow } from './connections.js';
import type { Selection } from './statements.js';

export const countOf = ([row]: readonly DatabaseRow[]): number => Number(row?.['count'] ?? 0);

type CountAll = () => Promise<readonly DatabaseRow[]>;

export type Totals = {
  /** How far whoever reads a page counts with it; null: all. */
  readonly most: number | null;
  /** What was counted before and may be said again; null: it is to be counted. */
  readonly kept: (selection: Selection, countAll: CountAll) => Promise<number> | null;
  /** The total, of which so many were counted just now. */
  readonly of: (selection: Selection, counted: number, countAll: CountAll) => Promise<number>;
};

/** Always all, as they are now: what a change reads. */
export const exactTotals: Totals = {
  most: null,
  kept: () => null,
  of: (_selection, counted) => Promise.resolve(counted),
};

/** Totals up to this are exact in every answer. */
export const EXACT_TOTAL = 10_000;
/** How old a larger total may be, milliseconds. */
const KEPT_MS = 10_000;
/** From this age on it is counted anew while it is still said: nobody waits for what others have asked for. */
const RENEWED_MS = 5_000;
const MOST_KEPT = 500;

type Kept = { readonly total: Promise<number>; readonly at: number; isRenewed: boolean };

/** Totals of lists for people: those above {@link EXACT_TOTAL} are up to ten seconds old. */
export const createKeptTotals = (now: () => number = Date.now): Totals => {
  const kept = new Map<string, Kept>();
  const keyOf = ({ from, values }: Selection): string => JSON.stringify([from, values]);
  const count = (key: string, countAll: CountAll): Kept => {
    const counting = { total: countAll().then(countOf), at: now(), isRenewed: false };
    counting.total.catch(() => {
      if (kept.get(key) === counting) kept.delete(key);
    });
    return counting;
  };
  const keep = (key: string, counted: Kept): void => {
    kept.delete(key);
    kept.set(key, counted);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  };
  return {
    most: EXACT_TOTAL + 1,
    kept: (selection, countAll) => {
      const key = keyOf(selection);
      const known = kept.get(key);
      if (known === undefined || now() - known.at >= KEPT_MS) return null;
      if (now() - known.at >= RENEWED_MS && !known.isRenewed) {
        known.isRenewed = true;
        const renewed = count(key, countAll);
        renewed.total.then(
          () => {
            keep(key, renewed);
          },
          () => undefined,
        );
      }
      return known.total;
    },
    of: (selection, counted, countAll) => {
      const key = keyOf(selection);
      if (counted <= EXACT_TOTAL) {
        kept.delete(key);
        return Promise.resolve(counted);
      }
      const counting = count(key, countAll);
      keep(key, counting);
      return counting.total;
    },
  };
};
