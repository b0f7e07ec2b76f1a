import { once } from 'node:events';
import { connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { openPrometheusMeters } from '../../src/adapters/meters/prometheus-meters.js';
import type { DaemonSettings } from '../../src/daemon/start-daemon.js';
import { alice, aliceToken } from './fake-app.js';
import { startFakeDaemon, type FakeDaemon } from './fake-daemon.js';

type Metered = FakeDaemon & {
  /** The lines of `/metrics` that are no comments. */
  readonly scrape: () => Promise<readonly string[]>;
};

const startMetered = async (
  t: ExecutionContext,
  settings: Partial<DaemonSettings> = {},
): Promise<Metered> => {
  const meters = openPrometheusMeters({ version: '9.9.9', network: 'local' });
  const daemon = await startFakeDaemon(t, settings, [], meters);
  const scrape = async () => {
    const { text } = await daemon.ask('/metrics');
    return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  };
  return { ...daemon, scrape };
};

const requestsOf = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => line.startsWith('http_requests_total'));

test('/metrics › given metrics that are off › it is a 404 like any path that is not there', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const [metrics, nothing] = [await ask('/metrics'), await ask('/nothing')];
  t.is(metrics.status, 404);
  t.like(metrics.body, { success: false, code: 'route_not_found', path: '/metrics' });
  t.is(metrics.headers['content-type'], nothing.headers['content-type']);
});

