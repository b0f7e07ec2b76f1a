/**
 * Rows as they are read from their documents. What was asked for by itself is kept, and of pages what is read again: to
 * keep what nobody asks for twice costs more than to read it.
 */
import { z } from 'zod';
import type { AnyCollection, Collection, RecordSchema } from '../../operation/ports/store.js';
import { readRow, type ReadRow } from '../store/record-row.js';

/** A document, and the id of its column. */
type Document = { readonly id: string; readonly text: string; readonly isOneOfMany: boolean };

/** Reads rows: the same one as long as the document is the same, where it is kept. */
export type Rows = {
  /** @throws ZodError when the record does not validate */
  readonly read: (collection: AnyCollection, document: Document) => ReadRow;
};

/** Of each collection, in each of two generations. */
const MOST_KEPT = 1_000;

/** Keeps what was asked for of late: a second generation goes when a third begins. */
const createKept = <T>() => {
  let [young, old] = [new Map<string, T>(), new Map<string, T>()];
  const keep = (key: string, value: T): void => {
    if (young.size >= MOST_KEPT) [young, old] = [new Map<string, T>(), young];
    young.set(key, value);
  };
  const find = (key: string): T | undefined => {
    const found = young.get(key);
    if (found !== undefined) return found;
    const older = old.get(key);
    if (older !== undefined) keep(key, older);
    return older;
  };
  return { keep, find };
};

/** Keeps nothing. */
export const freshRows: Rows = { read: (collection, { text }) => readRow(collection, text) };

/** From so many reads on a schema is compiled: that takes milliseconds, which who reads little does not get back. */
const READS_TO_COMPILE = 200;

/** What reads records of a collection. It gives way to the schema itself wherever a record does not validate. */
const createSchema = (collection: AnyCollection): (() => RecordSchema | undefined) => {
  // A collection of a name alone has none.
  let { schema } = collection as Partial<Collection>;
  let reads = 0;
  return () => {
    reads += 1;
    if (reads === READS_TO_COMPILE && schema !== undefined) schema = z.compile(schema);
    return schema;
  };
};

export const createRows = (): Rows => {
  const create = (collection: AnyCollection) => ({
    /** A row, or that it was asked for. */
    kept: createKept<ReadRow | 'asked'>(),
    schema: createSchema(collection),
  });
  const all = new WeakMap<AnyCollection, ReturnType<typeof create>>();
  return {
    read: (collection, { id, text, isOneOfMany }) => {
      const { kept, schema } = all.get(collection) ?? create(collection);
      if (!all.has(collection)) all.set(collection, { kept, schema });
      const found = kept.find(id);
      if (found !== undefined && found !== 'asked' && found.text === text) return found;
      const row = readRow(collection, text, schema());
      kept.keep(id, isOneOfMany && found === undefined ? 'asked' : row);
      return row;
    },
  };
};
