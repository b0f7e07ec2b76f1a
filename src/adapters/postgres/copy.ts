/**
 * Copies all that a home holds into a database, or back, and then compares the two: record by record in their order, entry
 * by entry with their sequences, counter by counter.
 */
import { isDeepStrictEqual } from 'node:util';
import { TreasuryError } from '../../errors.js';
import type { AnyCollection, Log, StorePort } from '../../operation/ports/store.js';
import type { JsonStore } from '../store/json-store.js';
import { readRow, rowToPut } from '../store/record-row.js';
import { allOf } from './connections.js';
import type { Migrating } from './migrate.js';
import { createPositions } from './positions.js';
import { freshRows } from './kept-rows.js';
import { writtenRecord } from './pending.js';
import { readDocument, textOf } from './reader.js';
import { RECORDS_AT_ONCE, rowsOf } from './records.js';
import { writtenEntry } from './logs.js';
import type { Statement } from './statements.js';
import { fromKey, toKey } from './stored-text.js';
import { insertRecord, pack } from './writes.js';

type Stored = { readonly id: string };
type Entry = { readonly sequence: number };

/** One of the two sides of a copy. */
export type Side = {
  /** For people. */
  readonly name: string;
  /** For people: how it is emptied. */
  readonly emptying: string;
  readonly records: (collection: AnyCollection) => AsyncGenerator<readonly Stored[]>;
  readonly entries: (log: Log) => AsyncGenerator<readonly Entry[]>;
  readonly counters: () => Promise<ReadonlyMap<string, number>>;
  readonly put: (collection: AnyCollection, records: readonly Stored[]) => Promise<void>;
  /** Entries with their sequences, which follow on what is there. */
  readonly append: (log: Log, entries: readonly Entry[]) => Promise<void>;
  readonly count: (counters: ReadonlyMap<string, number>) => Promise<void>;
};

const sql = (text: string): Statement => ({ text, values: [] });

async function* entriesOf(store: Pick<StorePort, 'readLog'>, log: Log): AsyncGenerator<readonly Entry[]> {
  for (let after = 0; ;) {
    const { entries } = await store.readLog(log, { after, limit: RECORDS_AT_ONCE });
    if (entries.length > 0) yield entries;
    if (entries.length < RECORDS_AT_ONCE) return;
    after = entries.at(-1)?.sequence ?? after;
  }
}

const withoutSequence = (entry: Entry): object => {
  const { sequence: _, ...rest } = entry;
  return rest;
};

/** A home's files. */
export const homeSide = (store: JsonStore, folder: string): Side => ({
  name: folder,
  emptying: `put treasury.json, treasury.journal and events/ of ${folder} away, and leave the keys where they are`,
  records: async function* records(collection) {
    for (let offset = 0; ; offset += RECORDS_AT_ONCE) {
      const { items } = await store.find(collection, { order: 'oldest', offset, limit: RECORDS_AT_ONCE });
      if (items.length > 0) yield items as readonly Stored[];
      if (items.length < RECORDS_AT_ONCE) return;
    }
  },
  entries: (log) => entriesOf(store, log),
  counters: () => Promise.resolve(store.counters()),
  put: (collection, records) =>
    store.transaction((writer) => {
      for (const record of records) writer.put(collection, record);
    }),
  append: (log, entries) =>
    store.transaction((writer) => {
      for (const entry of entries) writer.append(log, withoutSequence(entry));
    }),
  count: (counters) =>
    store.transaction(async (writer) => {
      for (const [counter, value] of counters) await writer.next(counter, value);
    }),
});

/** A database whose log has everything numbered. */
export const databaseSide = (migrating: Migrating, store: StorePort): Side => {
  const { connections, space, shown } = migrating;
  const positions = createPositions();
  const nextPosition = () => positions.begin(Date.now() * 1_000);
  const commit = (statements: readonly Statement[]): Promise<unknown> =>
    connections.hold(({ send }) =>
      allOf([sql('begin isolation level serializable'), ...statements, sql('commit')].map(send)),
    );
  return {
    name: shown,
    emptying: `\`drop schema ${space.name} cascade\` in it, then \`treasury database migrate\``,
    records: async function* records(collection) {
      for await (const page of rowsOf(connections, space, collection))
        yield page.map((row) => readDocument({ rows: freshRows, shown }, collection, row).record);
    },
    entries: (log) => entriesOf(store, log),
    counters: async () => {
      const found = await connections.read(sql(`select name, value from ${space.counters}`));
      return new Map(found.map((row) => [fromKey(textOf(row, 'name')), Number(textOf(row, 'value'))]));
    },
    put: async (collection, records) => {
      const next = nextPosition();
      await commit(
        pack(
          records.map((record) =>
            insertRecord(
              space.tableOf(collection),
              writtenRecord(collection, rowToPut({ readNew: readRow }, collection, record), next()),
            ),
          ),
        ),
      );
    },
    append: async (log, entries) => {
      const next = nextPosition();
      const last = entries.at(-1)?.sequence ?? 0;
      await commit([
        ...entries.map((entry) => ({
          text: `insert into ${space.logTable(log)} (position, sequence, entry) values ($1, $2, $3)`,
          values: [next(), entry.sequence, writtenEntry(log, withoutSequence(entry))],
        })),
        { text: `update ${space.logs} set last = $2 where name = $1`, values: [log.name, last] },
      ]);
    },
    count: async (counters) => {
      const text = `insert into ${space.counters} (name, value) values ($1, $2)`;
      await commit([...counters].map(([name, value]) => ({ text, values: [toKey(name), value] })));
    },
  };
};

