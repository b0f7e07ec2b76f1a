/** What is asked of a store while it is measured, and the bare statements that do the least for the same. */
import type pg from 'pg';
import { namespaceOf } from '../../src/adapters/postgres/layout.js';
import { schemaOf } from '../../src/adapters/postgres/postgres-store.js';
import type { Network } from '../../src/bch/network.js';
import type { StorePort } from '../../src/operation/ports/store.js';
import { activityOf } from '../../src/products/streams/activity.js';
import { activityCollection, streamCollection } from '../../src/products/streams/index.js';
import { eventLog } from '../../src/record/event-log.js';
import { eventCollection, writeMove, type MoveSubject } from '../../src/record/events.js';
import { eventOf, START, streamOf } from '../scale.js';

/** Asks once. Who asks next asks for something else. */
export type Work = () => Promise<unknown>;

export const WORK = ['get', 'get of 1,000', 'page by column', 'page by party', 'activity', 'commit'] as const;
export type WorkName = (typeof WORK)[number];

type Home = {
  readonly size: number;
  readonly network: Network;
  /** Of streams, in no order: those that are asked for. */
  readonly ids: readonly string[];
};

const PAGE = 20;
/** Records that are asked for again and again, as those that people look at. */
const HOT = 1_000;

/** Numbers of streams, far from each other. */
const numbers = (size: number) => {
  let turn = 0;
  return (): number => ((turn += 1) * 7_919) % size;
};

/** A claim of a stream, as a daemon takes it in. */
const subjectOf = (
  { id, stream_id: label, sender, recipient }: ReturnType<typeof streamOf>,
  network: Network,
): MoveSubject => ({
  entityType: 'stream',
  entityId: id,
  topic: { subject: { kind: 'stream', label, id }, parties: [sender, recipient], category: null },
  decimals: 8,
  network,
  now: START,
  price: null,
  tipHeight: 10,
});
let moves = 0;
/** Moves of this process never meet those of another run. */
const OWN = Math.floor(performance.timeOrigin).toString(16).padStart(16, '0');
const nextHash = (): string => OWN + (moves += 1).toString(16).padStart(48, '0');
const LOCK = new Uint8Array([0x76, 0xa9, 0x14, ...Array.from({ length: 20 }, () => 7), 0x88, 0xac]);

/** The work of a store. */
export const storeWork = (
  store: StorePort,
  { size, network, ids }: Home,
): Readonly<Record<WorkName, Work>> => {
  const next = numbers(size);
  const idOf = (index: number): string => ids[index % ids.length] ?? '';
  return {
    get: () => store.get(streamCollection, idOf(next())),
    'get of 1,000': () => store.get(streamCollection, idOf(next() % HOT)),
    'page by column': () => store.find(streamCollection, { where: { facet: 'PENDING' }, limit: PAGE }),
    'page by party': () =>
      store.find(streamCollection, { where: { address: streamOf(next(), network).sender }, limit: PAGE }),
    activity: async () => {
      const where = { address: streamOf(next(), network).sender };
      const { items, total } = await store.find(activityCollection, { where, limit: PAGE });
      const events = await Promise.all(
        items.map(async ({ id, stream_id: stream }) => [
          await store.get(eventCollection, id),
          await store.get(streamCollection, stream),
        ]),
      );
      return { events, total };
    },
    commit: () => {
      const index = next();
      const txHash = nextHash();
      return store.transaction(async (writer) => {
        const stream = await writer.get(streamCollection, idOf(index));
        if (stream === null) throw new Error(`there is no stream ${index}`);
        const move = {
          txHash,
          type: 'claimed',
          actorLock: LOCK,
          amount: 1n,
          details: {},
          height: 1,
          blockTime: START,
        };
        const event = await writeMove(writer, subjectOf(stream, network), move as never);
        writer.put(streamCollection, { ...stream, last_tx_hash: txHash });
        writer.put(activityCollection, activityOf(stream, event));
      });
    },
  };
};

