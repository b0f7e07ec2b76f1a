import test from 'ava';
import { startDaemon } from '../../src/daemon/start-daemon.js';
import { alice, aliceToken, bob, bobToken, fakeApp, recordLog } from './fake-app.js';
import { ask, startFakeDaemon } from './fake-daemon.js';

test('the rate limit › given one request too many › it is a 429 with Retry-After', async (t) => {
  const { ask } = await startFakeDaemon(t, { ratePerMinute: 2 });
  await ask('/api/things/7');
  await ask('/api/nothing');
  const { status, headers, body } = await ask('/api/things/7');
  t.is(status, 429);
  t.like(body, { code: 'too_many_requests', retryable: true });
  t.is(headers['retry-after'], String(body['retryAfter']));
  t.true(Number(headers['retry-after']) >= 1 && Number(headers['retry-after']) <= 60);
});

test('the rate limit › given proven callers behind one IP › each has its own', async (t) => {
  const { ask } = await startFakeDaemon(t, { ratePerMinute: 1 });
  const as = (token: string) => ask('/api/things/7', { headers: { authorization: `Bearer ${token}` } });
  t.is((await as(aliceToken)).status, 200);
  t.is((await as(bobToken)).status, 200);
  t.is((await as(aliceToken)).status, 429);
});

test('the rate limit › given headers that prove nothing › they all count for the IP', async (t) => {
  const { ask } = await startFakeDaemon(t, { host: '0.0.0.0', ratePerMinute: 2 });
  const as = (headers: Record<string, string>) => ask('/api/things/newest', { headers });
  t.is((await as({ 'x-user-address': alice })).status, 200);
  t.is((await as({ 'x-user-address': bob })).status, 200);
  t.is((await as({ authorization: 'Bearer made-up' })).status, 429);
});

test('the rate limit › given a loopback daemon › there is none by default', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const statuses = new Set<number>();
  for (let count = 0; count < 301; count += 1) statuses.add((await ask('/api/things/newest')).status);
  t.deepEqual([...statuses], [200]);
});

test('the rate limit › given a proven caller › their token is verified once for limit, log and operation', async (t) => {
  const { app } = fakeApp([]);
  let verified = 0;
  const verify = (token: string) => {
    verified += 1;
    return app.context.access.verify(token);
  };
  const context = { ...app.context, access: { ...app.context.access, verify } };
  const daemon = await startDaemon({
    app: { ...app, context },
    port: 0,
    log: recordLog(),
    signals: null,
    ratePerMinute: 10,
  });
  t.teardown(daemon.stop);
  const headers = { authorization: `Bearer ${aliceToken}` };
  const { status } = await ask(`http://127.0.0.1:${daemon.port}/api/things/7`, { headers });
  t.is(status, 200);
  t.is(verified, 1);
});
