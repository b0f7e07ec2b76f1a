import test from 'ava';
import { z } from 'zod';
import { TreasuryError } from '../../src/errors.js';
import type { Context } from '../../src/operation/context.js';
import { faultsOfLog, mendLog } from '../../src/record/check-log.js';
import { EVERY_RECORD, eventCollection, eventsOf, type EventRecord } from '../../src/record/events.js';
import { followRecord, rebuildRecord, type Following } from '../../src/record/follow.js';
import { defineCollection, type StorePort } from '../../src/operation/ports/store.js';
import {
  CounterRecord,
  CREATOR_LOCK,
  endOf,
  followedCounter,
  fundFrom,
  giveCoin,
  moveOn,
  pending,
} from '../covenant/counter.js';
import { onChain, scriptedChain, type ScriptedChain } from '../covenant/scripted-chain.js';
import { fakeContext, NOW, openMemoryStore } from '../operation/fake-context.js';

const counters = defineCollection({ name: 'counters', schema: CounterRecord, indexes: {} });
const rows = defineCollection({
  name: 'rows',
  schema: z.object({ id: z.string(), txHash: z.string(), seenAt: z.int() }),
  indexes: {},
});

const following: Following<CounterRecord> = {
  collection: counters,
  entityType: 'counter',
  followed: followedCounter,
  contract: () => ({ address: { text: 'counter' } }),
  decimals: () => 8,
  label: ({ id }) => `#${id}`,
  topic: ({ id }) => ({ subject: { kind: 'campaign', label: `#${id}`, id }, parties: [], category: null }),
  writeRow: (writer, _record, event, move) => {
    if (move.type === 'distribution')
      writer.put(rows, { id: event.id, txHash: move.txHash, seenAt: event.created_at });
  },
  retimeRow: async (writer, { id, created_at: seenAt }) => {
    const row = await writer.get(rows, id);
    if (row !== null) writer.put(rows, { ...row, seenAt });
  },
  removeRow: (writer, event) => {
    if (event.event_type === 'distribution') writer.remove(rows, event.id);
  },
};

/** An event without what the log was told of it. */
const untold = ({ told: _, ...event }: EventRecord) => event;

const creatorCoin = giveCoin(CREATOR_LOCK, 1);
const funding = fundFrom(creatorCoin);
const first = moveOn(funding, '01');
const second = moveOn(first, '02');

type Setting = {
  readonly chain: ScriptedChain;
  readonly context: Context;
  readonly look: () => Promise<CounterRecord>;
};

/** A pending counter in a store, and a chain that knows the creator's coin. */
const openSetting = async (wrap: (store: StorePort) => StorePort = (store) => store): Promise<Setting> => {
  const chain = scriptedChain();
  chain.add(creatorCoin, 1);
  const store = openMemoryStore([counters, rows, eventCollection]);
  await store.transaction((writer) => {
    writer.put(counters, pending);
  });
  const base = fakeContext();
  const context = {
    ...base,
    store: wrap(store),
    chain: {
      ...base.chain,
      coins: chain.coins,
      history: chain.history,
      transaction: chain.transaction,
      faultOf: chain.faultOf,
      tip: chain.tip,
    },
  };
  return { chain, context, look: () => followRecord(pending.id, following, context) };
};

const eventTypes = async ({ context }: Setting) =>
  (await eventsOf(context.store, pending.id)).map(({ event_type }) => event_type);

/** How often the store was written to. */
const countWrites = () => {
  const counted = { writes: 0 };
  const wrap = (store: StorePort): StorePort => ({
    ...store,
    transaction: (change) => {
      counted.writes += 1;
      return store.transaction(change);
    },
  });
  return { counted, wrap };
};

test('follow record › given a move › record, event and row are written', async (t) => {
  const setting = await openSetting();
  const { chain, context, look } = setting;
  chain.add(funding);
  chain.add(first);
  t.like(await look(), { status: 'LIVE', moves: 1 });
  t.deepEqual(await eventTypes(setting), ['distribution', 'funded']);
  t.deepEqual(
    (await context.store.find(rows)).items.map(({ txHash }) => txHash),
    [first.txid],
  );
  t.is((await context.store.get(counters, pending.id))?.moves, 1);
});

