import test, { type ExecutionContext } from 'ava';
import { alice, bob, carol, mallory, type Person } from '../../fixtures/people.js';
import { startDaemon } from '../../src/daemon/start-daemon.js';
import { STREAM_SETTINGS } from '../../src/http/stream-settings.js';
import { eventsAfter } from '../../src/record/event-reading.js';
import { eventLog, tellEvent, type LoggedEvent } from '../../src/record/event-log.js';
import { recordLog } from '../http/fake-app.js';
import { ask as askUrl } from '../http/fake-daemon.js';
import { openSse, type SseClient } from '../http/sse-client.js';
import { createPayment, fundPayment } from '../products/payments/payment.js';
import { createStream } from '../products/streams/stream.js';
import { createVault } from '../products/vaults/vault.js';
import { openTreasury, type Treasury } from '../treasury.js';

type Event = LoggedEvent & { readonly sequence: number };
type Page = { readonly events: readonly Event[]; readonly cursor: number; readonly hasMore: boolean };

const list = async (treasury: Treasury, who: Person | null, input: object = {}): Promise<Page> =>
  (await treasury.ask(who, 'events.list', { ...input })) as unknown as Page;

const typesOf = ({ events }: Page): string[] => events.map(({ type }) => type);

/** Tells the log of something of the service, so many times. */
const tell = ({ app }: Treasury, count: number, more: Partial<LoggedEvent> = {}): Promise<void> =>
  app.context.store.transaction(async (writer) => {
    for (let index = 0; index < count; index += 1)
      await tellEvent(writer, { type: 'service.degraded', time: index, subject: null, ...more });
  });

test('GET /api/events › given no cursor › the newest are told, oldest first, and where to go on', async (t) => {
  const treasury = await openTreasury(t);
  await tell(treasury, 250);
  const page = await list(treasury, null, { limit: 3 });
  t.deepEqual(
    page.events.map(({ sequence }) => sequence),
    [248, 249, 250],
  );
  t.is(page.cursor, 250);
  t.false(page.hasMore);
  t.deepEqual(await list(treasury, null, { since: page.cursor }), {
    events: [],
    cursor: 250,
    hasMore: false,
  });
});

test('GET /api/events › given a cursor › page after page gives all that came after it, each once', async (t) => {
  const treasury = await openTreasury(t);
  await tell(treasury, 730);
  const seen: number[] = [];
  let [cursor, isMore] = [0, true];
  while (isMore) {
    const page = await list(treasury, null, { since: cursor, limit: 37 });
    seen.push(...page.events.map(({ sequence }) => sequence));
    ({ cursor, hasMore: isMore } = page);
  }
  t.deepEqual(
    seen,
    Array.from({ length: 730 }, (_, index) => index + 1),
  );
});

test('GET /api/events › given a type that is rare › a page looks at so many and says how far it came', async (t) => {
  const treasury = await openTreasury(t);
  await tell(treasury, 4_500);
  await tell(treasury, 1, { type: 'chain.reorg' });
  const first = await list(treasury, null, { since: 0, types: 'chain.*' });
  t.deepEqual([first.events.length, first.cursor, first.hasMore], [0, 2_000, true]);
  const second = await list(treasury, null, { since: first.cursor, types: 'chain.*' });
  const third = await list(treasury, null, { since: second.cursor, types: 'chain.*' });
  t.deepEqual(typesOf(third), ['chain.reorg']);
  t.false(third.hasMore);
});

test('GET /api/events › given filters › types, a record, a party and a certainty choose', async (t) => {
  const treasury = await openTreasury(t);
  const payment = await fundPayment(treasury);
  await createStream(treasury);
  const all = await list(treasury, alice, { since: 0 });
  t.true(typesOf(all).includes('payment.created') && typesOf(all).includes('stream.created'));
  t.deepEqual(typesOf(await list(treasury, alice, { types: 'stream.*' })), ['stream.created']);
  t.deepEqual(typesOf(await list(treasury, alice, { types: 'stream.created, payment.created' })), [
    'payment.created',
    'stream.created',
  ]);
  for (const subject of [payment.id, 'PAY-0001', '#pay-0001'])
    t.true(
      (await list(treasury, alice, { subject })).events.every(({ subject: of }) => of?.id === payment.id),
    );
  t.is((await list(treasury, alice, { subject: 'PAY-0002' })).events.length, 0);
  const party = treasury.addressOf(carol).text;
  t.is((await list(treasury, alice, { party })).events.length, 0);
  const confirmed = await list(treasury, alice, { certainty: 'confirmed', types: 'payment.*' });
  t.deepEqual(typesOf(confirmed), ['payment.created', 'payment.funded']);
});

