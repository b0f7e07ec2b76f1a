/**
 * Databases as a service has them: streams with an event, a row of the activity feed and a line of the log each. They are
 * written many rows at a time, by the layout of the store: `treasury database check` finds nothing wrong with them.
 */
import pg from 'pg';
import { z } from 'zod';
import { namespaceOf, type Namespace } from '../../src/adapters/postgres/layout.js';
import { createPositions } from '../../src/adapters/postgres/positions.js';
import { openPostgresStore, schemaOf } from '../../src/adapters/postgres/postgres-store.js';
import { toKey, toStoredJson } from '../../src/adapters/postgres/stored-text.js';
import { openDatabase } from '../../src/app.js';
import type { Network } from '../../src/bch/network.js';
import type { AnyCollection } from '../../src/operation/ports/store.js';
import { loadDeployables } from '../../src/products/index.js';
import { activityOf } from '../../src/products/streams/activity.js';
import { activityCollection, streamCollection } from '../../src/products/streams/index.js';
import type { StreamRecord } from '../../src/products/streams/stream.js';
import { eventLog } from '../../src/record/event-log.js';
import { eventCollection } from '../../src/record/events.js';
import { passLabels } from '../../src/record/labels.js';
import { eventOf, streamOf, toldOf } from '../scale.js';
import { multiplyStreams } from './multiply.js';

/** Rows that are written by one statement. */
const AT_ONCE = 1_000;
/** From so many on, indexes are made when all is there. */
const MANY = 50_000;

/** Streams that ended which the program writes itself: the others are like them, and stand at the addresses of these. */
const MODELS = 5_000;

/** A record in both forms, as the program sees it and as it is written, and where it stands. */
type Placed = {
  readonly record: { readonly id: string };
  readonly raw: { readonly id: string };
  readonly position: string;
};

export type Filling = {
  readonly url: string;
  readonly network: Network;
  /** The number of the first stream, and the number behind the last. */
  readonly from: number;
  readonly to: number;
  /** Which of them live: waiting for their funding. */
  readonly isAlive: (index: number) => boolean;
};

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // What is loaded here can be loaded again.
  await client.query('set synchronous_commit = off');
  return client;
};

const insert = async (
  client: pg.Client,
  { table, columns }: { readonly table: string; readonly columns: Readonly<Record<string, string>> },
  rows: readonly (readonly unknown[])[],
): Promise<void> => {
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map(
    (type, at) => `$${at + 1}::${type === 'jsonb' ? 'text' : type}[]`,
  );
  const taken = Object.entries(columns).map(([name, type]) =>
    type === 'jsonb' ? `u.${name}::jsonb` : `u.${name}`,
  );
  await client.query(
    `insert into ${table} (${names.join(', ')}) select ${taken.join(', ')} from unnest(${arrays.join(', ')}) as u (${names.join(', ')})`,
    names.map((_, at) => rows.map((row) => row[at])),
  );
};

const keysOf = (collection: AnyCollection, record: object): ReadonlyMap<string, readonly string[]> =>
  new Map(
    Object.entries(collection.indexes).map(([index, valuesOf]) => {
      const values = (valuesOf as (one: object) => string | readonly string[] | null)(record) ?? [];
      return [index, [...new Set(typeof values === 'string' ? [values] : values)].map(toKey)];
    }),
  );

const putAll = async (
  client: pg.Client,
  space: Namespace,
  [collection, records]: readonly [AnyCollection, readonly Placed[]],
): Promise<void> => {
  const { table, columns, sides } = space.tableOf(collection);
  const placed = records.map(({ record, raw, position }) => ({
    id: toKey(record.id),
    position,
    json: toStoredJson(JSON.stringify(raw)),
    keys: keysOf(collection, record),
  }));
  const own = Object.fromEntries(columns.map(({ column }) => [column, 'text']));
  await insert(
    client,
    { table, columns: { id: 'text', position: 'text', doc: 'jsonb', ...own } },
    placed.map(({ id, position: at, json, keys }) => [
      ...[id, at, json],
      ...columns.map(({ index }) => keys.get(index)?.[0] ?? null),
    ]),
  );
  for (const side of sides)
    await insert(
      client,
      { table: side.table, columns: { value: 'text', position: 'text', id: 'text' } },
      placed.flatMap(({ id, position: at, keys }) =>
        (keys.get(side.index) ?? []).map((value) => [value, at, id]),
      ),
    );
};

/** Streams, their events and rows, and the lines of the log. What differs between two of a kind is text. */
const makeStreams = async (network: Network) => {
  const deployables = await loadDeployables();
  const streams = deployables.find(({ collection }) => collection.name === streamCollection.name);
  const models = new Map<boolean, object>();
  return (index: number, isLiving: boolean) => {
    const bare = streamOf(index, network, isLiving);
    const address = streams?.contract(bare, network).address.text;
    const stream: StreamRecord = { ...bare, contract_address: address ?? bare.contract_address };
    const model = models.get(isLiving) ?? z.encode(streamCollection.schema, stream);
    models.set(isLiving, model);
    const { id, stream_id, on_chain_stream_id, contract_address, sender, recipient, tx_hash, last_tx_hash } =
      stream;
    const texts = {
      id,
      stream_id,
      on_chain_stream_id,
      contract_address,
      sender,
      recipient,
      tx_hash,
      last_tx_hash,
    };
    const { event, line } = toldOf(stream, eventOf(stream));
    const activity = activityOf(stream, event);
    return {
      stream: { record: stream, raw: { ...model, ...texts } },
      event: { record: event, raw: { ...event, amount: String(event.amount) } },
      activity: { record: activity, raw: activity },
      line,
    };
  };
};

