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
import { eventLog, uuidOf } from '../../src/record/event-log.js';
import { eventCollection } from '../../src/record/events.js';
import { passLabels } from '../../src/record/labels.js';
import { eventOf, START, streamOf } from '../scale.js';

/** Rows that are written by one statement. */
const AT_ONCE = 1_000;
/** From so many on, indexes are made when all is there. */
const MANY = 50_000;

/** A record in both forms: as the program sees it, and as it is written. */
type Both = { readonly record: { readonly id: string }; readonly raw: { readonly id: string } };

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
  { space, position }: { readonly space: Namespace; readonly position: () => string },
  [collection, records]: readonly [AnyCollection, readonly Both[]],
): Promise<void> => {
  const { table, columns, sides } = space.tableOf(collection);
  const placed = records.map(({ record, raw }) => ({
    id: toKey(record.id),
    position: position(),
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
    const address = isLiving ? streams?.contract(bare, network).address.text : undefined;
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
    const bareEvent = eventOf(stream);
    const told = uuidOf(START, bareEvent.id);
    const event = { ...bareEvent, told: [{ id: told, certainty: bareEvent.certainty }] };
    const activity = activityOf(stream, event);
    const line = {
      id: told,
      type: `stream.${event.event_type}`,
      time: START,
      certainty: event.certainty,
      was: null,
      subject: { kind: 'stream', label: stream.stream_id, id: stream.id },
      parties: [sender, recipient],
      data: {
        moveId: event.id,
        actor: event.actor,
        amount: '0.00000001',
        asset: 'BCH',
        height: event.height,
      },
      txHash: event.tx_hash,
      reverts: null,
    };
    return {
      stream: { record: stream, raw: { ...model, ...texts } },
      event: { record: event, raw: { ...event, amount: String(event.amount) } },
      activity: { record: activity, raw: activity },
      line,
    };
  };
};

/** Takes the indexes away that are no constraints; returns what makes them again. */
const dropIndexes = async (client: pg.Client, schema: string): Promise<readonly string[]> => {
  const { rows } = await client.query<{ readonly name: string; readonly made: string }>(
    `select i.indexname as name, i.indexdef as made from pg_indexes i where i.schemaname = $1 and not exists (select 1 from pg_constraint c where c.conname = i.indexname and c.connamespace = $1::regnamespace)`,
    [schema],
  );
  for (const { name } of rows) await client.query(`drop index "${schema}"."${name}"`);
  return rows.map(({ made }) => made);
};

/** Fills a database that has its tables with streams. */
export const fillDatabase = async ({ url, network, from, to, isAlive }: Filling): Promise<void> => {
  const client = await connect(url);
  const schema = schemaOf(network);
  const space = namespaceOf(schema);
  const make = await makeStreams(network);
  const positions = createPositions();
  const indexes = to - from > MANY ? await dropIndexes(client, schema) : [];
  const found = await client.query<{ readonly last: string }>(
    `select last from ${space.logs} where name = $1`,
    [eventLog.name],
  );
  let last = Number(found.rows[0]?.last ?? 0);
  for (let first = from; first < to; first += AT_ONCE) {
    const position = positions.begin(Date.now() * 1_000);
    const made = Array.from({ length: Math.min(AT_ONCE, to - first) }, (_, at) =>
      make(first + at, isAlive(first + at)),
    );
    await client.query('begin');
    for (const [collection, kind] of [
      [streamCollection, 'stream'],
      [eventCollection, 'event'],
      [activityCollection, 'activity'],
    ] as const)
      await putAll(client, { space, position }, [collection, made.map((one) => one[kind])]);
    await insert(
      client,
      { table: space.logTable(eventLog), columns: { position: 'text', sequence: 'bigint', entry: 'jsonb' } },
      made.map(({ line }) => [position(), (last += 1), JSON.stringify(line)]),
    );
    await client.query(`update ${space.logs} set last = $2 where name = $1`, [eventLog.name, last]);
    await client.query('commit');
    if (first % 50_000 === 0) console.error(`${new Date().toISOString()} ${first} of ${to}`);
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