test('follow record › given the same chain again › nothing is written', async (t) => {
  const { counted, wrap } = countWrites();
  const { chain, look } = await openSetting(wrap);
  chain.add(funding, 2);
  const record = await look();
  const { writes } = counted;
  t.is(await look(), record);
  t.is(counted.writes, writes);
});

test('follow record › given a mempool move that was mined › its event gets height and time', async (t) => {
  const { chain, context, look } = await openSetting();
  chain.add(funding);
  await look();
  t.like((await eventsOf(context.store, pending.id))[0], { height: null, created_at: NOW });
  chain.add(funding, 7);
  await look();
  const { blockTime } = onChain(funding, 7);
  t.like((await eventsOf(context.store, pending.id))[0], { height: 7, created_at: blockTime ?? 0 });
});

test('follow record › given a mempool move that was mined › its row gets the time of the block', async (t) => {
  const { chain, context, look } = await openSetting();
  chain.add(funding, 2);
  chain.add(first);
  await look();
  t.is((await context.store.find(rows)).items[0]?.seenAt, NOW);
  chain.add(first, 7);
  await look();
  t.is((await context.store.find(rows)).items[0]?.seenAt, onChain(first, 7).blockTime ?? 0);
});

for (const [tip, certainty] of [
  [7, 'confirmed'],
  [11, 'confirmed'],
  [12, 'safe'],
  [40, 'safe'],
] as const) {
  test(`follow record › given a move of block 7 below a tip of ${tip} › its event is ${certainty}`, async (t) => {
    const { chain, context, look } = await openSetting();
    chain.add(funding);
    await look();
    t.is((await eventsOf(context.store, pending.id))[0]?.certainty, 'seen');
    chain.add(funding, 7);
    chain.grow(tip);
    await look();
    t.is((await eventsOf(context.store, pending.id))[0]?.certainty, certainty);
  });
}

test('follow record › given a move that came into another block › its event says so', async (t) => {
  const { chain, context, look } = await openSetting();
  chain.add(funding, 7);
  await look();
  chain.add(funding, 8);
  await look();
  const { blockTime } = onChain(funding, 8);
  t.like((await eventsOf(context.store, pending.id))[0], { height: 8, created_at: blockTime ?? 0 });
});

test('follow record › given a safe move of a live record › it is not asked for again', async (t) => {
  const { chain, look } = await openSetting();
  chain.add(funding, 2);
  await look();
  chain.asked.length = 0;
  await look();
  t.deepEqual(chain.asked, ['coins']);
});

test('rebuild record › given a record that says what never was › it is as the chain has it', async (t) => {
  const setting = await openSetting();
  const { chain, context, look } = setting;
  chain.add(funding, 2);
  chain.add(first, 3);
  const right = await look();
  const rightEvents = await eventsOf(context.store, pending.id);
  t.deepEqual(await faultsOfLog(context.store), []);
  await context.store.transaction(async (writer) => {
    writer.put(counters, { ...right, moves: 77 });
    const [event] = rightEvents;
    if (event !== undefined) writer.put(eventCollection, { ...event, amount: 999n });
    const [row] = (await context.store.find(rows)).items;
    if (row !== undefined) writer.remove(rows, row.id);
  });
  t.deepEqual(await rebuildRecord(pending.id, following, context), right);
  t.deepEqual((await eventsOf(context.store, pending.id)).map(untold), rightEvents.map(untold));
  t.deepEqual(await faultsOfLog(context.store), []);
  t.is((await context.store.find(rows)).total, 1);
});