test('GET /api/events › given a move that is told as seen, confirmed and safe › a certainty tells it once', async (t) => {
  const treasury = await openTreasury(t);
  const steps = [
    { certainty: 'seen', was: null },
    { certainty: 'confirmed', was: 'seen' },
    { certainty: 'safe', was: 'confirmed' },
  ] as const;
  for (const step of steps) await tell(treasury, 1, { ...step, txHash: 'ab'.repeat(32) });
  // What was safe when it was first seen stands for every level.
  await tell(treasury, 1, { certainty: 'safe', was: null, txHash: 'cd'.repeat(32) });
  for (const [certainty, sequences] of [
    ['seen', [1, 4]],
    ['confirmed', [2, 4]],
    ['safe', [3, 4]],
  ] as const) {
    const { events } = await list(treasury, null, { since: 0, certainty });
    t.deepEqual(
      events.map(({ sequence }) => sequence),
      [...sequences],
    );
  }
});

for (const [types, said] of [
  ['streams.*', /is "stream\.\*" meant\?/],
  ['stream.claimed.*.x', /is no type of an event/],
  ['', /is no type of an event/],
  ['stream.claimd', /is "stream\.claimed" meant/],
  ['vault.spent.*', /there are vault\.created, /],
  ['paymnt.*', /is "payment\.\*" meant/],
  ['stream.*,;drop', /is no type of an event/],
  ['x'.repeat(900), /is no type of an event/],
] as const)
  test(`GET /api/events › given the types "${types.slice(0, 20)}" › it is refused and says what there is`, async (t) => {
    const treasury = await openTreasury(t);
    const error = await treasury.refusal(t, null, 'events.list', { types }, 'invalid_input');
    t.regex(error.message, said);
  });

for (const since of [-1, 1.5, 2 ** 60, '7'])
  test(`GET /api/events › given the cursor ${String(since)} › it is refused`, async (t) => {
    const treasury = await openTreasury(t);
    await treasury.refusal(t, null, 'events.list', { since }, 'invalid_input');
    t.pass();
  });

test('GET /api/events › given a cursor of another home › it says that there is no such event yet', async (t) => {
  const treasury = await openTreasury(t);
  await tell(treasury, 2);
  const error = await treasury.refusal(t, null, 'events.list', { since: 3 }, 'invalid_input');
  t.regex(error.message, /the last event, which is 2/);
});

/** A private vault of alice, bob and carol, and a payment of alice to bob in it. */
const inPrivate = async (treasury: Treasury): Promise<void> => {
  const { id: vaultId } = await createVault(treasury, { isPublic: false });
  await createPayment(treasury, { vaultId });
};

test('GET /api/events › given records of a private vault › members and parties are told, and nobody else', async (t) => {
  const treasury = await openTreasury(t);
  await inPrivate(treasury);
  await tell(treasury, 1);
  for (const who of [alice, bob, carol])
    t.deepEqual(typesOf(await list(treasury, who, { since: 0 })), [
      'vault.created',
      'payment.created',
      'service.degraded',
    ]);
  for (const who of [mallory, null])
    t.deepEqual(typesOf(await list(treasury, who, { since: 0 })), ['service.degraded']);
  // Asking by name shows no more.
  t.is((await list(treasury, mallory, { since: 0, subject: 'PAY-0001' })).events.length, 0);
});

test('GET /api/events › given an event of somebody alone, about no record › they are told, and nobody else', async (t) => {
  const treasury = await openTreasury(t);
  await tell(treasury, 1, { type: 'webhook.disabled', parties: [treasury.addressOf(alice).text] });
  t.is((await list(treasury, alice)).events.length, 1);
  t.is((await list(treasury, mallory)).events.length, 0);
  t.is((await list(treasury, null)).events.length, 0);
});

const serve = async (t: ExecutionContext, treasury: Treasury) => {
  const streams = { ...STREAM_SETTINGS, heartbeatMs: 100, lookMs: 20 };
  const app = { ...treasury.app, close: () => Promise.resolve() };
  const daemon = await startDaemon({ app, port: 0, log: recordLog(), signals: null, streams });
  t.teardown(daemon.stop);
  const follow = async (who: Person | null, query = '', headers = {}): Promise<SseClient> => {
    const named = who === null ? {} : { 'x-user-address': treasury.addressOf(who).text };
    const client = await openSse(`${daemon.url}/api/events/stream${query}`, { ...named, ...headers });
    t.teardown(client.close);
    return client;
  };
  return { daemon, follow };
};

