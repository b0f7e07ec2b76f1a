import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import test from 'ava';
import { z } from 'zod';
import { defineOperation } from '../../src/operation/define.js';
import { alice } from './fake-app.js';
import { startFakeDaemon } from './fake-daemon.js';

/** Reads bodies of 8 MiB. */
const hungry = defineOperation({
  id: 'things.eat',
  summary: 'Read a large body',
  http: { method: 'POST', path: '/api/hungry', bodyLimit: 8_388_608 },
  auth: 'none',
  input: z.object({}),
  output: z.object({}),
  errors: [],
  run: () => Promise.resolve({}),
});

test('input › given a query › text is read as the type of its field', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { body } = await ask('/api/things/7?count=3&deep=true&title=007');
  t.deepEqual(body['input'], { id: '7', count: 3, deep: true, title: '007' });
});

test('input › given a query value of the wrong type › the field is named', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { status, body } = await ask('/api/things/7?count=many');
  t.is(status, 400);
  t.like(body, { code: 'invalid_input', issues: [{ path: 'count' }] });
});

test('input › given a query key twice › it is refused by name', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { status, body } = await ask('/api/things/7?count=3&count=4');
  t.is(status, 400);
  t.like(body, {
    code: 'invalid_input',
    issues: [{ path: 'count', message: 'is given more than once in the query' }],
  });
});

test('input › given a field in path and body › the path wins', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { body } = await ask('/api/things/path/echo', { json: { id: 'body', title: 'body' } });
  t.deepEqual(body['input'], { id: 'path', title: 'body' });
});

test('input › given a query on a POST › nothing of it is taken, and a warning says so', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const query = 'id=query&title=query&count=1&count=2&recipient=query';
  for (const asking of [{ json: { deep: true } }, { method: 'POST' }]) {
    const { status, body } = await ask(`/api/things/path/echo?${query}`, asking);
    t.is(status, 200);
    t.deepEqual(body['input'], 'json' in asking ? { id: 'path', deep: true } : { id: 'path' });
    t.deepEqual(body['warnings'], ['the query was ignored: fields of this request stand in its JSON body']);
  }
});

test('input › given an alias in the query › it is the field', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { body } = await ask('/api/things/7?recipient=somebody');
  t.like(body, { input: { recipientAddress: 'somebody' } });
});

test('input › given unknown fields › they are ignored and named in warnings', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const raw = '{"colour":"red","constructor":1}';
  const headers = { 'content-type': 'application/json' };
  const { status, body } = await ask('/api/things/7/echo', { raw, headers });
  t.is(status, 200);
  t.deepEqual(body['input'], { id: '7' });
  t.deepEqual(body['warnings'], [
    'colour is not a field of things.echo: it was ignored',
    'constructor is not a field of things.echo: it was ignored',
  ]);
});

test('input › given a body full of unknown fields › 20 warnings name some, briefly, and count the rest', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const names = Array.from({ length: 100 }, (_, index) => `${index}${'x'.repeat(120)}`);
  const json = Object.fromEntries(names.map((name) => [name, 1]));
  const { status, body } = await ask('/api/things/7/echo', { json });
  t.is(status, 200);
  const warnings = body['warnings'] as string[];
  t.is(warnings.length, 20);
  t.is(warnings[0], `0${'x'.repeat(96)}... is not a field of things.echo: it was ignored`);
  t.is(warnings[19], '81 more fields are none of things.echo: they were ignored');
});

test('an error › given a value of a thousand characters › a hundred of them are repeated', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const long = 'z'.repeat(1_000);
  const { status, body } = await ask(`/api/${long}`);
  t.is(status, 404);
  t.is(String(body['path']).length, 100);
  t.true(String(body['error']).length < 250);
});

test('a body › given none › no content type is needed', async (t) => {
  const { ask } = await startFakeDaemon(t);
  t.is((await ask('/api/things/7/echo', { method: 'POST' })).status, 200);
});

test('a body › given malformed JSON › it is invalid_json', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const headers = { 'content-type': 'application/json' };
  const { status, body } = await ask('/api/things/7/echo', { raw: '{"title":', headers });
  t.is(status, 400);
  t.is(body['code'], 'invalid_json');
});

test('a body › given bytes that are no UTF-8 › it is invalid_json', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const raw = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
  const headers = { 'content-type': 'application/json' };
  t.is((await ask('/api/things/7/echo', { raw, headers })).body['code'], 'invalid_json');
});

test('a body › given JSON that is nested without end › it is invalid_json and no defect', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const raw = `{"title":${'['.repeat(8_000)}${']'.repeat(8_000)}}`;
  const headers = { 'content-type': 'application/json' };
  const { status, body } = await ask('/api/things/7/echo', { raw, headers });
  t.is(status, 400);
  t.is(body['code'], 'invalid_json');
});

test('a body › given JSON that is no object › it is invalid_input', async (t) => {
  const { ask } = await startFakeDaemon(t);
  for (const json of [[], null, 'text', 7]) {
    const { status, body } = await ask('/api/things/7/echo', { json });
    t.is(status, 400);
    t.is(body['code'], 'invalid_input');
  }
});