test('rebuild record › given an event of a transaction that is none of its moves › it is gone', async (t) => {
  const { chain, context, look } = await openSetting();
  chain.add(funding, 2);
  await look();
  const [event] = await eventsOf(context.store, pending.id);
  await context.store.transaction((writer) => {
    if (event !== undefined) writer.put(eventCollection, { ...event, id: 'made up', tx_hash: first.txid });
  });
  await rebuildRecord(pending.id, following, context);
  t.deepEqual(await eventsOf(context.store, pending.id), [event]);
});

test('follow record › given a funding that vanished › it is pending again and its events are gone', async (t) => {
  const setting = await openSetting();
  const { chain, context, look } = setting;
  chain.add(funding);
  chain.add(first);
  await look();
  chain.drop(funding.txid);
  t.deepEqual(await look(), pending);
  t.deepEqual(await eventTypes(setting), []);
  t.is((await context.store.find(rows)).total, 0);
});

test('follow record › given a move that was replaced › event and row of the first are gone', async (t) => {
  const setting = await openSetting();
  const { chain, context, look } = setting;
  chain.add(funding, 2);
  chain.add(first);
  await look();
  chain.drop(first.txid);
  const other = chain.add(moveOn(funding, '7f'));
  t.like(await look(), { moves: 1, thread: { txid: other.txid } });
  t.deepEqual(await eventTypes(setting), ['distribution', 'funded']);
  t.deepEqual(
    (await context.store.find(rows)).items.map(({ txHash }) => txHash),
    [other.txid],
  );
});

test('follow record › given an end that left the mempool › the record lives again', async (t) => {
  const setting = await openSetting();
  const { chain, look } = setting;
  chain.add(funding, 2);
  const end = chain.add(endOf(funding));
  t.like(await look(), { status: 'ENDED' });
  chain.drop(end.txid);
  t.like(await look(), { status: 'LIVE', thread: { txid: funding.txid } });
  t.deepEqual(await eventTypes(setting), ['funded']);
});

test('follow record › given an event without a transaction › a rebuild leaves it', async (t) => {
  const setting = await openSetting();
  const { chain, context, look } = setting;
  await context.store.transaction((writer) => {
    writer.put(eventCollection, {
      id: 'note-1',
      entity_type: 'counter',
      entity_id: pending.id,
      event_type: 'created',
      actor: '',
      amount: 0n,
      decimals: 8,
      tx_hash: null,
      told: [],
      details: {},
      height: null,
      certainty: null,
      created_at: NOW,
    });
  });
  chain.add(funding);
  await look();
  chain.drop(funding.txid);
  await look();
  t.deepEqual(await eventTypes(setting), ['created']);
});

test('follow record › given a candidate that the history lacks › it is written too', async (t) => {
  const { chain, context } = await openSetting();
  chain.add(funding, 2);
  const withoutHistory = {
    ...context,
    chain: { ...context.chain, history: () => Promise.resolve([{ txid: funding.txid, height: 2 }]) },
  };
  const record = await followRecord(pending.id, following, withoutHistory, [onChain(first)]);
  t.is(record.moves, 1);
});

test('follow record › given a candidate while an earlier move has vanished › it is written too', async (t) => {
  const { chain, context, look } = await openSetting();
  chain.add(funding, 2);
  chain.add(first);
  await look();
  chain.drop(first.txid);
  const other = chain.add(moveOn(funding, '7f'));
  const slow = {
    ...context,
    chain: { ...context.chain, history: () => Promise.resolve([{ txid: funding.txid, height: 2 }]) },
  };
  const record = await followRecord(pending.id, following, slow, [onChain(other)]);
  t.is(record.thread?.txid, other.txid);
});

test('follow record › given a price › its events carry the one of when they were first seen', async (t) => {
  const { chain, context } = await openSetting();
  chain.add(funding);
  const at = (usd: number): Context => ({
    ...context,
    price: { ...fakeContext().price, reading: () => Promise.resolve({ usd, source: 'a', timestamp: NOW }) },
  });
  await followRecord(pending.id, following, at(250));
  chain.add(first);
  await followRecord(pending.id, following, at(999));
  chain.drop(first.txid);
  chain.add(moveOn(funding, '7f'));
  await followRecord(pending.id, following, at(1));
  t.deepEqual(
    (await eventsOf(context.store, pending.id)).map(({ event_type, details }) => [
      event_type,
      (details['price'] as { usd: number }).usd,
    ]),
    [
      ['distribution', 1],
      ['funded', 250],
    ],
  );
});

