/** What a store holds: its snapshot, what has changed since, and the reversible steps that change it. */
import type { AnyCollection } from '../../operation/ports/store.js';
import type { Change, Commit } from './journal-entry.js';
import {
  createRowReader,
  storedNames,
  type Keys,
  type OnBadRecord,
  type RawRecord,
  type ReadRow,
  type Row,
  type RowReader,
  type Source,
} from './record-row.js';
import type { LogMemory } from './log-memory.js';
import type { Segments } from './log-segments.js';
import { changeOfLog, createLogTable, doLogStep, stepOfLog, undoLogStep, type LogStep } from './log-table.js';
import type { SnapshotFile } from './snapshot-file.js';
import type { Snapshot } from './store-data.js';
import {
  allSources,
  createTable,
  isIndexedBy,
  isSameNames,
  setEntry,
  sourceOf,
  type Entry,
  type Table,
} from './table.js';

export type Memory = LogMemory & {
  /** The last commit that is held. */
  sequence: number;
  /** Order of the newest record: the next first put comes after it. */
  lastOrder: number;
  readonly tables: Map<string, Table>;
  readonly counters: Map<string, number>;
  /** The snapshot's file that the tables read from; null: everything is in memory. */
  readonly file: SnapshotFile | null;
  /** True when indexes had to be worked out that the next snapshot is to keep. */
  isUnkept: boolean;
  readonly rows: RowReader;
};

/** One change of memory, which can be done and undone. Null stands for no change since the snapshot. */
export type Step =
  | { readonly table: Table; readonly before: Entry | null; readonly after: Entry | null }
  | { readonly counter: string; readonly before: number; readonly after: number }
  | LogStep;

/** What memories are made with. */
export type MemoryOptions = {
  readonly onBadRecord: OnBadRecord;
  readonly rows?: RowReader;
  /** Where the logs lie. Default: nowhere. */
  readonly segments?: Segments | null;
};

/** Reads a record, by itself or as one of many. @throws what `onBadRecord` throws */
export const readIn = (
  memory: Memory,
  collection: AnyCollection,
  source: Source,
  isOneOfMany = false,
): ReadRow => {
  try {
    return memory.rows.read(collection, source, isOneOfMany);
  } catch (error) {
    const { id } = typeof source === 'string' ? (JSON.parse(source) as RawRecord) : source;
    const isChanged = memory.tables.get(collection.name)?.changed.has(id) === true;
    return memory.onBadRecord(collection.name, id, error, isChanged);
  }
};

/** The table of a name; a collection that nobody declared gets one too, so that nothing found on disk is lost. */
const tableOf = (memory: Memory, name: string, names: readonly string[] | null): Table => {
  const table = memory.tables.get(name) ?? createTable(name, names);
  memory.tables.set(name, table);
  return table;
};

/** The table with every record read, and found by the collection's indexes as they are now. */
const indexAnew = (memory: Memory, table: Table, collection: AnyCollection): Table => {
  const made = createTable(table.name, storedNames(collection));
  for (const { order, source } of allSources(table)) {
    const { id, text, keys } = readIn(memory, collection, source, true);
    setEntry(made, null, { id, order, row: { id, text, keys }, base: null });
  }
  return made;
};

/**
 * The table of a collection. Where its records were not kept under the indexes that the collection has, they are
 * worked out now.
 *
 * @throws what `onBadRecord` throws
 */
export const declaredTable = (memory: Memory, collection: AnyCollection): Table => {
  // Of a name alone, as who leases coins knows the records of others: they are only looked at.
  if ((collection as Partial<AnyCollection>).schema === undefined)
    return memory.tables.get(collection.name) ?? createTable(collection.name, []);
  const table = tableOf(memory, collection.name, storedNames(collection));
  if (isIndexedBy(table, collection)) return table;
  const made = indexAnew(memory, table, collection);
  memory.tables.set(collection.name, made);
  memory.isUnkept ||= made.changed.size > 0;
  return made;
};

/** The record of an id, or null. @throws store_damaged, and what `onBadRecord` throws */
export const getRow = (memory: Memory, collection: AnyCollection, id: string): ReadRow | null => {
  const source = sourceOf(declaredTable(memory, collection), id);
  return source === null ? null : readIn(memory, collection, source);
};

/** The entry of a record that is not changed yet, as the snapshot has it. */
const baseOf = (table: Table, { id, keys }: ReadRow): Entry['base'] => {
  const order = table.changed.has(id) ? null : (table.kept?.orderOf(id) ?? null);
  return order === null ? null : { order, keys };
};

/** The step that puts a row in the place of the one that is held (null: none); a new one comes last. */
export const putStep = (memory: Memory, table: Table, row: Row, held: ReadRow | null): Step => {
  const before = table.changed.get(row.id) ?? null;
  const base = before?.base ?? (held === null ? null : baseOf(table, held));
  if (held === null) memory.lastOrder += 1;
  const order = held === null ? memory.lastOrder : (before?.order ?? base?.order ?? memory.lastOrder);
  return { table, before, after: { id: row.id, order, row, base } };
};

/** The step that removes a record that is held. */
export const removeStep = (table: Table, held: ReadRow): Step => {
  const before = table.changed.get(held.id) ?? null;
  const base = before?.base ?? baseOf(table, held);
  const order = before?.order ?? base?.order ?? 0;
  return { table, before, after: base === null ? null : { id: held.id, order, row: null, base } };
};

export const counterStep = (memory: Memory, counter: string, after: number): Step => ({
  counter,
  before: memory.counters.get(counter) ?? 0,
  after,
});

