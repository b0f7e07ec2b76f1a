/** A record in its two forms: as it stands on disk and as the program sees it. */
import { z } from 'zod';
import type { AnyCollection, Collection } from '../../operation/ports/store.js';

/** A record as it stands on disk: what the collection's schema encodes to. */
export type RawRecord = { readonly id: string } & Readonly<Record<string, unknown>>;

/** Under which values of each index a record stands. */
export type Keys = Readonly<Record<string, readonly string[]>>;

/** A record as it is kept: its text, and what finds it. */
export type Row = {
  readonly id: string;
  /** The encoded side, as JSON. */
  readonly text: string;
  readonly keys: Keys;
};

/** A record that was read. */
export type ReadRow = Row & {
  /** The decoded side, deeply frozen. */
  readonly record: { readonly id: string };
};

/**
 * Called with a record of the disk that does not validate; says where it stands. `isChanged`: it has changed since the
 * snapshot that the memory reads from.
 */
export type OnBadRecord = (collection: string, id: string, problem: unknown, isChanged: boolean) => never;

/** Freezes what can be frozen: the elements of a typed array cannot. */
export const freezeDeep = (value: unknown): void => {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value))
    return;
  Object.freeze(value);
  for (const child of Object.values(value)) freezeDeep(child);
};

/**
 * The name under which an index is stored. Values that another revision of the collection has worked out are never
 * taken for those of this one.
 */
export const storedName = ({ revision = 1 }: AnyCollection, index: string): string =>
  revision === 1 ? index : `${index}@${revision}`;

/** The names under which a collection's indexes are stored. */
export const storedNames = (collection: AnyCollection): readonly string[] =>
  Object.keys(collection.indexes).map((index) => storedName(collection, index));

const keysOf = (collection: Collection, record: { readonly id: string }): Keys =>
  Object.fromEntries(
    Object.entries(collection.indexes).map(([name, valuesOf]) => {
      const values = valuesOf(record) ?? [];
      const different = typeof values === 'string' ? [values] : [...new Set(values)];
      if (different.length > 1 && collection.many?.includes(name) !== true)
        throw new Error(`${collection.name} is not declared to stand under many values of "${name}"`);
      return [storedName(collection, name), different];
    }),
  );

/** The row of a text, read each time; `schema`: the collection's own, or what does the same. @throws ZodError when the record does not validate */
export const readRow = (
  collection: Collection,
  text: string,
  schema: Collection['schema'] = collection.schema,
): ReadRow => {
  const raw = JSON.parse(text) as RawRecord;
  // Of a name alone, as who leases coins knows the records of others: read as they stand.
  if ((collection as Partial<Collection>).schema === undefined)
    return { id: raw.id, text, keys: {}, record: raw };
  const record = z.decode(schema, raw);
  freezeDeep(record);
  let keys: Keys | null = null;
  return {
    id: raw.id,
    text,
    // Only who changes it asks for them.
    get keys() {
      return (keys ??= keysOf(collection, record));
    },
    record,
  };
};

/** What a record is read from: a row in memory, or the text that the snapshot has. */
export type Source = Row | string;

/**
 * Reads records. What was read of late is kept, and as long as nobody has put the record again it is the same one:
 * whoever holds one and is given another looks again.
 */
export type RowReader = {
  /** `isOneOfMany`: does not drive out what was read by itself. @throws ZodError when the record does not validate */
  readonly read: (collection: AnyCollection, source: Source, isOneOfMany?: boolean) => ReadRow;
  /** The row of a text that is put, which is read by it too. @throws ZodError */
  readonly readNew: (collection: AnyCollection, text: string) => Row;
};

/** Rows that are kept of each collection, of either sort. */
const KEPT_ROWS = 1_000;

type KeptRows = Map<Source, ReadRow>;

/** Keeps a row as the one that was read last, and lets go of the one that nobody has read for the longest time. */
const keep = (rows: KeptRows, source: Source, row: ReadRow): void => {
  rows.delete(source);
  rows.set(source, row);
  for (const oldest of rows.keys()) {
    if (rows.size <= KEPT_ROWS) break;
    rows.delete(oldest);
  }
};

export const createRowReader = (): RowReader => {
  type Kept = { readonly single: KeptRows; readonly ofMany: KeptRows };
  const all = new WeakMap<AnyCollection, Kept>();
  const keptOf = (collection: AnyCollection): Kept => {
    const kept: Kept = all.get(collection) ?? { single: new Map(), ofMany: new Map() };
    all.set(collection, kept);
    return kept;
  };
  return {
    readNew: (collection, text) => {
      const read = readRow(collection, text);
      const row: Row = { id: read.id, text, keys: read.keys };
      keep(keptOf(collection).single, row, read);
      return row;
    },
    read: (collection, source, isOneOfMany = false) => {
      const kept = keptOf(collection);
      const find = (one: Source) => kept.single.get(one) ?? kept.ofMany.get(one);
      const text = typeof source === 'string' ? source : source.text;
      const row = find(source) ?? readRow(collection, text);
      const rows = isOneOfMany && !kept.single.has(source) ? kept.ofMany : kept.single;
      keep(rows, source, row);
      // A row in memory becomes the snapshot's with the next fold.
      if (source !== text && find(text) === undefined) keep(rows, text, row);
      return row;
    },
  };
};

/** What is wrong with a record, in one line: `totalAmount: Invalid input: expected bigint`. */
export const describeProblem = (error: unknown): string => {
  if (error instanceof z.ZodError) {
    return error.issues
      .map(({ path, message }) => `${path.join('.') || 'the record'}: ${message}`)
      .join('; ');
  }
  return error instanceof Error ? error.message : String(error);
};

/**
 * The row of a record to be put: encoded, written as JSON and read back, so that what is read is exactly what a
 * reload would give, and nothing that the caller can still change.
 * @throws Error naming collection, id and issue when the record does not validate: a defect of the caller
 */
export const rowToPut = <R extends Row>(
  { readNew }: { readonly readNew: (collection: AnyCollection, text: string) => R },
  collection: AnyCollection,
  record: { readonly id: string },
): R => {
  try {
    return readNew(collection, JSON.stringify(z.encode(collection.schema, record)));
  } catch (error) {
    throw new Error(`${collection.name} "${record.id}" cannot be stored: ${describeProblem(error)}`, {
      cause: error,
    });
  }
};
