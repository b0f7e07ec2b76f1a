/** What concerns whoever has this home: what waits for them, what they can take, what falls due, what ends, what failed. */
import type { StoreReader } from '../operation/ports/store.js';

export const MATTER_KINDS = ['sign', 'claim', 'due', 'ends', 'failed', 'begin'] as const;

/** `sign` waits for a signature, `claim` can be taken now, `due` comes, `ends` runs dry, `failed` did, `begin` has no money yet. */
export type MatterKind = (typeof MATTER_KINDS)[number];

/** One of them. */
export type Matter = {
  readonly kind: MatterKind;
  /** What the record is called. */
  readonly label: string;
  /** In words, without the amount. */
  readonly what: string;
  /** Smallest unit; null where it is about no amount. */
  readonly amount: {
    readonly units: bigint;
    readonly decimals: number;
    readonly category: string | null;
  } | null;
  /** Unix seconds: when it falls due or ends; null where it is now. */
  readonly at: number | null;
  /** The command that acts on it, without the program's name; null where there is nothing to do but wait. */
  readonly command: string | null;
  /** Cash address of the one of the home's who acts. */
  readonly by: string;
  /** Where the page shows it, where its label does not say that. */
  readonly page?: string;
};

/** Whose matters are asked for, and when. */
export type Asked = {
  /** Cash addresses of this home's wallets. */
  readonly mine: readonly string[];
  /** Chain now, unix seconds. */
  readonly now: number;
  /** What falls due later than this is not told, unix seconds. */
  readonly until: number;
};

/** Reads the matters of a product from what is stored, through indexes. */
export type MattersOf = (store: StoreReader, asked: Asked) => Promise<readonly Matter[]>;

/** Of what was made and not funded, the newest of each product are told. */
export const BEGUN = 20;

/** The records that stand under an index with each of some values, newest first. */
export const underEach = async <R>(
  values: readonly string[],
  find: (value: string) => Promise<{ readonly items: readonly R[] }>,
): Promise<readonly R[]> => (await Promise.all(values.map(find))).flatMap(({ items }) => items);
