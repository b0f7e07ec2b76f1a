import test from 'ava';
import type { Move } from '../../src/covenant/follow.js';
import { faultsOfLog } from '../../src/record/check-log.js';
import {
  eventLog,
  matchesTypes,
  reaches,
  tellEvent,
  uuidOf,
  type LoggedEvent,
} from '../../src/record/event-log.js';
import {
  eventCollection,
  eventsOf,
  removeMove,
  tellUntold,
  writeMove,
  writeNote,
  type MoveSubject,
} from '../../src/record/events.js';
import type { StorePort } from '../../src/operation/ports/store.js';
import { alice, NOW, openMemoryStore } from '../operation/fake-context.js';

const topic = {
  subject: { kind: 'campaign', label: '#REWARD-0001', id: 'campaign-1' },
  parties: ['bchtest:qcreator'],
  category: null,
};
const subject: MoveSubject = {
  entityType: 'reward',
  entityId: 'campaign-1',
  topic,
  decimals: 8,
  network: 'local',
  now: NOW,
  price: { usd: 250, source: 'a', timestamp: NOW },
  tipHeight: 8,
};
const move: Move = {
  type: 'distribution',
  txHash: 'aa'.repeat(32),
  actorLock: alice.lockingBytecode,
  amount: 150_000_000n,
  height: null,
  blockTime: null,
  details: { recipient: 'bchtest:qrecipient' },
};

const open = (): StorePort => openMemoryStore([eventCollection]);
const write = (store: StorePort, given: Partial<Move> = {}, of: Partial<MoveSubject> = {}) =>
  store.transaction((writer) => writeMove(writer, { ...subject, ...of }, { ...move, ...given }));
const logOf = async (store: StorePort): Promise<readonly (LoggedEvent & { readonly sequence: number })[]> =>
  (await store.readLog(eventLog, { after: 0, limit: 100 })).entries;
/** The log in short: type, certainty, and which of them it withdraws. */
const told = async (store: StorePort): Promise<readonly string[]> => {
  const log = await logOf(store);
  return log.map(({ type, was, certainty, reverts }) => {
    const withdrawn = log.findIndex(({ id }) => id === reverts);
    return `${type} ${was ?? '-'}>${certainty ?? '-'}${reverts === null ? '' : ` of ${withdrawn}`}`;
  });
};

test('tell move › given a move that is seen › the log tells all of it', async (t) => {
  const store = open();
  const event = await write(store);
  const [entry] = await logOf(store);
  t.like(entry, {
    sequence: 1,
    id: event.told[0]?.id ?? '',
    type: 'campaign.distributed',
    time: NOW,
    certainty: 'seen',
    was: null,
    subject: topic.subject,
    parties: ['bchtest:qcreator', alice.text, 'bchtest:qrecipient'],
    txHash: move.txHash,
    reverts: null,
  });
  t.like(entry?.data, {
    moveId: event.id,
    amount: '1.5',
    amountOnChain: '150000000',
    asset: 'BCH',
    decimals: 8,
  });
});

test('tell move › given one that is seen, mined, and safe › each is told once', async (t) => {
  const store = open();
  await write(store);
  await write(store);
  await write(store, { height: 8, blockTime: NOW });
  await write(store, { height: 8, blockTime: NOW }, { tipHeight: 9 });
  await write(store, { height: 8, blockTime: NOW }, { tipHeight: 13 });
  t.deepEqual(await told(store), [
    'campaign.distributed ->seen',
    'campaign.distributed seen>confirmed',
    'campaign.distributed confirmed>safe',
  ]);
  t.deepEqual(await faultsOfLog(store), []);
});

test('tell move › given one that is found in a block › one event reaches seen and confirmed', async (t) => {
  const store = open();
  await write(store, { height: 8, blockTime: NOW });
  const [entry] = await logOf(store);
  t.deepEqual(
    (['seen', 'confirmed', 'safe'] as const).map((asked) => reaches(entry as LoggedEvent, asked)),
    [true, true, false],
  );
});

test('tell move › given a block that is taken back › what it confirmed is withdrawn', async (t) => {
  const store = open();
  await write(store);
  await write(store, { height: 8, blockTime: NOW });
  await write(store, {}, { now: NOW + 60 });
  await write(store, { height: 9, blockTime: NOW + 90 }, { tipHeight: 9 });
  t.deepEqual(await told(store), [
    'campaign.distributed ->seen',
    'campaign.distributed seen>confirmed',
    'campaign.distributed.reverted seen>confirmed of 1',
    'campaign.distributed seen>confirmed',
  ]);
  t.deepEqual(await faultsOfLog(store), []);
});

