import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import test from 'ava';
import { startFakeDaemon } from './fake-daemon.js';

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

test('input › given a field in path, body and query › the path wins over the body over the query', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { body } = await ask('/api/things/path/echo?id=query&title=query&count=1', {
    json: { id: 'body', title: 'body' },
  });
  t.deepEqual(body['input'], { id: 'path', title: 'body', count: 1 });
});

test('input › given an alias in the body and the name in the query › the body wins', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { body } = await ask('/api/things/7/echo?recipientAddress=query', { json: { recipient: 'body' } });
  t.like(body, { input: { recipientAddress: 'body' } });
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
  const raw = `{"title":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
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

test('a body › given exactly 1 MiB › it is read', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const headers = { 'content-type': 'application/json' };
  t.is((await ask('/api/things/7/echo', { raw: bodyOf(1_048_576), headers })).status, 200);
});

test('a body › given 1 MiB and a byte › it is a 413', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const headers = { 'content-type': 'application/json' };
  const { status, body } = await ask('/api/things/7/echo', { raw: bodyOf(1_048_577), headers });
  t.is(status, 413);
  t.like(body, { code: 'request_too_large', limitBytes: 1_048_576 });
});

test('a body › given 1 MiB and a byte in chunks › it is a 413', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  t.is((await ask('/api/things/7/echo', { raw: bodyOf(1_048_577), headers })).status, 413);
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