test('/metrics › given metrics that are on › it is text in the format of Prometheus', async (t) => {
  const { ask } = await startMetered(t);
  const { status, headers, text } = await ask('/metrics');
  t.is(status, 200);
  t.is(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  t.is(headers['cache-control'], 'no-store');
  t.regex(text, /^# TYPE http_requests_total counter$/m);
});

test('/metrics › given another method › it is a 405, and HEAD is answered', async (t) => {
  const { ask } = await startMetered(t);
  const posted = await ask('/metrics', { method: 'POST' });
  t.is(posted.status, 405);
  t.is(posted.headers.allow, 'GET, HEAD, OPTIONS');
  t.is((await ask('/metrics', { method: 'HEAD' })).status, 200);
});

test('/metrics › given a Host that is no loopback name › it is refused like any request', async (t) => {
  const { ask } = await startMetered(t);
  t.is((await ask('/metrics', { headers: { host: 'evil.example' } })).status, 403);
});

test('/metrics › given a daemon bound to every address › it is shown without credentials', async (t) => {
  const { ask } = await startMetered(t, { host: '0.0.0.0' });
  t.is((await ask('/metrics')).status, 200);
});

test('/metrics › given a rate limit › asking for it does not count, and is not refused', async (t) => {
  const { ask, scrape } = await startMetered(t, { ratePerMinute: 1 });
  for (let count = 0; count < 3; count += 1) t.is((await ask('/metrics')).status, 200);
  t.is((await ask('/api/things/7')).status, 200);
  t.is((await ask('/api/things/7')).status, 429);
  t.is((await ask('/metrics')).status, 200);
  t.true((await scrape()).includes('http_requests_limited_total 1'));
});

test('/metrics › given metrics that are off and a rate limit › asking for it counts', async (t) => {
  const { ask } = await startFakeDaemon(t, { ratePerMinute: 1 });
  await ask('/metrics');
  t.is((await ask('/metrics')).status, 429);
});

test('/metrics › given that only it is asked for › nothing is measured', async (t) => {
  const { scrape } = await startMetered(t);
  await scrape();
  const lines = await scrape();
  t.deepEqual(requestsOf(lines), []);
  t.true(lines.includes('http_requests_in_flight 0'));
});

test('requests › given answers of one route › they are counted by status under its pattern', async (t) => {
  const { ask, scrape } = await startMetered(t);
  await ask('/api/things/7');
  await ask('/api/things/8/');
  await ask('/api/things/none');
  await ask('/api/things/7', { method: 'HEAD' });
  await ask('/api/things/newest');
  const lines = await scrape();
  t.deepEqual([...requestsOf(lines)].sort(), [
    'http_requests_total{method="GET",route="/api/things/:id",status="200"} 2',
    'http_requests_total{method="GET",route="/api/things/:id",status="404"} 1',
    'http_requests_total{method="GET",route="/api/things/newest",status="200"} 1',
    'http_requests_total{method="HEAD",route="/api/things/:id",status="200"} 1',
  ]);
  t.true(lines.includes('http_request_duration_seconds_count{method="GET",route="/api/things/:id"} 3'));
});

test('requests › given paths that are not there › they share one series', async (t) => {
  const { ask, scrape } = await startMetered(t);
  for (const path of ['/api/nothing', '/api/none/at/all', '/favicon.ico', '/%00']) await ask(path);
  t.deepEqual(requestsOf(await scrape()), [
    'http_requests_total{method="GET",route="unmatched",status="404"} 4',
  ]);
});

test('requests › given methods that no route has › they share one series', async (t) => {
  const { ask, scrape } = await startMetered(t);
  for (const method of ['PATCH', 'PUT', 'PROPFIND']) await ask('/api/things/7', { method });
  t.deepEqual(requestsOf(await scrape()), [
    'http_requests_total{method="other",route="/api/things/:id",status="405"} 3',
  ]);
});

test('requests › given ones refused before their route › they are counted under it', async (t) => {
  const { ask, scrape } = await startMetered(t, { ratePerMinute: 1 });
  await ask('/api/things/7');
  await ask('/api/things/8');
  await ask('/api/things/9', { headers: { host: 'evil.example' } });
  t.deepEqual(
    requestsOf(await scrape()).map((line) => line.replace(/^.*status="(\d+)"} /, '$1 ')),
    ['200 1', '429 1', '403 1'],
  );
  t.true(requestsOf(await scrape()).every((line) => line.includes('route="/api/things/:id"')));
});

test('requests › given one that is being answered › it is in flight, and then no more', async (t) => {
  const { ask, controls, scrape } = await startMetered(t);
  const entered = once(controls.gate, 'entered');
  const slow = ask('/api/wait');
  await entered;
  t.true((await scrape()).includes('http_requests_in_flight 1'));
  controls.gate.emit('proceed');
  await slow;
  t.true((await scrape()).includes('http_requests_in_flight 0'));
});

test('requests › given a client that goes away › its request ends as aborted', async (t) => {
  const { daemon, controls, scrape } = await startMetered(t);
  const entered = once(controls.gate, 'entered');
  const socket = connect(daemon.port, '127.0.0.1');
  socket.write('GET /api/wait HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await entered;
  socket.destroy();
  const expected = 'http_requests_total{method="GET",route="/api/wait",status="aborted"} 1';
  let lines = await scrape();
  for (let tries = 0; !lines.includes(expected) && tries < 1000; tries += 1) lines = await scrape();
  t.true(lines.includes(expected));
  t.true(lines.includes('http_requests_in_flight 0'));
});

test('requests › given a creation that is asked for twice › the replay is counted', async (t) => {
  const { ask, scrape } = await startMetered(t);
  const headers = { 'x-user-address': alice, 'idempotency-key': 'once' };
  for (let count = 0; count < 3; count += 1) await ask('/api/things', { json: { title: 'one' }, headers });
  t.true((await scrape()).includes('http_requests_replayed_total 2'));
});

test('requests › given addresses, tokens and transactions in them › no metric names any', async (t) => {
  const { ask } = await startMetered(t);
  const txid = 'ab'.repeat(32);
  const headers = {
    'x-user-address': alice,
    authorization: `Bearer ${aliceToken}`,
    'x-request-id': 'trace-1',
  };
  await ask(`/api/things/${alice}?token=${aliceToken}`, { headers });
  await ask(`/api/things/${txid}/pay`, { headers, json: { to: alice, tokenType: 'BCH' } });
  await ask(`/nothing/${txid}/${alice}`, { headers });
  const { text } = await ask('/metrics', { headers });
  t.is(requestsOf(text.split('\n')).length, 3);
  for (const secret of [alice, alice.split(':')[1] ?? '', txid, aliceToken, 'trace-1']) {
    t.false(text.includes(secret), secret);
  }
});
