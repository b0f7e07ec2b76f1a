/** The records of one collection in memory, by id, in order, and under their indexes. */
import type { AnyCollection, Page, Query } from '../../operation/ports/store.js';
import {
  addSlot,
  createOrderedSlots,
  pageOfSlots,
  removeSlot,
  walkSlots,
  type OrderedSlots,
  type Slot,
} from './ordered-slots.js';
import type { Row } from './record-row.js';

export type RecordSlot = Slot<Row>;

export type Table = {
  readonly name: string;
  /** Null for a collection that this version does not know: its records are kept as they are. */
  readonly collection: AnyCollection | null;
  readonly slots: Map<string, RecordSlot>;
  readonly all: OrderedSlots<Row>;
  /** Index name, then value, to the slots that stand under it. */
  readonly indexes: ReadonlyMap<string, Map<string, OrderedSlots<Row>>>;
};

export const createTable = (name: string, collection: AnyCollection | null): Table => ({
  name,
  collection,
  slots: new Map(),
  all: createOrderedSlots(),
  indexes: new Map(Object.keys(collection?.indexes ?? {}).map((index) => [index, new Map()])),
});

const addKey = (index: Map<string, OrderedSlots<Row>>, value: string, slot: RecordSlot): void => {
  let slots = index.get(value);
  if (slots === undefined) {
    slots = createOrderedSlots();
    index.set(value, slots);
  }
  addSlot(slots, slot);
};

const removeKey = (index: Map<string, OrderedSlots<Row>>, value: string, slot: RecordSlot): void => {
  const slots = index.get(value);
  if (slots === undefined) return;
  removeSlot(slots, slot);
  if (slots.size === 0) index.delete(value);
};

/** Moves a slot from the keys of one row to those of another; the keys that both have are not touched. */
const moveKeys = (table: Table, slot: RecordSlot, from: Row | null, to: Row | null): void => {
  for (const [name, index] of table.indexes) {
    const before = from?.keys[name] ?? [];
    const after = to?.keys[name] ?? [];
    for (const value of before) if (!after.includes(value)) removeKey(index, value, slot);
    for (const value of after) if (!before.includes(value)) addKey(index, value, slot);
  }
};

/** Puts a row into a slot (at the slot's place in the order), or with null takes the slot out. */
export const setSlot = (table: Table, slot: RecordSlot, row: Row | null): void => {
  const isHeld = table.slots.get(slot.id) === slot;
  moveKeys(table, slot, isHeld ? slot.row : null, row);
  if (row === null) {
    table.slots.delete(slot.id);
    removeSlot(table.all, slot);
    return;
  }
  slot.row = row;
  if (isHeld) return;
  table.slots.set(slot.id, slot);
  addSlot(table.all, slot);
};

/** The unique index under one of whose values a row would stand beside another record; null: none. */
export const takenIndex = (
  { collection, indexes, slots }: Table,
  { record: { id }, keys }: Row,
): string | null => {
  const held = slots.get(id)?.row.keys;
  const isTaken = (name: string) =>
    (keys[name] ?? []).some(
      (value) => held?.[name]?.includes(value) !== true && indexes.get(name)?.has(value),
    );
  return collection?.unique?.find(isTaken) ?? null;
};

type Condition = readonly [index: string, value: string];

/** The slots under each condition, fewest first; null when a condition has none. */
const slotsUnder = (table: Table, where: readonly Condition[]): OrderedSlots<Row>[] | null => {
  const lists: OrderedSlots<Row>[] = [];
  let isEmpty = false;
  for (const [name, value] of where) {
    const index = table.indexes.get(name);
    if (index === undefined) throw new Error(`the collection ${table.name} has no index "${name}"`);
    const list = index.get(value);
    if (list === undefined) isEmpty = true;
    else lists.push(list);
  }
  return isEmpty ? null : lists.sort((a, b) => a.size - b.size);
};

/** Answers a query: only the smallest list that its conditions name is walked, and none without need. */
export const findInTable = (table: Table, query: Query<unknown>): Page<unknown> => {
  const { where = {}, filter, order = 'newest', offset = 0, limit = Infinity } = query;
  const conditions = Object.entries(where).filter((one): one is [string, string] => one[1] !== undefined);
  const lists = slotsUnder(table, conditions);
  if (lists === null) return { items: [], total: 0 };
  const walked = lists[0] ?? table.all;
  if (lists.length <= 1 && filter === undefined) {
    return {
      items: pageOfSlots(walked, order, offset, limit).map(({ row }) => row.record),
      total: walked.size,
    };
  }
  const items: unknown[] = [];
  let total = 0;
  for (const { row } of walkSlots(walked, order)) {
    if (!conditions.every(([name, value]) => row.keys[name]?.includes(value) === true)) continue;
    if (filter !== undefined && !filter(row.record)) continue;
    if (total >= offset && items.length < limit) items.push(row.record);
    total += 1;
  }
  return { items, total };
};
