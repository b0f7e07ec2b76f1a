/** What is asked of a store while it is measured, and the bare statements that do the least for the same. */
import type pg from 'pg';
import { namespaceOf } from '../../src/adapters/postgres/layout.js';
import { schemaOf } from '../../src/adapters/postgres/postgres-store.js';
import type { Network } from '../../src/bch/network.js';
import type { StorePort } from '../../src/operation/ports/store.js';
import { activityOf } from '../../src/products/streams/activity.js';
import { activityCollection, streamCollection } from '../../src/products/streams/index.js';
import { eventLog, uuidOf } from '../../src/record/event-log.js';
import { eventCollection, moveId, writeMove, type MoveSubject } from '../../src/record/events.js';
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
        items.flatMap(({ id, stream_id: stream }) => [
          store.get(eventCollection, id),
          store.get(streamCollection, stream),
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

/** What a commit of the store writes of a claim, made without it. */
const claimOf = (stream: ReturnType<typeof streamOf>) => {
  const txHash = nextHash();
  const id = moveId(stream.id, { txHash, type: 'claimed' });
  const told = uuidOf(START, txHash);
  const event = {
    ...eventOf(stream),
    ...{ id, event_type: 'claimed', tx_hash: txHash, height: 1, certainty: 'safe', amount: '1' },
    told: [{ id: told, certainty: 'safe' }],
  };
  const { sender, recipient } = stream;
  const { actor, amount, decimals, height, details } = event;
  const line = {
    ...{ id: told, type: 'stream.claimed', time: START, certainty: 'safe', was: null, reverts: null, txHash },
    subject: { kind: 'stream', label: stream.stream_id, id: stream.id },
    parties: [sender, recipient],
    data: { moveId: id, actor, amount, amountOnChain: amount, asset: 'BCH', decimals, height, details },
  };
  // As long as those of the store, and in order like them.
  return { id, txHash, event, line, position: txHash.slice(0, 16) + txHash.slice(-16) };
};

/** What is shown of the records of a page, and of those that belong to them. */
type Shown = { readonly of: string; readonly shown: string; readonly joined?: string };

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
  /** Of a list its page and its total, which is one statement less than both by themselves. */
  const page = async (from: string, { of, shown, joined = '' }: Shown, value: string) => {
    const { rows } = await ask(
      `select ${shown}, (select count(*) from (select 1 from ${from} limit 10001) c) as count from (select position from ${from} order by position desc limit ${PAGE}) p join ${of} t on t.position = p.position ${joined} order by p.position desc`,
      [value],
    );
    return { rows, total: Number((rows[0] as { readonly count: string } | undefined)?.count ?? 0) };
  };
  const senderOf = (index: number): string => streamOf(index, network).sender;
  const idOf = (index: number): string => ids[index % ids.length] ?? '';
  /** All that a claim writes as one statement, which is cheaper than one for each table. */
  const writesOf = (
    stream: ReturnType<typeof streamOf>,
    { id, txHash, event, line, position }: ReturnType<typeof claimOf>,
    doc: object,
  ) => {
    const values: unknown[] = [];
    const place = (value: unknown): string => `$${values.push(value)}`;
    const put = (table: string, columns: Readonly<Record<string, unknown>>): string =>
      `insert into ${table} (${Object.keys(columns).join(', ')}) values (${Object.values(columns).map(place).join(', ')})`;
    const putMany = (index: string, parties: readonly string[]): string => {
      const own = `${place(position)}, ${place(id)}`;
      const found = parties.flatMap((one) => [one, `${one}|claimed`]);
      return `insert into ${sideOf(activity, index)} (value, position, id) values ${found.map((one) => `(${place(one)}, ${own})`).join(', ')}`;
    };
    const writes = [
      put(space.commits, { id: txHash }),
      `update ${streams.table} set version = version + 1, doc = ${place(doc)} where id = ${place(stream.id)}`,
      put(events.table, {
        ...{ id, position, doc: event },
        ...{ i_entity: stream.id, i_transaction: txHash, i_entity_type: 'stream', i_height: '1' },
      }),
      put(activity.table, {
        ...{ id, position, doc: activityOf(stream, event) },
        ...{ i_facet: 'claimed', i_stream: `${stream.id}|claimed` },
      }),
      putMany('sender', [stream.sender]),
      putMany('recipient', [stream.recipient]),
      putMany('address', [stream.sender, stream.recipient]),
    ].map((write, at) => `w${at} as (${write})`);
    const logged = put(space.logTable(eventLog), { position, entry: line });
    return { text: `with ${writes.join(', ')} ${logged}`, values };
  };
  const commitOnce = async (): Promise<void> => {
    const index = next();
    const stream = { ...streamOf(index, network), id: idOf(index) };
    const claim = claimOf(stream);
    const client = await pool.connect();
    try {
      const [, read] = await Promise.all([
        client.query('begin isolation level serializable'),
        client.query(`select doc from ${streams.table} where id = $1`, [stream.id]),
      ]);
      const doc = { ...(read.rows[0] as { readonly doc: object }).doc, last_tx_hash: claim.txHash };
      // Sent at once, as the store does: nothing waits but for what it needs.
      await Promise.all([client.query(writesOf(stream, claim, doc)), client.query('commit')]);
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
    'page by column': () =>
      page(`${streams.table} where i_facet = $1`, { of: streams.table, shown: 't.doc' }, 'PENDING'),
    'page by party': () => {
      const from = `${sideOf(streams, 'address')} where value = $1`;
      return page(from, { of: streams.table, shown: 't.doc' }, senderOf(next()));
    },
    activity: () => {
      const from = `${sideOf(activity, 'address')} where value = $1`;
      const joined = `join ${events.table} e on e.id = t.id join ${streams.table} s on s.id = t.doc->>'stream_id'`;
      const shown = 't.doc as row, e.doc as event, s.doc as stream';
      return page(from, { of: activity.table, shown, joined }, senderOf(next()));
    },
    commit,
  };
};