/** Takes the indexes away that no statement here needs; returns what makes them again. */
const dropIndexes = async (client: pg.Client, schema: string): Promise<readonly string[]> => {
  type Made = { readonly drop: string; readonly make: string };
  const indexes = await client.query<Made>(
    `select format('drop index %I.%I', schemaname, indexname) as drop, indexdef as make from pg_indexes i where schemaname = $1 and not exists (select 1 from pg_constraint c where c.conname = i.indexname and c.connamespace = $1::regnamespace)`,
    [schema],
  );
  // The tables beside collections are written in the order of values, not of time.
  const keys = await client.query<Made>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop, format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make from pg_constraint where connamespace = $1::regnamespace and contype = 'p' and conrelid::regclass::text like '%\\_\\_%'`,
    [schema],
  );
  const dropped = [...indexes.rows, ...keys.rows];
  for (const { drop } of dropped) await client.query(drop);
  return dropped.map(({ make }) => make);
};

/** How many of the log's lines there are. */
const lastOf = async (client: pg.Client, { logs }: Namespace): Promise<number> => {
  const { rows } = await client.query<{ readonly last: string }>(`select last from ${logs} where name = $1`, [
    eventLog.name,
  ]);
  return Number(rows[0]?.last ?? 0);
};

type Pen = {
  readonly client: pg.Client;
  readonly space: Namespace;
  readonly make: Awaited<ReturnType<typeof makeStreams>>;
  /** Positions are those of this time, microseconds since 1970, and the number of the stream. */
  readonly began: number;
};

/** Writes streams by their numbers. */
const writeStreams = async (
  { client, space, make, began }: Pen,
  numbers: readonly number[],
  isAlive: (index: number) => boolean,
): Promise<void> => {
  let last = await lastOf(client, space);
  const positions = createPositions();
  for (let first = 0; first < numbers.length; first += AT_ONCE) {
    const made = numbers.slice(first, first + AT_ONCE).map((index) => ({
      ...make(index, isAlive(index)),
      position: positions.begin(began + index),
    }));
    await client.query('begin');
    for (const [collection, kind] of [
      [streamCollection, 'stream'],
      [eventCollection, 'event'],
      [activityCollection, 'activity'],
    ] as const)
      await putAll(client, space, [
        collection,
        made.map((one) => ({ ...one[kind], position: one.position() })),
      ]);
    await insert(
      client,
      { table: space.logTable(eventLog), columns: { position: 'text', sequence: 'bigint', entry: 'jsonb' } },
      made.map(({ line, position }) => [position(), (last += 1), JSON.stringify(line)]),
    );
    await client.query(`update ${space.logs} set last = $2 where name = $1`, [eventLog.name, last]);
    await client.query('commit');
  }
};

/**
 * Fills a database that has its tables with streams. Of many, those that live and {@link MODELS} others are written by
 * the program, and the database makes the rest of these.
 */
export const fillDatabase = async ({ url, network, from, to, isAlive }: Filling): Promise<void> => {
  const client = await connect(url);
  const schema = schemaOf(network);
  const space = namespaceOf(schema);
  const pen = { client, space, make: await makeStreams(network), began: Date.now() * 1_000 };
  const indexes = to - from > MANY ? await dropIndexes(client, schema) : [];
  const numbers = Array.from({ length: to - from }, (_, at) => from + at);
  // The newest: they stand at the addresses that their terms give, and lists begin with them.
  const models = new Set(numbers.filter((index) => !isAlive(index)).slice(-MODELS));
  const written = numbers.filter((index) => isAlive(index) || models.has(index));
  await writeStreams(pen, written, isAlive);
  if (written.length < numbers.length) {
    await client.query('analyze');
    await multiplyStreams(client, space, { from, to, began: pen.began, last: await lastOf(client, space) });
  }
  for (const made of indexes) await client.query(made);
  await client.query('vacuum analyze');
  await client.end();
  const store = await openPostgresStore({ url, schema, connections: 2 });
  const label = `#STREAM-${String(to).padStart(4, '0')}`;
  await store.transaction((writer) => passLabels(writer, [label], new Set(['STREAM'])));
  await store.close();
};

/** Makes the tables, and copies a home into them where one is given. */
export const makeTables = async (url: string, network: Network, folder: string | null): Promise<void> => {
  const database = await openDatabase({ url, connections: 3 }, network);
  try {
    await database.migrate();
    if (folder !== null) await database.copy('from', folder);
  } finally {
    await database.close();
  }
};