/** What was copied, and compared. */
export type Copied = { readonly records: number; readonly entries: number; readonly counters: number };

export type Kinds = { readonly collections: readonly AnyCollection[]; readonly logs: readonly Log[] };

/** What is not the same on both sides. */
class Difference extends Error {}

/** Goes through two lists of pages side by side. @throws Difference where they are not the same */
const comparePages = async <T>(
  [one, other]: readonly [AsyncGenerator<readonly T[]>, AsyncGenerator<readonly T[]>],
  nameOf: (item: T) => string,
): Promise<number> => {
  let count = 0;
  for (;;) {
    const [{ value: mine = [], done }, { value: theirs = [] }] = (await Promise.all([
      one.next(),
      other.next(),
    ])) as readonly IteratorResult<readonly T[], undefined>[] as readonly [
      { readonly value?: readonly T[]; readonly done?: boolean },
      { readonly value?: readonly T[] },
    ];
    for (let at = 0; at < Math.max(mine.length, theirs.length); at += 1) {
      const [left, right] = [mine[at], theirs[at]];
      if (left === undefined || right === undefined || !isDeepStrictEqual(left, right))
        throw new Difference(`${nameOf((left ?? right) as T)} is not the same on both sides`);
    }
    count += mine.length;
    if (done === true && theirs.length === 0) return count;
  }
};

/** Compares two sides. @throws Difference, which names the first that is not the same */
const compareSides = async (from: Side, to: Side, { collections, logs }: Kinds): Promise<Copied> => {
  let [records, entries] = [0, 0];
  for (const collection of collections)
    records += await comparePages(
      [from.records(collection), to.records(collection)],
      ({ id }) => `${collection.name} "${id}"`,
    );
  for (const log of logs)
    entries += await comparePages(
      [from.entries(log), to.entries(log)],
      ({ sequence }) => `${log.name} ${sequence}`,
    );
  const [mine, theirs] = [await from.counters(), await to.counters()];
  for (const name of new Set([...mine.keys(), ...theirs.keys()]))
    if (mine.get(name) !== theirs.get(name))
      throw new Difference(`the counter ${name} is not the same on both sides`);
  return { records, entries, counters: mine.size };
};

/** @throws copy_target_used for a side that holds anything */
const requireEmpty = async (side: Side, { collections, logs }: Kinds): Promise<void> => {
  const lists = [
    ...collections.map((collection) => side.records(collection)),
    ...logs.map((log) => side.entries(log)),
  ];
  for (const pages of lists) {
    const first = await pages.next();
    await pages.return(undefined);
    if (first.done !== true)
      throw new TreasuryError('copy_target_used', { target: side.name, remedy: side.emptying });
  }
};

/**
 * Copies all of one side into the other, which must hold nothing, and compares the two.
 *
 * @throws copy_target_used, copy_differs (also: somebody wrote into the one that was copied), and what stores throw
 */
export const copySide = async (from: Side, to: Side, kinds: Kinds): Promise<Copied> => {
  await requireEmpty(to, kinds);
  for (const collection of kinds.collections)
    for await (const page of from.records(collection)) await to.put(collection, page);
  for (const log of kinds.logs) for await (const page of from.entries(log)) await to.append(log, page);
  await to.count(await from.counters());
  try {
    return await compareSides(from, to, kinds);
  } catch (error) {
    if (!(error instanceof Difference)) throw error;
    const remedy = `Stop whatever writes, empty what was copied to (${to.emptying}), and copy again`;
    throw new TreasuryError('copy_differs', { reason: error.message, remedy });
  }
};