const toldTo = ({ messages }: SseClient): string[] => messages.map(({ event }) => event);

test('GET /api/events/stream › given what comes › each is told whoever may read it, when it comes', async (t) => {
  const treasury = await openTreasury(t);
  await tell(treasury, 1);
  const { follow } = await serve(t, treasury);
  const [member, stranger, all] = await Promise.all([follow(bob), follow(mallory), follow(bob, '?since=0')]);
  await inPrivate(treasury);
  await tell(treasury, 1, { type: 'chain.reorg' });
  await Promise.all(
    [member, stranger, all].map((one) => one.until(() => toldTo(one).includes('chain.reorg'))),
  );
  t.deepEqual(toldTo(member), ['vault.created', 'payment.created', 'chain.reorg']);
  t.deepEqual(toldTo(stranger), ['chain.reorg']);
  t.deepEqual(toldTo(all), ['service.degraded', 'vault.created', 'payment.created', 'chain.reorg']);
  t.deepEqual(
    all.messages.map(({ id }) => id),
    ['1', '2', '3', '4'],
  );
  const { entries } = await treasury.app.context.store.readLog(eventLog, { after: 3, limit: 1 });
  t.deepEqual(all.messages[3]?.data, entries[0]);
});

test('GET /api/events/stream › given a client that comes back › what it was not told comes, also past what it may not read', async (t) => {
  const treasury = await openTreasury(t);
  const { follow } = await serve(t, treasury);
  const first = await follow(mallory);
  await inPrivate(treasury);
  // Its cursor goes on over what is not for it.
  await first.until(() => first.lastId() === '2');
  first.close();
  await tell(treasury, 2);
  const second = await follow(mallory, '', { 'last-event-id': first.lastId() });
  await second.until(() => second.messages.length === 2);
  t.deepEqual(
    second.messages.map(({ id }) => id),
    ['3', '4'],
  );
});

test('GET /api/events/stream › given a label and words with line breaks › they stand within the JSON', async (t) => {
  const treasury = await openTreasury(t);
  const { follow } = await serve(t, treasury);
  const client = await follow(null);
  const label = 'x\n\nid: 77\nevent: forged\ndata: {"a":1}\n\n';
  await tell(treasury, 1, { data: { label } });
  await client.until(() => client.messages.length === 1);
  t.deepEqual(toldTo(client), ['service.degraded']);
  t.like(client.messages[0], { id: '1', data: { data: { label } } });
});

test('GET /api/events/stream › given a token of an address › what it may read is told until all tokens are void', async (t) => {
  const treasury = await openTreasury(t);
  const { access } = treasury.app.context;
  const { accessToken } = await access.issue(treasury.addressOf(bob).text);
  const { daemon } = await serve(t, treasury);
  const client = await openSse(`${daemon.url}/api/events/stream`, { authorization: `Bearer ${accessToken}` });
  t.teardown(client.close);
  await inPrivate(treasury);
  await client.until(() => client.messages.length === 2);
  await access.revokeAll();
  await createPayment(treasury);
  await client.until(client.isEnded);
  t.deepEqual(toldTo(client), ['vault.created', 'payment.created', 'closed']);
  t.like(client.messages[2]?.data, { code: 'invalid_token' });
});

test('GET /api/events/stream › given a cursor that is not there yet › it is refused before it begins', async (t) => {
  const treasury = await openTreasury(t);
  const { daemon } = await serve(t, treasury);
  for (const query of ['?since=5', '?since=-1', '?since=abc', '?types=streams.*', '?certainty=sure']) {
    const { status, body } = await askUrl(`${daemon.url}/api/events/stream${query}`);
    t.deepEqual([query, status, body['code']], [query, 400, 'invalid_input']);
  }
});

test('GET /api/events › given thousands of entries in one look › others have their turn after every 100', async (t) => {
  const treasury = await openTreasury(t);
  await tell(treasury, 4_000);
  const { store } = treasury.app.context;
  let turn = 0;
  const next = (): void => {
    turn += 1;
    immediate = setImmediate(next);
  };
  let immediate = setImmediate(next);
  const turns: number[] = [];
  const readLog: typeof store.readLog = (log, range) => {
    t.true(range.limit <= 100);
    turns.push(turn);
    return store.readLog(log, range);
  };
  const filter = { types: ['chain.*'], subject: null, party: null, certainty: null };
  const asked = { filter, mayRead: () => Promise.resolve(true), limit: 100 };
  await eventsAfter({ readLog }, 0, asked);
  clearImmediate(immediate);
  t.is(turns.length, 20);
  t.is(new Set(turns).size, 20);
});
