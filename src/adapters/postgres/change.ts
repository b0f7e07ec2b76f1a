/** One run of a change: what it reads comes from its transaction, what it writes is held back until it reads or ends. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnyCollection, Log, StoreReader, StoreWriter } from '../../operation/ports/store.js';
import { rowToPut, storedName, type ReadRow, type Row } from '../store/record-row.js';
import type { Connection } from './connections.js';
import type { Namespace } from './layout.js';
import { appendStatement, writtenEntry } from './logs.js';
import { getRow, recordReader, type Reading } from './reader.js';
import { putStatement, removeStatements, type Statement, type StoredKeys } from './statements.js';
import { toKey, toStoredJson } from './stored-text.js';
import { exactTotals } from './totals.js';

/** What a change stands in. */
export type ChangeScope = Omit<Reading, 'run' | 'totals'> & {
  readonly connection: Connection;
  /** The next position, once the time of the database is known. */
  readonly position: () => Promise<() => string>;
  /** Microseconds since 1970 in the database. */
  readonly time: () => Promise<number>;
  /** The next number of a counter, which is taken whatever becomes of this run. */
  readonly next: (counter: string, least: number) => Promise<number>;
  readonly readLog: StoreReader['readLog'];
};

/** A run of a change. */
export type RunningChange = {
  readonly writer: StoreWriter;
  /** What is not written yet, once. */
  readonly rest: () => Promise<readonly Statement[]>;
  /** True when anything was written. */
  readonly hasWritten: () => boolean;
  /** @throws what the first statement that failed was answered: whatever the change made of it, it cannot be committed */
  readonly requireSound: () => void;
  /** The writer refuses from now on. */
  readonly end: () => void;
};

/** What is known of a record: as it was read, or is to be written; null: there is none. */
type Known = { readonly row: Row | null; readonly keys: StoredKeys | null };
type Pending =
  | { readonly kind: 'remove'; readonly collection: AnyCollection; readonly id: string }
  | {
      readonly kind: 'put';
      readonly collection: AnyCollection;
      readonly id: string;
      readonly row: Row;
      /** Under which values it stands in the database; null: nobody has looked. */
      readonly before: StoredKeys | null;
      readonly isAnew: boolean;
    };

/** The values of a row as they are kept, by index. */
export const keysOf = (collection: AnyCollection, row: Row): StoredKeys =>
  new Map(
    Object.keys(collection.indexes).map((index) => [
      index,
      (row.keys[storedName(collection, index)] ?? []).map(toKey),
    ]),
  );

const NO_KEYS: StoredKeys = new Map();

/** What is written of a record. */
export const putStatements = (
  space: Namespace,
  { collection, id, row }: { readonly collection: AnyCollection; readonly id: string; readonly row: Row },
  { position, before }: { readonly position: string; readonly before: StoredKeys | null },
): readonly Statement[] => {
  const layout = space.tableOf(collection);
  const written = { id: toKey(id), position, json: toStoredJson(row.text), keys: keysOf(collection, row) };
  return [putStatement(layout, written, before)];
};

