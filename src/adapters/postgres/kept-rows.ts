/**
 * Rows as they are read from their documents. What was asked for by itself is kept, and of pages what is read again: to
 * keep what nobody asks for twice costs more than to read it.
 */
import type { AnyCollection } from '../../operation/ports/store.js';
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

export const createRows = (): Rows => {
  const create = () => ({ rows: createKept<ReadRow>(), asked: createKept<true>() });
  const all = new WeakMap<AnyCollection, ReturnType<typeof create>>();
  return {
    read: (collection, { id, text, isOneOfMany }) => {
      const { rows, asked } = all.get(collection) ?? create();
      if (!all.has(collection)) all.set(collection, { rows, asked });
      const kept = rows.find(id);
      if (kept?.text === text) return kept;
      const row = readRow(collection, text);
      if (!isOneOfMany || asked.find(id) === true) rows.keep(id, row);
      else asked.keep(id, true);
      return row;
    },
  };
};
