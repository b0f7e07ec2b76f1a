import { connect } from 'node:net';
import test from 'ava';
import { startFakeDaemon } from './fake-daemon.js';

test('the Host header › given a loopback daemon and a name that is none › it is 403', async (t) => {
  const { ask } = await startFakeDaemon(t);
  for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'x@localhost']) {
    const { status, body } = await ask('/api/things/7', { headers: { host } });
    t.is(status, 403);
    t.like(body, { code: 'host_not_allowed', host });
  }
});

test('the Host header › given a loopback daemon and a loopback name with any port › it is answered', async (t) => {
  const { ask } = await startFakeDaemon(t);
  for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1:65535', '127.1.2.3', '[::1]:80']) {
    t.is((await ask('/api/things/7', { headers: { host } })).status, 200);
  }
});

test('the Host header › given a daemon that others reach › any name is answered', async (t) => {
  const { ask } = await startFakeDaemon(t, { host: '0.0.0.0' });
  t.is((await ask('/api/things/7', { headers: { host: 'treasury.example' } })).status, 200);
});

/** What a daemon answers to bytes as they stand: the status line, and the body. */
const say = (port: number, bytes: string): Promise<{ readonly status: string; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.once('error', reject);
    socket.once('close', () => {
      const [status = ''] = text.split('\r\n', 1);
      resolve({ status, text });
    });
  });

for (const target of ['http://example.org/', '*', 'example.org:443', 'api/things/7']) {
  for (const method of ['GET', 'OPTIONS', 'POST']) {
    test(`the request line › given ${method} ${target} › it is 400, and the daemon lives`, async (t) => {
      const { ask, daemon } = await startFakeDaemon(t);
      const { status, text } = await say(
        daemon.port,
        `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      t.is(status, 'HTTP/1.1 400 Bad Request');
      if (target !== 'example.org:443' && target !== 'api/things/7') t.regex(text, /"invalid_request"/);
      t.is((await ask('/api/things/7')).status, 200);
    });
  }
}

test('the Host header › given two of them › it is 400', async (t) => {
  const { daemon } = await startFakeDaemon(t);
  const { status, text } = await say(
    daemon.port,
    'GET /api/things/7 HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  );
  t.is(status, 'HTTP/1.1 400 Bad Request');
  t.regex(text, /more than one Host header/);
});

const from = (origin: string) => ({ headers: { origin } });

test('the Origin header › given a page of another origin › a POST is 403, body or not, and a GET is answered', async (t) => {
  const { ask } = await startFakeDaemon(t);
  for (const origin of ['https://evil.example', 'null', 'http://localhost:1', 'no origin']) {
    for (const asking of [{ method: 'POST' }, { json: { title: 'x' } }]) {
      const { status, body } = await ask('/api/things/7/echo', { ...asking, ...from(origin) });
      t.is(status, 403);
      t.like(body, { code: 'origin_not_allowed', origin });
    }
    t.is((await ask('/api/things/7', { method: 'DELETE', ...from(origin) })).status, 403);
    t.is((await ask('/api/things/7', from(origin))).status, 200);
  }
});

test('the Origin header › given a page without an origin to name › nobody is told to name it', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const said = async (origin: string) =>
    String((await ask('/api/things/7/echo', { method: 'POST', ...from(origin) })).body['error']);
  t.regex(await said('https://evil.example'), /--cors-origin https:\/\/evil\.example/);
  t.notRegex(await said('null'), /--cors-origin null/);
});

test('the Origin header › given the daemon’s own, or one that CORS allows › a POST is answered', async (t) => {
  const own = await startFakeDaemon(t);
  const origin = `http://127.0.0.1:${own.daemon.port}`;
  t.is((await own.ask('/api/things/7/echo', { method: 'POST', ...from(origin) })).status, 200);
  const open = await startFakeDaemon(t, { corsOrigins: ['https://app.example'] });
  t.is(
    (await open.ask('/api/things/7/echo', { method: 'POST', ...from('https://app.example') })).status,
    200,
  );
  t.is((await open.ask('/api/things/7/echo', { method: 'POST', ...from('https://b.example') })).status, 403);
});