const createPending = (scope: ChangeScope) => {
  const { space } = scope;
  const known = new Map<string, Known>();
  const pending = new Map<string, Pending>();
  const entries: { readonly log: Log; readonly json: string }[] = [];
  const keyOf = ({ name }: AnyCollection, id: string): string => `${name} ${id}`;
  return {
    entries,
    /** Undefined: nobody has looked. */
    known: (collection: AnyCollection, id: string) => known.get(keyOf(collection, id)),
    learn: (collection: AnyCollection, id: string, row: ReadRow | null): void => {
      const keys = row === null ? NO_KEYS : keysOf(collection, row);
      known.set(keyOf(collection, id), { row, keys });
    },
    put: (collection: AnyCollection, row: Row): void => {
      const key = keyOf(collection, row.id);
      const held = pending.get(key);
      const before = known.get(key)?.keys ?? null;
      const put: Pending = {
        kind: 'put',
        collection,
        id: row.id,
        row,
        before,
        isAnew: held?.kind === 'remove',
      };
      if (held?.kind === 'put') {
        pending.set(key, { ...put, before: held.before, isAnew: held.isAnew });
      } else {
        // A record that was removed comes last.
        pending.delete(key);
        pending.set(key, put);
      }
      known.set(key, { row, keys: before });
    },
    remove: (collection: AnyCollection, id: string): void => {
      const key = keyOf(collection, id);
      pending.delete(key);
      pending.set(key, { kind: 'remove', collection, id });
      known.set(key, { row: null, keys: NO_KEYS });
    },
    isEmpty: () => pending.size === 0 && entries.length === 0,
    /** What writes all of it; nothing is held back then. */
    take: (position: () => string): readonly Statement[] => {
      const statements = [...pending.values()].flatMap((one) => {
        const removes = removeStatements(space.tableOf(one.collection), toKey(one.id));
        if (one.kind === 'remove') return removes;
        const puts = putStatements(space, one, {
          position: position(),
          before: one.isAnew ? NO_KEYS : one.before,
        });
        known.set(keyOf(one.collection, one.id), { row: one.row, keys: keysOf(one.collection, one.row) });
        return one.isAnew ? [...removes, ...puts] : puts;
      });
      pending.clear();
      const appended = entries
        .splice(0)
        .map(({ log, json }) => appendStatement(space, log, { position: position(), json }));
      return [...statements, ...appended];
    },
  };
};

/** What a run sends, and how it stands. */
const createSending = ({ connection, position }: ChangeScope, held: ReturnType<typeof createPending>) => {
  let isOver = false;
  const failures: unknown[] = [];
  const refuseOver = (): void => {
    if (isOver) throw new Error('this change of the store is over: write inside the function only');
  };
  const send = async (statement: Statement) => {
    refuseOver();
    try {
      return await connection.send(statement);
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  const rest = async (): Promise<readonly Statement[]> => (held.isEmpty() ? [] : held.take(await position()));
  const run: Reading['run'] = async (statement) => {
    // The server does one after the other: nobody waits for what is written.
    for (const write of await rest()) send(write).catch(() => undefined);
    return (await send(statement)).rows;
  };
  return {
    run,
    rest,
    refuseOver,
    requireSound: (): void => {
      const [first] = failures;
      if (first !== undefined) throw first as Error;
    },
    end: (): void => {
      isOver = true;
    },
  };
};

/** Begins a run. */
export const runningChange = (scope: ChangeScope): RunningChange => {
  const { rows } = scope;
  const held = createPending(scope);
  const { run, rest, refuseOver, requireSound, end } = createSending(scope, held);
  let [hasWritten, appended] = [false, 0];
  const reading: Reading = { ...scope, run, totals: exactTotals };
  const reader = recordReader(reading);
  const write = (): void => {
    refuseOver();
    hasWritten = true;
  };

  const writer: StoreWriter = {
    get: async (collection, id) => {
      refuseOver();
      const known = held.known(collection, id);
      if (known !== undefined)
        return (known.row === null ? null : rows.read(collection, known.row).record) as never;
      const row = await getRow(reading, collection, id);
      if (held.known(collection, id) === undefined) held.learn(collection, id, row);
      return (row?.record ?? null) as never;
    },
    find: reader.find,
    readLog: async (log, range) => {
      refuseOver();
      if (range.limit <= 0) return { entries: [], last: (await scope.time()) + appended };
      return scope.readLog(log, range);
    },
    put: (collection, record) => {
      write();
      held.put(collection, rowToPut(rows, collection, record));
    },
    remove: (collection, id) => {
      write();
      held.remove(collection, id);
    },
    next: (counter, least = 1) => {
      refuseOver();
      return scope.next(counter, least);
    },
    append: (log, entry) => {
      write();
      held.entries.push({ log, json: writtenEntry(log, entry) });
      appended += 1;
    },
    rest: () => nextTurn(),
  };
  return { writer, rest, hasWritten: () => hasWritten, requireSound, end };
};