test('a body › given another content type › it is a 415', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { status, body } = await ask('/api/things/7/echo', {
    raw: 'title=x',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  t.is(status, 415);
  t.like(body, { code: 'unsupported_media_type', contentType: 'application/x-www-form-urlencoded' });
});

test('a body › given compressed JSON › it is a 415', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const headers = { 'content-encoding': 'gzip' };
  t.is((await ask('/api/things/7/echo', { json: {}, headers })).status, 415);
});

test('a body › given a charset beside the type › it is read', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { body } = await ask('/api/things/7/echo', {
    raw: '{"title":"é"}',
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
  t.like(body, { input: { title: 'é' } });
});

const bodyOf = (bytes: number): string => {
  const frame = '{"title":""}';
  return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
};

const ofAlice = { 'content-type': 'application/json', 'x-user-address': alice };

test('a body › given a route that knows its caller › 64 KiB are read, and a byte more is a 413', async (t) => {
  const { ask } = await startFakeDaemon(t);
  t.is((await ask('/api/things/7/pay', { raw: bodyOf(65_536), headers: ofAlice })).status, 400);
  const { status, body } = await ask('/api/things/7/pay', { raw: bodyOf(65_537), headers: ofAlice });
  t.is(status, 413);
  t.like(body, { code: 'request_too_large', limitBytes: 65_536 });
});

const many = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(',');

for (const [what, least, json] of [
  ['levels', 64, (count: number) => `{"title":${'['.repeat(count - 1)}${']'.repeat(count - 1)}}`],
  ['fields', 1_000, (count: number) => `{${many(count, (index) => `"f${index}":0`)}}`],
  ['values', 60_000, (count: number) => `{"title":[${many(count - 2, () => '0')}]}`],
  [
    'values',
    60_000,
    (count: number) => `{"title":{${many((count - 2) / 2, (index) => `"\\"${index}":[]`)}}}`,
  ],
] as const) {
  test(`a body › given JSON with more ${what} than any input has › it is refused before it is parsed (${json(64).slice(0, 12)})`, async (t) => {
    const { ask } = await startFakeDaemon(t, {}, [hungry]);
    const headers = { 'content-type': 'application/json' };
    t.is((await ask('/api/hungry', { raw: json(least), headers })).status, 200);
    const { status, body } = await ask('/api/hungry', { raw: json(least + 2), headers });
    t.is(status, 400);
    t.like(body, { code: 'invalid_json', reason: `it has more than ${least} ${what}` });
  });
}

test('a body › given text that looks like JSON › its brackets and commas are none', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const headers = { 'content-type': 'application/json' };
  const title = `\\"${'[,'.repeat(3_000)}\\\\`;
  const { status, body } = await ask('/api/things/7/echo', { raw: `{"title":"${title}"}`, headers });
  t.is(status, 200);
  t.like(body, { input: { title: JSON.parse(`"${title}"`) as string } });
});

test('a body › given a route that asks nobody › 16 KiB are read, and a byte more is a 413', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const headers = { 'content-type': 'application/json' };
  t.is((await ask('/api/things/7/echo', { raw: bodyOf(16_384), headers })).status, 200);
  const { status, body } = await ask('/api/things/7/echo', { raw: bodyOf(16_385), headers });
  t.is(status, 413);
  t.like(body, { code: 'request_too_large', limitBytes: 16_384 });
});

test('a body › given a byte too many in chunks › it is a 413', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  t.is((await ask('/api/things/7/echo', { raw: bodyOf(16_385), headers })).status, 413);
});

test('a body › given a route with a limit of its own › bytes a minute are counted, of chunks the limit', async (t) => {
  const { ask } = await startFakeDaemon(t, {}, [hungry]);
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  const statuses: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    statuses.push((await ask('/api/hungry', { raw: '{}', headers })).status);
  }
  t.deepEqual(statuses, [200, 200, 200, 200, 429]);
});

test('a connection › given a body that ends early › the daemon goes on answering', async (t) => {
  const { ask, daemon } = await startFakeDaemon(t);
  await new Promise<void>((resolve) => {
    const socket = connect(daemon.port, '127.0.0.1', () => {
      socket.write(
        'POST /api/things/7/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n',
      );
      socket.write('Content-Length: 100\r\n\r\n{"title"', () => socket.destroy());
    });
    socket.once('close', () => {
      resolve();
    });
  });
  t.is((await ask('/api/things/7')).status, 200);
});

test('a connection › given a 413 › the same connection is good for the next request', async (t) => {
  const { daemon } = await startFakeDaemon(t);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => {
    agent.destroy();
  });
  const statusOf = (path: string, body?: string) =>
    new Promise<[status: number | undefined, reused: boolean]>((resolve, reject) => {
      const sending = request(`http://127.0.0.1:${daemon.port}${path}`, {
        agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json' },
      });
      sending.once('error', reject);
      sending.once('response', (response) => {
        response.resume();
        response.once('end', () => {
          resolve([response.statusCode, sending.reusedSocket]);
        });
      });
      sending.end(body);
    });
  t.deepEqual(await statusOf('/api/things/7/echo', bodyOf(2_000_000)), [413, false]);
  t.deepEqual(await statusOf('/api/things/7'), [200, true]);
});
