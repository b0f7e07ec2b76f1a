/** The store as the operations see it: collections of validated records, indexes, atomic transactions. */
import type { z } from 'zod';

/** What a change, or what is called inside one, may answer: it need not read. */
export type Awaitable<T> = T | Promise<T>;

/** Of what a store keeps: whatever has an id. */
export type RecordSchema = z.ZodType<{ readonly id: string }>;

/** A kind of record. Declared once beside the record's schema; the composition root hands all of them to the store. */
export type Collection<Schema extends RecordSchema = RecordSchema, Index extends string = string> = {
  readonly name: string;
  readonly schema: Schema;
  /**
   * What records are found by. A record stands under each value its function gives (null: under none).
   * No query scans: every `find` names an index or takes the whole collection in order.
   */
  readonly indexes: Readonly<Record<Index, (record: z.output<Schema>) => string | readonly string[] | null>>;
  /** Indexes under whose values no two records may stand. */
  readonly unique?: readonly string[];
  /** Indexes under more than one of whose values a record may stand: a database keeps these in a table of their own. */
  readonly many?: readonly string[];
  /**
   * Default 1. To be raised whenever an index function answers otherwise for a record that may be stored: what is stored
   * under the indexes of another revision is then worked out anew.
   */
  readonly revision?: number;
};

/** Declares a collection. */
export const defineCollection = <Schema extends RecordSchema, Index extends string = never>(
  collection: Collection<Schema, Index> & {
    readonly unique?: readonly NoInfer<Index>[];
    readonly many?: readonly NoInfer<Index>[];
  },
): Collection<Schema, Index> => collection;

/** A collection of whatever records. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyCollection = Collection<any>;

/** Of what a log keeps. */
export type LogSchema = z.ZodType<object>;

/**
 * A list that is only ever added to. Each entry has a number that rises in the order of commits, and is never given
 * again: entries are `{ sequence, ...entry }`. Nothing of one is changed or removed, so its schema reads what any earlier
 * version has written.
 */
export type Log<Schema extends LogSchema = LogSchema> = {
  /** Lower case letters: a folder of the home has it. */
  readonly name: string;
  /** Has no field `sequence` of its own. */
  readonly schema: Schema;
};

/** Declares a log. */
export const defineLog = <Schema extends LogSchema>(log: Log<Schema>): Log<Schema> => log;

/** Which entries of a log: those of a sequence above `after` (0: from the first on), at most `limit`. */
export type LogRange = { readonly after: number; readonly limit: number };

/** Entries in ascending order, and the newest sequence that there is (0: none). */
export type LogPage<T> = {
  readonly entries: readonly (T & { readonly sequence: number })[];
  readonly last: number;
};

/** Which records, in which order, which part. Records keep the order of their first `put`. */
export type Query<T, Index extends string = string> = {
  /** Index names to the value looked for (undefined: any); all of them must match. The smallest is walked. */
  readonly where?: Readonly<Partial<Record<Index, string | undefined>>>;
  /** A further condition, for what no index holds. */
  readonly filter?: (record: T) => boolean;
  /** Default `newest`. */
  readonly order?: 'newest' | 'oldest';
  readonly offset?: number;
  /** Default: all. */
  readonly limit?: number;
  /** Default true. False: nobody asks how many there are, and `total` is that of what is read. */
  readonly isCounted?: boolean;
};

export type Page<T> = { readonly items: readonly T[]; readonly total: number };

export type StoreReader = {
  readonly get: <Schema extends RecordSchema, Index extends string>(
    collection: Collection<Schema, Index>,
    id: string,
  ) => Promise<z.output<Schema> | null>;
  readonly find: <Schema extends RecordSchema, Index extends string>(
    collection: Collection<Schema, Index>,
    query?: Query<z.output<Schema>, NoInfer<Index>>,
  ) => Promise<Page<z.output<Schema>>>;
  /** Reads just the entries that are asked for, wherever in the log they lie. @throws store_damaged */
  readonly readLog: <Schema extends LogSchema>(
    log: Log<Schema>,
    range: LogRange,
  ) => Promise<LogPage<z.output<Schema>>>;
};

/**
 * The inside of a transaction: reads see what was put before them. What is written is not answered, so a store may
 * hold it back until the next read or the commit: nobody awaits it.
 */
export type StoreWriter = StoreReader & {
  /*
   * Of a log, a change reads what was there before it. Where entries are numbered only once they are committed (a shared
   * store), `last` is a number that rises from change to change and from entry to entry, and no sequence.
   */
  readonly put: <Schema extends RecordSchema, Index extends string>(
    collection: Collection<Schema, Index>,
    record: z.output<Schema>,
  ) => void;
  readonly remove: (collection: AnyCollection, id: string) => void;
  /** The next number of a named counter, from 1; none below `least`. */
  readonly next: (counter: string, least?: number) => Promise<number>;
  /** Adds an entry to a log, under the next sequence of it. */
  readonly append: <Schema extends LogSchema>(log: Log<Schema>, entry: z.output<Schema>) => void;
  /**
   * Lets the rest of the program have its turn, in a change of hundreds of records: nobody's request holds up everybody's.
   * No other change comes between, and whoever reads waits.
   */
  readonly rest: () => Promise<void>;
};

export type StorePort = StoreReader & {
  /** The time as the store knows it, milliseconds since 1970: what leases go by, and nothing else. */
  readonly time: () => Promise<number>;
  /** True: daemons of other machines may use it, so that a process id says nothing about who holds something. */
  readonly isShared: boolean;
  /** Takes in what other processes have committed: one fstat when there is nothing. Called before each operation. */
  readonly refresh: () => Promise<void>;
  /**
   * Runs `change` (alone, on the newest state) and returns when all of it is on disk; when it throws, nothing of it
   * happened. A change is a function of what it reads through its writer: it may be run more than once, and it awaits
   * nothing else.
   * @throws store_locked, store_damaged, storage_full, storage_read_only, store_conflict for a unique value that
   *   another record has, and whatever `change` throws
   */
  readonly transaction: <T>(change: (writer: StoreWriter) => Awaitable<T>) => Promise<T>;
  /** Resolves when a commit would find room now. @throws storage_full, storage_read_only, store_locked, store_damaged */
  readonly probe: () => Promise<void>;
  /** Folds the journal into a new snapshot and lets go of the files. */
  readonly close: () => Promise<void>;
};