const setStep = (memory: Memory, step: Step, side: 'before' | 'after'): void => {
  if ('log' in step) (side === 'after' ? doLogStep : undoLogStep)(step);
  else if ('table' in step) setEntry(step.table, step[side === 'after' ? 'before' : 'after'], step[side]);
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

/** The keys that a record had before a step; null when there was none. */
const keysBefore = ({ before, after }: Extract<Step, { readonly table: Table }>): Keys | null =>
  before === null ? (after?.base?.keys ?? null) : (before.row?.keys ?? null);

const isSame = (one: readonly string[] | undefined, other: readonly string[]): boolean =>
  one?.length === other.length && other.every((value, index) => one[index] === value);

/** A step as the journal writes it. */
export const changeOf = (step: Step): Change => {
  if ('log' in step) return changeOfLog(step);
  if (!('table' in step)) return { counter: step.counter, value: step.after };
  const { table, before, after } = step;
  const { name } = table;
  const was = keysBefore(step);
  if (after?.row) {
    const { order, row } = after;
    const differing = Object.entries(was ?? {}).filter(([index, values]) => !isSame(row.keys[index], values));
    const record = JSON.parse(row.text) as RawRecord;
    return {
      put: name,
      order,
      keys: row.keys,
      ...(was === null ? {} : { was: Object.fromEntries(differing) }),
      record,
    };
  }
  const { id, order } = (after ?? before) as Entry;
  return { remove: name, id, order: after?.base?.order ?? order, was: was ?? {} };
};

/** The step of a change that somebody else has written. */
const stepOf = (memory: Memory, change: Change): Step | null => {
  if ('counter' in change) return counterStep(memory, change.counter, change.value);
  if ('append' in change || 'log' in change) return stepOfLog(memory.logs, change);
  const isPut = 'put' in change;
  const id = isPut ? change.record.id : change.id;
  const keys = isPut ? (change.keys ?? {}) : {};
  const table = tableOf(memory, isPut ? change.put : change.remove, Object.keys(keys));
  const before = table.changed.get(id) ?? null;
  const order = change.order ?? table.kept?.orderOf(id) ?? 0;
  // Where it has not changed yet, it stands in the snapshot as it was before this change.
  const wasKept = before === null && table.kept !== null && change.was !== undefined;
  const base = before === null ? (wasKept ? { order, keys: { ...keys, ...change.was } } : null) : before.base;
  if (!isPut) {
    if (before === null && base === null) return null;
    return { table, before, after: base === null ? null : { id, order: base.order, row: null, base } };
  }
  // Another program's indexes: whoever asks next has them worked out.
  if (!isSameNames(table.names, Object.keys(keys))) table.names = null;
  const isHeld = before === null ? base !== null : before.row !== null;
  const held = before?.order ?? base?.order ?? 0;
  const row = { id, text: JSON.stringify(change.record), keys };
  return {
    table,
    before,
    after: { id, order: isHeld ? held : Math.max(order, memory.lastOrder + 1), row, base },
  };
};

/** Takes in commits of other processes, which must follow on what is held. */
export const applyCommits = (memory: Memory, commits: readonly Commit[]): void => {
  for (const { sequence, changes } of commits) {
    for (const change of changes) {
      const step = stepOf(memory, change);
      if (step === null) continue;
      doStep(memory, step);
      if ('table' in step) memory.lastOrder = Math.max(memory.lastOrder, step.after?.order ?? 0);
    }
    memory.sequence = sequence;
  }
};

/** A store over the file of a snapshot: nothing of it is read before somebody asks. */
export const memoryOver = (
  file: SnapshotFile,
  { onBadRecord, rows = createRowReader(), segments = null }: MemoryOptions,
): Memory => ({
  sequence: file.contents.sequence,
  lastOrder: file.contents.lastOrder,
  tables: new Map([...file.tables].map(([name, kept]) => [name, createTable(name, kept.names, kept)])),
  counters: new Map(Object.entries(file.contents.counters)),
  logs: new Map(
    Object.entries(file.contents.logs).map(([name, kept]) => [
      name,
      createLogTable(name, { kept, tail: [] }),
    ]),
  ),
  segments,
  file,
  isUnkept: false,
  rows,
  onBadRecord,
});

/** A store of what was read whole: its records are read, and found, as they are asked for. */
export const memoryOf = (
  snapshot: Snapshot,
  { onBadRecord, rows = createRowReader(), segments = null }: MemoryOptions,
): Memory => {
  const memory: Memory = {
    sequence: snapshot.sequence,
    lastOrder: 0,
    tables: new Map(),
    counters: new Map(Object.entries(snapshot.counters)),
    logs: new Map(
      Object.entries(snapshot.logs ?? {}).map(([name, log]) => [name, createLogTable(name, log)]),
    ),
    segments,
    file: null,
    isUnkept: true,
    rows,
    onBadRecord,
  };
  for (const [name, records] of Object.entries(snapshot.collections)) {
    const table = tableOf(memory, name, null);
    for (const record of records) {
      const row = { id: record.id, text: JSON.stringify(record), keys: {} };
      memory.lastOrder += 1;
      const before = table.changed.get(record.id) ?? null;
      setEntry(table, before, { id: record.id, order: before?.order ?? memory.lastOrder, row, base: null });
    }
  }
  return memory;
};

const rawOf = (source: Source): RawRecord =>
  JSON.parse(typeof source === 'string' ? source : source.text) as RawRecord;

/** All that is held, read. */
export const wholeOf = (memory: Memory, schema: number): Snapshot => ({
  schema,
  sequence: memory.sequence,
  counters: Object.fromEntries(memory.counters),
  logs: Object.fromEntries(
    [...memory.logs].map(([name, { kept, tail }]) => [name, { kept, tail: [...tail] }]),
  ),
  collections: Object.fromEntries(
    [...memory.tables].map(([name, table]) => [
      name,
      Array.from(allSources(table), ({ source }) => rawOf(source)),
    ]),
  ),
});
