/** Whether a database says the same of its records everywhere: the documents, their columns, the tables beside them, the logs. */
import { z } from 'zod';
import type { AnyCollection, Log } from '../../operation/ports/store.js';
import { describeProblem, readRow } from '../store/record-row.js';
import { keysOf } from './pending.js';
import type { DatabaseRow } from './connections.js';
import type { SideTable } from './layout.js';
import type { Migrating } from './migrate.js';
import { textOf } from './reader.js';
import { RECORDS_AT_ONCE, rowsOf } from './records.js';
import { fromStoredJson, toKey } from './stored-text.js';
import type { StoredKeys } from './writes.js';

/** What was looked at, and what is wrong, each in words. */
export type DatabaseCheck = {
  readonly records: number;
  readonly entries: number;
  readonly faults: readonly string[];
};

type Looking = Migrating & { readonly faults: string[] };

/** The keys that the document of a row gives; null, and a fault, where it is none of its collection. */
const keysOfRow = ({ faults }: Looking, collection: AnyCollection, row: DatabaseRow): StoredKeys | null => {
  const id = textOf(row, 'id');
  try {
    const read = readRow(collection, fromStoredJson(textOf(row, 'doc')));
    if (toKey(read.id) !== id) faults.push(`${collection.name} "${id}" has the document of "${read.id}"`);
    return keysOf(collection, read);
  } catch (error) {
    faults.push(`${collection.name} "${id}" does not read: ${describeProblem(error)}`);
    return null;
  }
};

type PageOfKeys = readonly { readonly row: DatabaseRow; readonly keys: StoredKeys }[];

/** Compares what a table beside a collection says of the records of a page. */
const checkSide = async (
  looking: Looking,
  name: string,
  side: SideTable,
  page: PageOfKeys,
): Promise<void> => {
  const found = await looking.connections.read({
    text: `select id, position, value from ${side.table} where id = any($1::text[])`,
    values: [page.map(({ row }) => textOf(row, 'id'))],
  });
  const pairOf = (row: DatabaseRow) => JSON.stringify([row['id'], row['position'], row['value']]);
  const there = new Set(found.map(pairOf));
  const expected = new Set(
    page.flatMap(({ row, keys }) =>
      (keys.get(side.index) ?? []).map((value) =>
        pairOf({ id: row['id'], position: row['position'], value }),
      ),
    ),
  );
  for (const one of expected) if (!there.has(one)) looking.faults.push(`${name}: ${side.index} lacks ${one}`);
  for (const one of there)
    if (!expected.has(one)) looking.faults.push(`${name}: ${side.index} has ${one} too much`);
};

const checkCollection = async (looking: Looking, collection: AnyCollection): Promise<number> => {
  const { connections, space, faults } = looking;
  const { table, name, columns, sides } = space.tableOf(collection);
  let records = 0;
  for await (const rows of rowsOf(connections, space, collection, columns)) {
    records += rows.length;
    const page = rows.flatMap((row) => {
      const keys = keysOfRow(looking, collection, row);
      return keys === null ? [] : [{ row, keys }];
    });
    for (const { row, keys } of page)
      for (const { index, column } of columns) {
        const there: unknown = row[column.slice(1, -1)] ?? null;
        const expected = keys.get(index)?.[0] ?? null;
        if (there !== expected)
          faults.push(
            `${name} "${textOf(row, 'id')}" is found by ${index} "${String(there)}", and its document says "${String(expected)}"`,
          );
      }
    for (const side of sides) await checkSide(looking, name, side, page);
  }
  for (const side of sides) {
    const stray = await connections.read({
      text: `select s.id, s.value from ${side.table} s left join ${table} t on t.id = s.id and t.position = s.position where t.id is null limit ${RECORDS_AT_ONCE}`,
      values: [],
    });
    for (const row of stray)
      faults.push(
        `${name}: ${side.index} "${textOf(row, 'value')}" leads to "${textOf(row, 'id')}", which is not there`,
      );
  }
  return records;
};

const checkLog = async (
  { connections, space, faults }: Looking,
  log: Pick<Log, 'name' | 'schema'>,
): Promise<number> => {
  const table = space.logTable(log);
  let [expected, after] = [1, 0];
  for (;;) {
    const rows = await connections.read({
      text: `select sequence, entry::text as entry from ${table} where sequence > $1 order by sequence limit ${RECORDS_AT_ONCE}`,
      values: [after],
    });
    for (const row of rows) {
      after = Number(textOf(row, 'sequence'));
      if (after !== expected) faults.push(`${log.name}: after ${expected - 1} comes ${after}`);
      expected = after + 1;
      const read = z.safeDecode(log.schema, JSON.parse(fromStoredJson(textOf(row, 'entry'))));
      if (!read.success) faults.push(`${log.name} ${after} does not read: ${describeProblem(read.error)}`);
    }
    if (rows.length < RECORDS_AT_ONCE) break;
  }
  const [state] = await connections.read({
    text: `select last from ${space.logs} where name = $1`,
    values: [log.name],
  });
  if (Number(textOf(state, 'last')) !== after)
    faults.push(`${log.name}: the newest is ${after}, and ${textOf(state, 'last')} was given last`);
  return expected - 1;
};

/** Reads everything. Meant for a database that nobody writes to meanwhile: a change between two reads looks like a fault. */
export const checkDatabase = async (migrating: Migrating): Promise<DatabaseCheck> => {
  const looking: Looking = { ...migrating, faults: [] };
  let [records, entries] = [0, 0];
  for (const collection of migrating.collections) records += await checkCollection(looking, collection);
  for (const log of migrating.logs) entries += await checkLog(looking, log);
  return { records, entries, faults: looking.faults };
};
