import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { STREAM_SETTINGS, type StreamSettings } from '../../src/http/stream-settings.js';
import { defineOperation } from '../../src/operation/define.js';
import { TreasuryError } from '../../src/errors.js';
import { aliceToken, alice } from './fake-app.js';
import { startFakeDaemon } from './fake-daemon.js';
import { openSse, type SseClient } from './sse-client.js';

const Tick = z.object({ text: z.string() });

/** A log of ticks in memory, and the operation that streams it: a page has ten of them. */
const ticking = () => {
  const ticks: string[] = [];
  const control = { refusal: null as TreasuryError | null, looks: 0, secondsOf: '' };
  const operation = defineOperation({
    id: 'ticks.stream',
    summary: 'Follow the ticks',
    http: {
      method: 'GET',
      path: '/api/ticks',
      stream: {
        cursor: 'since',
        state: () => Promise.resolve(String(ticks.length)),
        page: (reply) => {
          const { from, shown, all } = reply as { from: number; shown: { text: string }[]; all: number };
          const messages = shown.map((data, index) => ({ id: from + index + 1, event: 'tick', data }));
          const cursor = from + shown.length;
          return { messages, cursor, hasMore: cursor < all };
        },
      },
    },
    auth: 'optional',
    input: z.object({ since: z.int().min(0).optional(), own: z.string().optional() }),
    output: z.object({ from: z.int(), shown: z.array(Tick), all: z.int() }),
    errors: ['wrong_state', 'token_expired', 'too_many_streams'],
    run: ({ since = 0 }) => {
      control.looks += 1;
      if (control.refusal !== null) throw control.refusal;
      const shown = ticks.slice(since, since + 10).map((text) => ({ text }));
      return Promise.resolve({ from: since, shown, all: ticks.length });
    },
  });
  return { ticks, control, operation };
};

const QUICK: StreamSettings = { ...STREAM_SETTINGS, heartbeatMs: 60, lookMs: 10, stallMs: 100 };

const start = async (t: ExecutionContext, settings: Partial<StreamSettings> = {}, more = {}) => {
  const { ticks, control, operation } = ticking();
  const streams = { ...QUICK, ...settings };
  const daemon = await startFakeDaemon(t, { streams, ...more }, [operation]);
  const open = async (query = '', headers = {}): Promise<SseClient> => {
    const client = await openSse(`${daemon.daemon.url}/api/ticks${query}`, headers);
    t.teardown(client.close);
    return client;
  };
  return { ...daemon, ticks, control, open };
};

const textsOf = ({ messages }: SseClient): string[] =>
  messages.map(({ data }) => (data as { text: string }).text);
const idsOf = ({ messages }: SseClient): number[] => messages.map(({ id }) => Number(id));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test('a stream › given what was there and what comes › it is sent in order, each with its cursor', async (t) => {
  const { ticks, open } = await start(t);
  ticks.push(...upTo(25).map(String));
  const client = await open();
  await client.until(() => client.messages.length === 25);
  ticks.push('26');
  await client.until(() => client.messages.length === 26);
  t.deepEqual(idsOf(client), upTo(26));
  t.deepEqual(textsOf(client), upTo(26).map(String));
  t.true(client.messages.every(({ event }) => event === 'tick'));
});

test('a stream › given its headers › no proxy keeps, holds back or changes it', async (t) => {
  const { open } = await start(t);
  const { headers, status } = await open();
  t.is(status, 200);
  t.is(headers['content-type'], 'text/event-stream; charset=utf-8');
  t.is(headers['cache-control'], 'no-store, no-transform');
  t.is(headers['x-accel-buffering'], 'no');
  t.is(headers['content-encoding'], undefined);
});

test('a stream › given a client that comes back a hundred times › nothing is missed and nothing comes twice', async (t) => {
  const { ticks, open } = await start(t);
  const seen: number[] = [];
  let last = '';
  for (let round = 1; round <= 100; round += 1) {
    ticks.push(...upTo((round % 7) + 1).map(String));
    const client = await open('?since=0', last === '' ? {} : { 'last-event-id': last });
    // Sometimes it goes away in the middle of what it is sent.
    const wanted = Math.ceil((ticks.length - seen.length) / 2);
    await client.until(() => client.messages.length >= wanted);
    client.close();
    seen.push(...idsOf(client));
    last = client.lastId();
  }
  const client = await open('', { 'last-event-id': last });
  await client.until(() => seen.length + client.messages.length === ticks.length);
  t.deepEqual([...seen, ...idsOf(client)], upTo(ticks.length));
});

test('a stream › given a header and a query › the header goes first', async (t) => {
  const { ticks, open } = await start(t);
  ticks.push('one', 'two', 'three');
  const client = await open('?since=0', { 'last-event-id': '2' });
  await client.until(() => client.messages.length === 1);
  t.deepEqual(idsOf(client), [3]);
});

for (const [id, what] of [
  ['-1', 'negative'],
  ['1.5', 'broken'],
  ['9'.repeat(40), 'huge'],
  ['abc', 'no number'],
] as const)
  test(`a stream › given a Last-Event-ID that is ${what} › it is refused by name`, async (t) => {
    const { ask } = await start(t);
    const { status, body } = await ask('/api/ticks', { headers: { 'last-event-id': id } });
    t.is(status, 400);
    t.is(body['code'], 'invalid_input');
    t.regex(String(body['error']), /Last-Event-ID/);
  });