/** The same with nothing but statements: what they answer is parsed, and that is all. */
export const bareWork = (pool: pg.Pool, { size, network, ids }: Home): Readonly<Record<WorkName, Work>> => {
  const space = namespaceOf(schemaOf(network));
  const streams = space.tableOf(streamCollection);
  const events = space.tableOf(eventCollection);
  const activity = space.tableOf(activityCollection);
  const sideOf = ({ sides }: typeof streams, index: string): string =>
    sides.find((side) => side.index === index)?.table ?? '';
  const next = numbers(size);
  const ask = (text: string, values: readonly unknown[]) => pool.query(text, [...values]);
  const get = (index: number) => ask(`select doc from ${streams.table} where id = $1`, [idOf(index)]);
  const page = async (of: typeof streams, from: string, value: string) => {
    const [found, counted] = await Promise.all([
      ask(
        `select t.doc from (select position from ${from} order by position desc limit ${PAGE}) p join ${of.table} t on t.position = p.position order by p.position desc`,
        [value],
      ),
      ask(`select count(*) from (select 1 from ${from} limit 10001) c`, [value]),
    ]);
    return { rows: found.rows, total: Number((counted.rows[0] as { count: string }).count) };
  };
  const senderOf = (index: number): string => streamOf(index, network).sender;
  const idOf = (index: number): string => ids[index % ids.length] ?? '';
  const commitOnce = async (): Promise<void> => {
    const index = next();
    const stream = { ...streamOf(index, network), id: idOf(index) };
    const event = { ...eventOf(stream), id: nextHash(), amount: '1' };
    const position = event.id;
    const client = await pool.connect();
    // Sent at once, as the store does: nothing waits but for what it needs.
    const put = (table: string, columns: Readonly<Record<string, unknown>>) =>
      client.query(
        `insert into ${table} (${Object.keys(columns).join(', ')}) values (${Object.keys(columns)
          .map((_, at) => `$${at + 1}`)
          .join(', ')})`,
        Object.values(columns),
      );
    const putMany = (index: string, values: readonly string[]) =>
      client.query(
        `insert into ${sideOf(activity, index)} (value, position, id) select v, $2, $3 from unnest($1::text[]) v`,
        [values.flatMap((one) => [one, `${one}|claimed`]), position, event.id],
      );
    try {
      const [, read] = await Promise.all([
        client.query('begin isolation level serializable'),
        client.query(`select doc from ${streams.table} where id = $1`, [stream.id]),
      ]);
      await Promise.all([
        client.query(`update ${streams.table} set doc = $2, version = version + 1 where id = $1`, [
          stream.id,
          { ...(read.rows[0] as { readonly doc: object }).doc, last_tx_hash: event.id },
        ]),
        put(events.table, {
          ...{ id: event.id, position, doc: event },
          ...{ i_entity: stream.id, i_transaction: event.id, i_entity_type: 'stream', i_height: '1' },
        }),
        put(activity.table, {
          ...{ id: event.id, position, doc: activityOf(stream, eventOf(stream)) },
          ...{ i_facet: 'claimed', i_stream: `${stream.id}|claimed` },
        }),
        putMany('sender', [stream.sender]),
        putMany('recipient', [stream.recipient]),
        putMany('address', [stream.sender, stream.recipient]),
        put(space.logTable(eventLog), { position, entry: event }),
        client.query('commit'),
      ]);
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  };
  /** One that met another is made again, as it is by the store. */
  const commit = async (): Promise<void> => {
    for (;;)
      try {
        await commitOnce();
        return;
      } catch (error) {
        if ((error as { readonly code?: string }).code !== '40001') throw error;
      }
  };
  return {
    get: () => get(next()),
    'get of 1,000': () => get(next() % HOT),
    'page by column': () => page(streams, `${streams.table} where i_facet = $1`, 'PENDING'),
    'page by party': () => page(streams, `${sideOf(streams, 'address')} where value = $1`, senderOf(next())),
    activity: async () => {
      const from = `${sideOf(activity, 'address')} where value = $1`;
      const value = senderOf(next());
      const [found, counted] = await Promise.all([
        ask(
          `select a.doc as row, e.doc as event, s.doc as stream from (select position from ${from} order by position desc limit ${PAGE}) p join ${activity.table} a on a.position = p.position join ${events.table} e on e.id = a.id join ${streams.table} s on s.id = a.doc->>'stream_id' order by p.position desc`,
          [value],
        ),
        ask(`select count(*) from (select 1 from ${from} limit 10001) c`, [value]),
      ]);
      return { rows: found.rows, total: counted.rows };
    },
    commit,
  };
};
