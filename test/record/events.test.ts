import test from 'ava';
import type { Move } from '../../src/covenant/follow.js';
import {
  eventCollection,
  eventOfTransaction,
  eventsOf,
  moveId,
  showEvent,
  writeMove,
  writeNote,
  type EventRecord,
  type MoveSubject,
} from '../../src/record/events.js';
import type { StorePort } from '../../src/operation/ports/store.js';
import { alice, NOW, openMemoryStore } from '../operation/fake-context.js';

const price = { usd: 250, source: 'a', timestamp: NOW };

const subject: MoveSubject = {
  entityType: 'reward',
  entityId: 'campaign-1',
  topic: {
    subject: { kind: 'campaign', label: '#REWARD-0001', id: 'campaign-1' },
    parties: [],
    category: null,
  },
  decimals: 8,
  network: 'local',
  now: NOW,
  price,
  tipHeight: 8,
};

const move: Move = {
  type: 'distribution',
  txHash: 'aa'.repeat(32),
  actorLock: alice.lockingBytecode,
  amount: 150_000_000n,
  height: null,
  blockTime: null,
  details: { recipient: 'bchtest:q' },
};

const open = (): StorePort => openMemoryStore([eventCollection]);
const write = (store: StorePort, given: Move = move, of: MoveSubject = subject): Promise<EventRecord> =>
  store.transaction((writer) => writeMove(writer, of, given));

test('events › given a move in the mempool › its event has the time it was seen and the price at hand', async (t) => {
  const store = open();
  const { told, ...event } = await write(store);
  t.deepEqual(
    told.map(({ certainty }) => certainty),
    ['seen'],
  );
  t.deepEqual(event, {
    id: moveId('campaign-1', move),
    entity_type: 'reward',
    entity_id: 'campaign-1',
    event_type: 'distribution',
    actor: alice.text,
    amount: 150_000_000n,
    decimals: 8,
    tx_hash: move.txHash,
    details: { recipient: 'bchtest:q', price },
    height: null,
    certainty: 'seen',
    created_at: NOW,
  });
});

test('events › given a move in a block › its event has the time of the block', async (t) => {
  t.like(await write(open(), { ...move, height: 7, blockTime: NOW - 600 }), {
    height: 7,
    created_at: NOW - 600,
  });
});

test('events › given the same move again › there is one event', async (t) => {
  const store = open();
  await write(store);
  await write(store);
  t.is((await eventsOf(store, 'campaign-1')).length, 1);
});

test('events › given a move that is mined later › it keeps the price of when it was first seen', async (t) => {
  const store = open();
  await write(store);
  const mined = await write(
    store,
    { ...move, height: 7, blockTime: NOW + 600 },
    { ...subject, now: NOW + 700, price: { ...price, usd: 1 } },
  );
  t.like(mined, { height: 7, created_at: NOW + 600, details: { price } });
});

test('events › given a move that left its block › it keeps its time', async (t) => {
  const store = open();
  await write(store, { ...move, height: 7, blockTime: NOW - 600 });
  const again = await write(store, move, { ...subject, now: NOW + 700 });
  t.like(again, { height: null, created_at: NOW - 600 });
});

test('events › given no price at hand when it was seen › a later price is not put in its place', async (t) => {
  const store = open();
  await write(store, move, { ...subject, price: null });
  t.is((await write(store)).details['price'], null);
});

test('events › given an actor without an address › it is empty', async (t) => {
  t.is((await write(open(), { ...move, actorLock: '6a00' })).actor, '');
});

test('events › given other moves of a record › the newest comes first', async (t) => {
  const store = open();
  await write(store, { ...move, type: 'funded', txHash: 'bb'.repeat(32) });
  await write(store);
  t.deepEqual(
    (await eventsOf(store, 'campaign-1')).map(({ event_type }) => event_type),
    ['distribution', 'funded'],
  );
});

test('events › given more than are asked for › the newest are shown', async (t) => {
  const store = open();
  await write(store, { ...move, type: 'funded', txHash: 'bb'.repeat(32) });
  await write(store);
  t.deepEqual(
    (await eventsOf(store, 'campaign-1', 1)).map(({ event_type }) => event_type),
    ['distribution'],
  );
});

test('events › given a transaction of another record › it is not found for this one', async (t) => {
  const store = open();
  await write(store);
  t.is(await eventOfTransaction(store, 'campaign-2', move.txHash), null);
  t.is((await eventOfTransaction(store, 'campaign-1', move.txHash))?.event_type, 'distribution');
});

test('events › given a note › it has no transaction and no height', async (t) => {
  const store = open();
  await store.transaction(async (writer) => {
    await writeNote(writer, subject, { type: 'created', actor: alice.text, amount: 5n });
  });
  t.like((await eventsOf(store, 'campaign-1'))[0], {
    event_type: 'created',
    tx_hash: null,
    height: null,
    created_at: NOW,
  });
});

test('events › given a note and a move in the mempool › only the move is unsettled', async (t) => {
  const store = open();
  await write(store);
  await store.transaction(async (writer) => {
    await writeNote(writer, subject, { type: 'created', actor: alice.text, amount: 5n });
  });
  const { items } = await store.find(eventCollection, { where: { unsettled: 'campaign-1' } });
  t.deepEqual(
    items.map(({ event_type }) => event_type),
    ['distribution'],
  );
});

test('move id › it is a uuid, and another for another record, transaction or type', (t) => {
  const ids = [
    moveId('campaign-1', move),
    moveId('campaign-2', move),
    moveId('campaign-1', { ...move, txHash: 'bb'.repeat(32) }),
    moveId('campaign-1', { ...move, type: 'funded' }),
  ];
  t.is(new Set(ids).size, 4);
  for (const id of ids) t.regex(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('move id › given what was written by earlier versions › it is the same', (t) => {
  t.is(moveId('campaign-1', move), '89bbb828-fdb5-8a8f-99ea-495e9244cf3a');
});

test('show event › given an amount › it stands in display units and exactly', async (t) => {
  const shown = showEvent(await write(open()));
  t.like(shown, { amount: 1.5, amountOnChain: '150000000' });
  t.false(Object.hasOwn(shown, 'decimals'));
});
