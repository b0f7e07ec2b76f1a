/**
 * Makes the tables that this version needs, and goes on from those of an earlier one. Only ever forward: nothing is taken
 * away, so the version before goes on reading, and writes as long as it knows all that is to be written.
 */
import { TreasuryError } from '../../errors.js';
import type { AnyCollection, Log } from '../../operation/ports/store.js';
import { keysOf } from './pending.js';
import { allOf, pause, TRIES, type Connections } from './connections.js';
import {
  basis,
  DATABASE_VERSION,
  OLDEST_WRITER,
  partOfLog,
  partsOf,
  type Namespace,
  type Part,
} from './layout.js';
import { freshRows } from './kept-rows.js';
import { readDocument, textOf } from './reader.js';
import { rowsOf } from './records.js';
import { sideStatements, type Statement } from './statements.js';

/** What is to be kept in a database. */
export type Kept = {
  readonly collections: readonly AnyCollection[];
  readonly logs: readonly Pick<Log, 'name' | 'schema'>[];
};

export type Migrating = Kept & {
  readonly connections: Connections;
  readonly space: Namespace;
  readonly shown: string;
};

/** What stands in a database, and what this version needs beside it. */
export type DatabaseState = {
  /** Null: there is nothing yet. */
  readonly version: number | null;
  readonly expected: number;
  /** Tables and columns that are to be made. */
  readonly missing: readonly string[];
};

const sql = (text: string): Statement => ({ text, values: [] });

const partsNeeded = ({ collections, logs, space }: Migrating) => [
  ...collections.flatMap((collection) =>
    partsOf(space, collection).map((part) => ({ ...part, collection: collection as AnyCollection | null })),
  ),
  ...logs.map((log) => ({ ...partOfLog(space, log), collection: null })),
];

const isMissingTable = (error: unknown): boolean =>
  ['42P01', '3F000'].includes(String((error as { readonly code?: unknown }).code));

const readOrNone = async (connections: Connections, statement: Statement) => {
  try {
    return await connections.read(statement);
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
};

/** Looks at what there is, and changes nothing. */
export const readDatabaseState = async (migrating: Migrating): Promise<DatabaseState> => {
  const { connections, space } = migrating;
  const [state] = await readOrNone(connections, sql(`select version from ${space.meta}`));
  const made = await readOrNone(connections, sql(`select name from ${space.parts}`));
  const known = new Set(made.map((row) => textOf(row, 'name')));
  return {
    version: state === undefined ? null : Number(state['version']),
    expected: DATABASE_VERSION,
    missing: partsNeeded(migrating).flatMap(({ name }) => (known.has(name) ? [] : [name])),
  };
};

/** Writes the values of one index of records that are there already. */
const fillIndex = async (
  { connections, space, shown }: Migrating,
  collection: AnyCollection,
  index: string,
): Promise<void> => {
  const layout = space.tableOf(collection);
  const column = layout.columns.find((one) => one.index === index)?.column ?? '';
  const side = layout.sides.find((one) => one.index === index);
  for await (const page of rowsOf(connections, space, collection)) {
    const statements = page.flatMap((row) => {
      const read = readDocument({ rows: freshRows, shown }, collection, row);
      const values = keysOf(collection, read).get(index) ?? [];
      const id = textOf(row, 'id');
      if (side !== undefined) return sideStatements(layout, side, { id, values });
      // What has been written since has its value already.
      return [
        {
          text: `update ${layout.table} set ${column} = $2 where id = $1 and doc = $3::jsonb`,
          values: [id, values[0] ?? null, textOf(row, 'doc')],
        },
      ];
    });
    await connections.hold(async ({ send }) => {
      await allOf([sql('begin isolation level serializable'), ...statements, sql('commit')].map(send));
    });
  }
};

/** Another migration makes the same at this moment. */
const isMeanwhile = (error: unknown): boolean =>
  ['23505', '42P07', '42701', 'XX000'].includes(String((error as { readonly code?: unknown }).code));

/** Makes things one after the other, each by itself: no transaction holds what makes tables. */
const makeAll = (connections: Connections, texts: readonly string[]): Promise<void> =>
  connections.hold(async ({ send }) => {
    for (const text of texts)
      for (let tried = 1; ; tried += 1) {
        try {
          await send(sql(text));
          break;
        } catch (error) {
          if (!isMeanwhile(error) || tried >= TRIES) throw error;
          await pause(tried);
        }
      }
  });

const makePart = async (
  migrating: Migrating,
  { name, make, fills, collection }: Part & { readonly collection: AnyCollection | null },
): Promise<void> => {
  const { connections, space } = migrating;
  await makeAll(connections, make);
  if (collection !== null && fills !== null) await fillIndex(migrating, collection, fills);
  await connections.hold(({ send }) =>
    send({ text: `insert into ${space.parts} (name) values ($1) on conflict do nothing`, values: [name] }),
  );
};

/** Names and notes have any character: a database of another encoding refuses some of them. @throws database_refused */
const requireEncoding = async ({ connections, shown }: Migrating): Promise<void> => {
  const [row] = await connections.read(sql('show server_encoding'));
  const encoding = textOf(row, 'server_encoding');
  if (encoding === 'UTF8') return;
  const reason = `its encoding is ${encoding}, and not UTF8: make it anew with \`create database … encoding 'UTF8' template template0\``;
  throw new TreasuryError('database_refused', { database: shown, reason });
};

/** What a migration has done. */
export type Migration = {
  readonly from: number | null;
  readonly to: number;
  readonly made: readonly string[];
};

/**
 * Makes what is missing, statement by statement: who is stopped half-way goes on where they stopped.
 *
 * @throws store_too_new where a newer version has been at work; database_refused for one of another encoding than UTF-8
 */
export const migrateDatabase = async (migrating: Migrating): Promise<Migration> => {
  const { connections, space, shown } = migrating;
  const before = await readDatabaseState(migrating);
  if (before.version !== null && before.version > DATABASE_VERSION)
    throw new TreasuryError('store_too_new', {
      file: shown,
      found: before.version,
      expected: DATABASE_VERSION,
    });
  if (before.version === DATABASE_VERSION && before.missing.length === 0)
    return { from: before.version, to: DATABASE_VERSION, made: [] };
  await requireEncoding(migrating);
  await makeAll(connections, basis(space));
  await connections.hold(async ({ send }) => {
    // An older program that may not write what is made now writes nothing from here on.
    if (before.version !== null)
      await send({
        text: `update ${space.meta} set oldest_writer = $1`,
        values: [OLDEST_WRITER],
      });
  });
  const missing = new Set((await readDatabaseState(migrating)).missing);
  for (const part of partsNeeded(migrating)) if (missing.has(part.name)) await makePart(migrating, part);
  // Only now: a newer program opens what is whole.
  await connections.hold(({ send }) =>
    send({
      text: `insert into ${space.meta} (one, version, oldest_writer) values (1, $1, $2) on conflict (one) do update set version = excluded.version, oldest_writer = excluded.oldest_writer`,
      values: [DATABASE_VERSION, OLDEST_WRITER],
    }),
  );
  return { from: before.version, to: DATABASE_VERSION, made: [...missing] };
};