test('a stream › given nothing to say › a comment keeps it open, and the cursor goes on', async (t) => {
  const { open, control } = await start(t);
  const client = await open();
  await client.until(() => client.comments.length >= 3);
  t.deepEqual(client.messages, []);
  t.is(client.lastId(), '0');
  // The access is looked at with each.
  t.true(control.looks >= 3);
});

test('a stream › given line breaks in what others wrote › no line is forged', async (t) => {
  const { ticks, open } = await start(t);
  const text = 'a\n\nid: 9999\nevent: forged\ndata: {}\n\r\r\n\u2028\u2029\u0000';
  ticks.push(text);
  const client = await open();
  await client.until(() => client.messages.length === 1);
  t.deepEqual(client.messages, [{ id: '1', event: 'tick', data: { text } }]);
  t.is(client.lastId(), '1');
});

test('a stream › given a client that does not read › it is cut off, and holds no more than its buffers', async (t) => {
  const { ticks, control, daemon, lines } = await start(t);
  for (let count = 0; count < 400; count += 1) ticks.push('x'.repeat(100_000));
  const socket = connect(daemon.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.pause();
  socket.write('GET /api/ticks HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const isCutOff = () => lines.some(({ message }) => message.includes('cut off'));
  for (let tries = 0; !isCutOff() && tries < 1_000; tries += 1) await wait(10);
  t.true(isCutOff());
  // It never came to the end of what there was.
  t.true(control.looks < 40);
});

test('a stream › given an access that ends › its last message says why, and nothing comes after it', async (t) => {
  const { ticks, control, open } = await start(t);
  const client = await open('', { authorization: `Bearer ${aliceToken}` });
  control.refusal = new TreasuryError('token_expired');
  ticks.push('secret');
  await client.until(client.isEnded);
  t.deepEqual(
    client.messages.map(({ event }) => event),
    ['closed'],
  );
  t.like(client.messages[0]?.data, { success: false, code: 'token_expired' });
  t.false(client.text().includes('secret'));
});

test('a stream › given a token that is void meanwhile › it ends though nothing has happened', async (t) => {
  const subjects: Record<string, string> = { short: alice };
  const verify = (token: string) => {
    const subject = subjects[token];
    return subject === undefined
      ? Promise.reject(new TreasuryError('token_expired'))
      : Promise.resolve(subject);
  };
  const { ticks, control, operation } = ticking();
  const { fakeApp, recordLog } = await import('./fake-app.js');
  const { startDaemon } = await import('../../src/daemon/start-daemon.js');
  const { app } = fakeApp([operation]);
  const context = { ...app.context, access: { ...app.context.access, verify } };
  const daemon = await startDaemon({
    app: { ...app, context },
    port: 0,
    log: recordLog(),
    signals: null,
    streams: QUICK,
  });
  t.teardown(daemon.stop);
  const client = await openSse(`${daemon.url}/api/ticks`, { authorization: 'Bearer short' });
  await client.until(() => client.comments.length > 0);
  delete subjects['short'];
  await client.until(client.isEnded);
  t.like(client.messages.at(-1), { event: 'closed', data: { code: 'token_expired' } });
  t.is(ticks.length, 0);
  t.true(control.looks > 0);
});

test('a stream › given a refusal before it begins › it is answered as any other', async (t) => {
  const { ask } = await start(t);
  const { status, body } = await ask('/api/ticks?since=-1');
  t.is(status, 400);
  t.is(body['code'], 'invalid_input');
});

test('many streams › given more than one caller may have › the next is told when to come back', async (t) => {
  const { open, ask } = await start(t, { mostOfOne: 2 });
  const first = await open();
  await open();
  const { status, body, headers } = await ask('/api/ticks');
  t.is(status, 429);
  t.is(headers['retry-after'], '30');
  t.like(body, { code: 'too_many_streams', retryable: true });
  // Somebody else still may.
  t.is((await open('', { 'x-user-address': alice })).status, 200);
  first.close();
  let again = await ask('/api/status-that-is-not-there');
  for (let tries = 0; tries < 200 && again.status !== 200; tries += 1) {
    const client = await open();
    again = { ...again, status: client.status };
    if (client.status === 200) break;
    await wait(10);
  }
  t.is(again.status, 200);
});

test('many streams › given hundreds of connections › those that there is room for are served, all others refused', async (t) => {
  const { open, ticks } = await start(t, { most: 100, mostOfOne: 1_000 });
  const clients = await Promise.all(upTo(400).map(() => open()));
  const served = clients.filter(({ status }) => status === 200);
  t.is(served.length, 100);
  t.true(clients.every(({ status }) => status === 200 || status === 429));
  ticks.push('for all');
  await Promise.all(served.map((client) => client.until(() => client.messages.length === 1)));
  t.pass();
});

test('stopping › given open streams › they are ended at once, and new ones refused', async (t) => {
  const { open, daemon } = await start(t, { heartbeatMs: 60_000 });
  const clients = await Promise.all([open(), open(), open()]);
  const from = performance.now();
  await daemon.stop();
  t.true(performance.now() - from < 2_000);
  await Promise.all(clients.map((client) => client.until(client.isEnded)));
  t.true(clients.every(({ comments }) => comments.includes('the service stops')));
});

test('a HEAD request › given a stream › it is answered, and does not wait', async (t) => {
  const { ask } = await start(t);
  const { status, headers, text } = await ask('/api/ticks', { method: 'HEAD' });
  t.is(status, 200);
  t.is(headers['content-type'], 'text/event-stream; charset=utf-8');
  t.is(text, '');
});
