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
