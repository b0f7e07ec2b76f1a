/** The store in memory, and the reversible steps that change it. */
import type { AnyCollection } from '../../operation/ports/store.js';
import type { Change, Commit } from './journal-entry.js';
import { rowFromDisk, type RawRecord, type Row } from './record-row.js';
import type { Snapshot } from './store-data.js';
import { walkSlots } from './ordered-slots.js';
import { createTable, setSlot, type RecordSlot, type Table } from './table.js';

export type Memory = {
  /** The last commit that is held. */
  sequence: number;
  /** Order of the newest slot: the next first put comes after it. */
  lastOrder: number;
  readonly tables: Map<string, Table>;
  readonly counters: Map<string, number>;
  readonly onBadRecord: OnBadRecord;
};

/** One change of memory, which can be done and undone. Null stands for no record. */
export type Step =
  | {
      readonly table: Table;
      readonly slot: RecordSlot;
      readonly before: Row | null;
      readonly after: Row | null;
    }
  | { readonly counter: string; readonly before: number; readonly after: number };

export type DeclaredTable = Table & { readonly collection: AnyCollection };

const isDeclared = (table: Table): table is DeclaredTable => table.collection !== null;

/** Called with a record of the disk that does not validate; says where it stands. */
export type OnBadRecord = (collection: string, id: string, problem: unknown) => never;

/** The table of a name; a collection that nobody declared gets one too, so that nothing found on disk is lost. */
export const tableOf = (memory: Memory, name: string): Table => {
  let table = memory.tables.get(name);
  if (table === undefined) {
    table = createTable(name, null);
    memory.tables.set(name, table);
  }
  return table;
};

/**
 * The table of a collection. What was found on disk before anybody declared the collection is validated and indexed now.
 *
 * @throws what `onBadRecord` throws
 */
export const declaredTable = (memory: Memory, collection: AnyCollection): DeclaredTable => {
  const found = tableOf(memory, collection.name);
  // Of a name alone, as who leases coins knows the records of others: read as they stand.
  if (isDeclared(found) || (collection as Partial<AnyCollection>).schema === undefined)
    return found as DeclaredTable;
  const table = createTable(collection.name, collection);
  for (const slot of walkSlots(found.all, 'oldest')) {
    setSlot(table, { ...slot }, decodeRow(table, slot.row.raw, memory.onBadRecord));
  }
  memory.tables.set(collection.name, table);
  return table as DeclaredTable;
};

/** The step that puts a row: into the slot of its id, or into a new one that comes last. */
export const putStep = (memory: Memory, table: Table, row: Row): Step => {
  const held = table.slots.get(row.record.id);
  if (held !== undefined) return { table, slot: held, before: held.row, after: row };
  memory.lastOrder += 1;
  return { table, slot: { id: row.record.id, order: memory.lastOrder, row }, before: null, after: row };
};

/** The step that removes a record, or null when there is none of that id. */
export const removeStep = (table: Table, id: string): Step | null => {
  const slot = table.slots.get(id);
  return slot === undefined ? null : { table, slot, before: slot.row, after: null };
};

export const counterStep = (memory: Memory, counter: string, after: number): Step => ({
  counter,
  before: memory.counters.get(counter) ?? 0,
  after,
});

const setStep = (memory: Memory, step: Step, side: 'before' | 'after'): void => {
  if ('table' in step) setSlot(step.table, step.slot, step[side]);
  else if (step[side] === 0) memory.counters.delete(step.counter);
  else memory.counters.set(step.counter, step[side]);
};

export const doStep = (memory: Memory, step: Step): void => {
  setStep(memory, step, 'after');
};

/** Undoes steps, the last one first. */
export const undoSteps = (memory: Memory, steps: readonly Step[]): void => {
  for (const step of steps.toReversed()) setStep(memory, step, 'before');
};

/** A step as the journal writes it. */
export const changeOf = (step: Step): Change => {
  if (!('table' in step)) return { counter: step.counter, value: step.after };
  const { name } = step.table;
  return step.after === null ? { remove: name, id: step.slot.id } : { put: name, record: step.after.raw };
};

const decodeRow = (table: Table, raw: RawRecord, onBadRecord: OnBadRecord): Row => {
  try {
    return rowFromDisk(table.collection, raw);
  } catch (error) {
    return onBadRecord(table.name, raw.id, error);
  }
};

const stepOf = (memory: Memory, change: Change, onBadRecord: OnBadRecord): Step | null => {
  if ('counter' in change) return counterStep(memory, change.counter, change.value);
  if ('remove' in change) return removeStep(tableOf(memory, change.remove), change.id);
  const table = tableOf(memory, change.put);
  return putStep(memory, table, decodeRow(table, change.record, onBadRecord));
};

/** Takes in commits of other processes, which must follow on what is held. */
export const applyCommits = (memory: Memory, commits: readonly Commit[], onBadRecord: OnBadRecord): void => {
  for (const { sequence, changes } of commits) {
    for (const change of changes) {
      const step = stepOf(memory, change, onBadRecord);
      if (step !== null) doStep(memory, step);
    }
    memory.sequence = sequence;
  }
};

/** A snapshot in memory: every record decoded, validated and indexed. */
export const loadMemory = (
  snapshot: Snapshot,
  collections: readonly AnyCollection[],
  onBadRecord: OnBadRecord,
): Memory => {
  const memory: Memory = {
    sequence: snapshot.sequence,
    lastOrder: 0,
    tables: new Map(
      collections.map((collection) => [collection.name, createTable(collection.name, collection)]),
    ),
    counters: new Map(Object.entries(snapshot.counters)),
    onBadRecord,
  };
  for (const [name, records] of Object.entries(snapshot.collections)) {
    const table = tableOf(memory, name);
    for (const raw of records) doStep(memory, putStep(memory, table, decodeRow(table, raw, onBadRecord)));
  }
  return memory;
};

/** What is held, as a snapshot. */
export const snapshotOf = (memory: Memory, schema: number): Snapshot => ({
  schema,
  sequence: memory.sequence,
  counters: Object.fromEntries(memory.counters),
  collections: Object.fromEntries(
    [...memory.tables].map(([name, { all }]) => [
      name,
      Array.from(walkSlots(all, 'oldest'), ({ row }) => row.raw),
    ]),
  ),
});
