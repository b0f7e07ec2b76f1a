/**
 * The records of one collection: those of the snapshot, which lie in its file, and over them those that have changed
 * since, in memory. What finds a record is kept on both sides and never worked out anew.
 */
import type { AnyCollection, Query } from '../../operation/ports/store.js';
import { NO_ORDERS, type OrderList } from './order-list.js';
import {
  addSlot,
  createOrderedSlots,
  removeSlot,
  walkSlots,
  type OrderedSlots,
  type Slot,
} from './ordered-slots.js';
import { storedName, storedNames, type Keys, type ReadRow, type Row, type Source } from './record-row.js';
import type { KeptTable } from './snapshot-file.js';

/** A record that has changed since the snapshot; its row is null when it was removed. */
export type Entry = Slot<Row | null> & {
  /** What the snapshot has of it; null: nothing. */
  readonly base: { readonly order: number; readonly keys: Keys } | null;
};

/** What has changed under a value, or of all records. */
export type Changes = {
  /** Of the snapshot's records, the orders of those that changed: as they stand there, they count no more. */
  readonly gone: Set<number>;
  /** The changed records that stand there now. */
  readonly added: OrderedSlots<Row | null>;
};

export type Table = {
  readonly name: string;
  /** The stored names of the indexes that its rows have keys of; null: nobody knew, or not all rows have the same. */
  names: readonly string[] | null;
  readonly kept: KeptTable | null;
  readonly changed: Map<string, Entry>;
  readonly all: Changes;
  /** Index name, then value, to what has changed under it. */
  readonly indexes: Map<string, Map<string, Changes>>;
};

const createChanges = (): Changes => ({ gone: new Set(), added: createOrderedSlots() });

export const createTable = (
  name: string,
  names: readonly string[] | null,
  kept: KeptTable | null = null,
): Table => ({ name, names, kept, changed: new Map(), all: createChanges(), indexes: new Map() });

export const isSameNames = (one: readonly string[] | null, other: readonly string[]): boolean =>
  one !== null && one.length === other.length && other.every((name) => one.includes(name));

/** Calls `change` with what has changed of all, and under each of the keys; what is empty then is let go of. */
const changeUnder = (table: Table, keys: Keys, change: (changes: Changes) => void): void => {
  change(table.all);
  for (const [name, values] of Object.entries(keys)) {
    const index = table.indexes.get(name) ?? new Map<string, Changes>();
    table.indexes.set(name, index);
    for (const value of values) {
      const changes = index.get(value) ?? createChanges();
      change(changes);
      if (changes.gone.size === 0 && changes.added.size === 0) index.delete(value);
      else index.set(value, changes);
    }
  }
};

/** Puts one entry in the place of another; null stands for none: the record is as the snapshot has it. */
export const setEntry = (table: Table, before: Entry | null, after: Entry | null): void => {
  const entry = after ?? before;
  if (entry === null) return;
  if (before?.row)
    changeUnder(table, before.row.keys, ({ added }) => {
      removeSlot(added, before);
    });
  const base = entry.base;
  if (base !== null && (before === null) !== (after === null))
    changeUnder(table, base.keys, ({ gone }) => {
      if (after === null) gone.delete(base.order);
      else gone.add(base.order);
    });
  if (after?.row)
    changeUnder(table, after.row.keys, ({ added }) => {
      addSlot(added, after);
    });
  if (after === null) table.changed.delete(entry.id);
  else table.changed.set(entry.id, after);
};

/** What the record of an id is read from; null when there is none. @throws store_damaged */
export const sourceOf = ({ changed, kept }: Table, id: string): Source | null => {
  const entry = changed.get(id);
  if (entry !== undefined) return entry.row;
  const order = kept?.orderOf(id) ?? null;
  return kept === null || order === null ? null : kept.text(order);
};

/** All records in order. @throws store_damaged */
export function* allSources(table: Table): Generator<{ readonly order: number; readonly source: Source }> {
  for (const { order, row } of walkList(listOfAll(table), 'oldest'))
    yield { order, source: row ?? (table.kept as KeptTable).readText(order) };
}

/** The unique index under one of whose values a row would stand beside another record; null: none. */
export const takenIndex = (
  table: Table,
  collection: AnyCollection,
  { keys }: Row,
  held: Row | null,
): string | null => {
  const isTaken = (index: string): boolean => {
    const name = storedName(collection, index);
    return (keys[name] ?? []).some(
      (value) => held?.keys[name]?.includes(value) !== true && sizeOf(listUnder(table, name, value)) > 0,
    );
  };
  return collection.unique?.find(isTaken) ?? null;
};

