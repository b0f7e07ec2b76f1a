/** The store as the operations see it: collections of validated records, indexes, atomic transactions. */
import type { z } from 'zod';

/** A kind of record. Declared once beside the record's schema; the composition root hands all of them to the store. */
export type Collection<
  Schema extends z.ZodType<{ readonly id: string }> = z.ZodType<{ readonly id: string }>,
> = {
  readonly name: string;
  readonly schema: Schema;
  /**
   * What records are found by. A record stands under each value its function gives (null: under none).
   * No query scans: every `find` names an index or takes the whole collection in order.
   */
  readonly indexes: Readonly<Record<string, (record: z.output<Schema>) => string | readonly string[] | null>>;
};

/** Declares a collection. */
export const defineCollection = <Schema extends z.ZodType<{ readonly id: string }>>(
  collection: Collection<Schema>,
): Collection<Schema> => collection;

export type RecordOf<C extends Collection> = z.output<C['schema']>;

/** Which records, in which order, which part. Records keep the order of their first `put`. */
export type Query<T> = {
  /** Index names to the value looked for; all of them must match. The smallest is walked. */
  readonly where?: Readonly<Record<string, string>>;
  /** A further condition, for what no index holds. */
  readonly filter?: (record: T) => boolean;
  /** Default `newest`. */
  readonly order?: 'newest' | 'oldest';
  readonly offset?: number;
  readonly limit?: number;
};

export type Page<T> = { readonly items: readonly T[]; readonly total: number };

export type StoreReader = {
  readonly get: <C extends Collection<any>>(collection: C, id: string) => RecordOf<C> | null; // eslint-disable-line @typescript-eslint/no-explicit-any
  readonly find: <C extends Collection<any>>(collection: C, query?: Query<RecordOf<C>>) => Page<RecordOf<C>>; // eslint-disable-line @typescript-eslint/no-explicit-any
};

/** The inside of a transaction: reads see what was put before them. */
export type StoreWriter = StoreReader & {
  readonly put: <C extends Collection<any>>(collection: C, record: RecordOf<C>) => void; // eslint-disable-line @typescript-eslint/no-explicit-any
  readonly remove: (collection: Collection<any>, id: string) => void; // eslint-disable-line @typescript-eslint/no-explicit-any
  /** The next number of a named counter, from 1; none below `least`. */
  readonly next: (counter: string, least?: number) => number;
};

export type StorePort = StoreReader & {
  /** Takes in what other processes have committed: one fstat when there is nothing. Called before each operation. */
  readonly refresh: () => Promise<void>;
  /**
   * Runs `change` (synchronously, alone, on the newest state) and returns when all of it is on disk;
   * when it throws, nothing of it happened.
   * @throws store_locked, store_damaged, storage_full, storage_read_only, and whatever `change` throws
   */
  readonly transaction: <T>(change: (writer: StoreWriter) => T) => Promise<T>;
  /** Resolves when a commit would find room now. @throws storage_full, storage_read_only, store_locked, store_damaged */
  readonly probe: () => Promise<void>;
  /** Folds the journal into a new snapshot and lets go of the files. */
  readonly close: () => Promise<void>;
};