/** A store in which somebody else writes the record before each of the first `times` transactions. */
const interfering =
  (times: number) =>
  (store: StorePort): StorePort => {
    let left = times;
    return {
      ...store,
      transaction: async (change) => {
        if (left > 0) {
          left -= 1;
          await store.transaction(async (writer) => {
            const record = await writer.get(counters, pending.id);
            if (record !== null) writer.put(counters, record);
          });
        }
        return store.transaction(change);
      },
    };
  };

test('follow record › given somebody who wrote the record meanwhile › it looks again', async (t) => {
  const setting = await openSetting(interfering(1));
  setting.chain.add(funding);
  t.like(await setting.look(), { status: 'LIVE' });
  t.deepEqual(await eventTypes(setting), ['funded']);
});

test('follow record › given somebody who always writes meanwhile › it is store_conflict', async (t) => {
  const setting = await openSetting(interfering(100));
  setting.chain.add(funding);
  const error = await t.throwsAsync(setting.look(), { instanceOf: TreasuryError });
  t.like(error, { code: 'store_conflict', retryable: true, details: { label: '#counter-1' } });
});

test('follow record › given two that look at once › the moves are written once', async (t) => {
  const setting = await openSetting();
  const { chain, context, look } = setting;
  chain.add(funding);
  chain.add(first);
  chain.add(second);
  const records = await Promise.all([look(), look(), look()]);
  t.deepEqual(
    records.map(({ moves }) => moves),
    [2, 2, 2],
  );
  t.deepEqual(await eventTypes(setting), ['distribution', 'distribution', 'funded']);
  t.is((await context.store.find(rows)).total, 2);
});

test('follow record › given a chain that cannot be reached › nothing is written', async (t) => {
  const { chain, context } = await openSetting();
  chain.add(funding);
  const away = () => Promise.reject(new TreasuryError('chain_unavailable', { reason: 'away' }));
  const unreachable = { ...context, chain: { ...context.chain, history: away } };
  const error = await t.throwsAsync(followRecord(pending.id, following, unreachable), {
    instanceOf: TreasuryError,
  });
  t.is(error.code, 'chain_unavailable');
  t.deepEqual(await context.store.get(counters, pending.id), pending);
});

test('follow record › given a rebuild with a price at hand › what it finds anew has none, and the rest keeps its own', async (t) => {
  const { chain, context } = await openSetting();
  const reading = { usd: 500, source: 'oracle' as const, updatedAt: 1 };
  const priced = {
    ...context,
    price: { ...context.price, reading: () => Promise.resolve(reading as never) },
  };
  chain.add(funding, 1);
  await followRecord(pending.id, following, priced);
  chain.add(first, 2);
  await rebuildRecord(pending.id, following, priced);
  t.deepEqual(
    (await eventsOf(context.store, pending.id)).map(({ details }) => details['price']),
    [null, reading],
  );
});

test('follow record › given a rebuild that finds an event between others › it stands where it belongs', async (t) => {
  const { chain, context, look } = await openSetting();
  for (const [index, transaction] of [funding, first, second].entries()) chain.add(transaction, index + 1);
  await look();
  const before = await eventsOf(context.store, pending.id);
  await context.store.transaction((writer) => {
    writer.remove(eventCollection, before[1]?.id ?? '');
  });
  await rebuildRecord(pending.id, following, context);
  t.deepEqual((await eventsOf(context.store, pending.id)).map(untold), before.map(untold));
  // The log still tells of the one that was lost.
  t.is((await faultsOfLog(context.store)).length, 1);
  await mendLog(context);
  t.is((await context.store.find(eventCollection, { where: { untold: EVERY_RECORD } })).total, 1);
});