/** The records under a value: those of the snapshot, without what has changed, and what has changed. */
type List = { readonly kept: OrderList; readonly changes: Changes | null };

const listUnder = ({ kept, indexes }: Table, name: string, value: string): List => ({
  kept: kept?.find(name, value) ?? NO_ORDERS,
  changes: indexes.get(name)?.get(value) ?? null,
});

const listOfAll = ({ kept, all }: Table): List => ({ kept: kept?.places() ?? NO_ORDERS, changes: all });

const sizeOf = ({ kept, changes }: List): number =>
  kept.size - (changes?.gone.size ?? 0) + (changes?.added.size ?? 0);

/** A record of a list; the row is null where the snapshot has it. */
type Listed = { readonly order: number; readonly row: Row | null };

const isUnchanged = ({ changes }: List): boolean =>
  changes === null || (changes.gone.size === 0 && changes.added.size === 0);

/** The records of a list, newest or oldest first; of one that is unchanged, those after the first `skipped`. */
function* walkList({ kept, changes }: List, order: 'newest' | 'oldest', skipped = 0): Generator<Listed> {
  const step = order === 'newest' ? -1 : 1;
  const slots = changes === null ? null : walkSlots(changes.added, order);
  let slot = slots?.next();
  const first = step === 1 ? skipped : kept.size - 1 - skipped;
  for (let index = first; index >= 0 && index < kept.size; index += step) {
    const next = kept.at(index);
    for (
      ;
      slot !== undefined && slot.done !== true && (slot.value.order - next) * step < 0;
      slot = slots?.next()
    )
      yield slot.value;
    if (changes?.gone.has(next) !== true) yield { order: next, row: null };
  }
  for (; slot !== undefined && slot.done !== true; slot = slots?.next()) yield slot.value;
}

/** The orders of a list, ascending. */
export const ordersOf = (table: Table, name: string, value: string): number[] =>
  Array.from(walkList(listUnder(table, name, value), 'oldest'), ({ order }) => order);

type Condition = { readonly name: string; readonly value: string; readonly list: List };

const conditionsOf = (table: Table, collection: AnyCollection, where: Query<unknown>['where']): Condition[] =>
  Object.entries(where ?? {}).flatMap(([index, value]) => {
    if (value === undefined) return [];
    if (!(index in collection.indexes))
      throw new Error(`the collection ${table.name} has no index "${index}"`);
    const name = storedName(collection, index);
    return [{ name, value, list: listUnder(table, name, value) }];
  });

const meets = ({ order, row }: Listed, { name, value, list }: Condition): boolean =>
  row === null ? list.kept.has(order) : row.keys[name]?.includes(value) === true;

/** What a query found: the texts of the page, and the number of all. */
export type FoundRows = { readonly items: readonly ReadRow[]; readonly total: number };

/** Answers a query: only the smallest list that its conditions name is walked, and none without need. */
export const findInTable = (
  table: Table,
  collection: AnyCollection,
  query: Query<unknown>,
  read: (source: Source) => ReadRow,
): FoundRows => {
  const { where, filter, order = 'newest', offset = 0, limit = Infinity } = query;
  const conditions = conditionsOf(table, collection, where);
  const smallest = conditions.toSorted((a, b) => sizeOf(a.list) - sizeOf(b.list))[0];
  const walked = smallest?.list ?? listOfAll(table);
  const others = conditions.filter((condition) => condition !== smallest);
  const readOne = (listed: Listed): ReadRow =>
    read(listed.row ?? (table.kept as KeptTable).text(listed.order));
  const isCounted = others.length === 0 && filter === undefined;
  const items: ReadRow[] = [];
  let total = isCounted && isUnchanged(walked) ? offset : 0;
  for (const listed of walkList(walked, order, total)) {
    if (isCounted && items.length >= limit) break;
    if (!others.every((condition) => meets(listed, condition))) continue;
    const row = filter === undefined ? null : readOne(listed);
    if (row !== null && filter?.(row.record) !== true) continue;
    if (total >= offset && items.length < limit) items.push(row ?? readOne(listed));
    total += 1;
  }
  return { items, total: isCounted ? sizeOf(walked) : total };
};

/** True when the rows have the keys of these very indexes. */
export const isIndexedBy = (table: Table, collection: AnyCollection): boolean =>
  isSameNames(table.names, storedNames(collection));