test('tell move › given another block › it is withdrawn and confirmed again', async (t) => {
  const store = open();
  await write(store, { height: 8, blockTime: NOW });
  await write(store, { height: 9, blockTime: NOW }, { tipHeight: 9 });
  t.deepEqual(await told(store), [
    'campaign.distributed ->confirmed',
    'campaign.distributed.reverted ->confirmed of 0',
    'campaign.distributed ->confirmed',
  ]);
  t.deepEqual(
    (await logOf(store)).map(({ data }) => data['height']),
    [8, 8, 9],
  );
});

test('tell move › given one that the chain took back, and has again › all is withdrawn, and told anew', async (t) => {
  const store = open();
  await write(store);
  const event = await write(store, { height: 8, blockTime: NOW });
  await store.transaction((writer) => removeMove(writer, event, { topic, now: NOW + 1 }));
  t.deepEqual(await faultsOfLog(store), []);
  await write(store);
  t.deepEqual(await told(store), [
    'campaign.distributed ->seen',
    'campaign.distributed seen>confirmed',
    'campaign.distributed.reverted seen>confirmed of 1',
    'campaign.distributed.reverted ->seen of 0',
    'campaign.distributed ->seen',
  ]);
  t.is(new Set((await logOf(store)).map(({ id }) => id)).size, 5);
});

test('tell move › given an amount that was read wrong › what was told of it is withdrawn', async (t) => {
  const store = open();
  await write(store);
  await write(store, { amount: 1n });
  t.deepEqual(
    (await logOf(store)).map(({ type, data }) => `${type} ${String(data['amountOnChain'])}`),
    ['campaign.distributed 150000000', 'campaign.distributed.reverted 150000000', 'campaign.distributed 1'],
  );
});

test('tell move › given a note › it is told once, without a certainty', async (t) => {
  const store = open();
  const note = { type: 'created', actor: alice.text, amount: 5n } as const;
  await store.transaction((writer) => writeNote(writer, subject, note));
  await store.transaction((writer) => writeNote(writer, subject, note));
  t.deepEqual(await told(store), ['campaign.created ->-']);
});

test('tell move › given an event of an earlier version › it is told when it is found', async (t) => {
  const store = open();
  const event = { ...(await write(store)), id: 'earlier', told: [] };
  await store.transaction((writer) => {
    writer.put(eventCollection, event);
  });
  t.deepEqual(await faultsOfLog(store), []);
  await store.transaction((writer) => tellUntold(writer, event, { topic, now: NOW }));
  t.is((await told(store)).length, 2);
  t.is((await eventsOf(store, 'campaign-1'))[0]?.told.length, 1);
});

test('event log › given an event that the log does not tell › the check finds it', async (t) => {
  const store = open();
  const event = await write(store);
  await store.transaction((writer) => {
    writer.put(eventCollection, { ...event, amount: 1n });
  });
  t.regex((await faultsOfLog(store)).join(), /is not as the log tells it/);
  await store.transaction((writer) => {
    writer.remove(eventCollection, event.id);
  });
  t.regex((await faultsOfLog(store)).join(), /there is no such event/);
});

test('event log › given a change that fails › nothing of it is told', async (t) => {
  const store = open();
  await t.throwsAsync(
    store.transaction(async (writer) => {
      await tellEvent(writer, { type: 'service.started', time: NOW, subject: null });
      throw new Error('no');
    }),
  );
  t.deepEqual(await told(store), []);
});

test('types › they match by their beginning, and with what withdraws them', (t) => {
  t.true(matchesTypes('stream.claimed', ['stream.claimed']));
  t.true(matchesTypes('stream.claimed.reverted', ['stream.claimed']));
  t.true(matchesTypes('stream.claimed', ['vault.*', 'stream.*']));
  t.true(matchesTypes('vault.spend.signed', ['vault.spend.*']));
  t.true(matchesTypes('chain.reorg', ['*']));
  t.false(matchesTypes('stream.claimed', ['stream', 'streams.*', 'stream.claim']));
  t.false(matchesTypes('streams.claimed', ['stream.*']));
});

test('uuid of › it is of version 7, and tells its time', (t) => {
  const id = uuidOf(1_700_000_000, 'a');
  t.regex(id, /^018bcfe5-6800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.not(id, uuidOf(1_700_000_000, 'b'));
});
