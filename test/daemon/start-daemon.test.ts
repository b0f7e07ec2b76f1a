import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { startDaemon } from '../../src/daemon/start-daemon.js';
import { fakeApp, recordLog } from '../http/fake-app.js';
import { ask as askUrl, startFakeDaemon } from '../http/fake-daemon.js';

test('a daemon › given port 0 › it says where it listens', async (t) => {
  const { daemon } = await startFakeDaemon(t);
  t.is(daemon.url, `http://127.0.0.1:${daemon.port}`);
  t.is((await askUrl(`${daemon.url}/api/things/7`)).status, 200);
});

test('a daemon › given a name for the host › it is bound and answered', async (t) => {
  const { daemon } = await startFakeDaemon(t, { host: 'localhost' });
  t.is((await askUrl(`${daemon.url}/api/things/7`)).status, 200);
});

test('a daemon › given a port in use › it says so by name', async (t) => {
  const { daemon } = await startFakeDaemon(t);
  const { app } = fakeApp();
  const error = await t.throwsAsync(
    startDaemon({ app, port: daemon.port, log: recordLog(), signals: null }),
    { name: 'TreasuryError', message: /port in|in use/ },
  );
  t.like(error, { code: 'invalid_setting', details: { setting: 'port', value: daemon.port } });
});

test('a daemon › given an address of another machine › it is refused', async (t) => {
  const error = await t.throwsAsync(
    startDaemon({ app: fakeApp().app, host: '192.0.2.1', port: 0, log: recordLog(), signals: null }),
  );
  t.like(error, { code: 'invalid_setting', details: { setting: 'host', value: '192.0.2.1' } });
});

test('stopping › given a request under way › it is answered, new ones are 503, and then the app is closed', async (t) => {
  const { daemon, controls, ask } = await startFakeDaemon(t);
  const entered = once(controls.gate, 'entered');
  const slow = ask('/api/wait');
  await entered;

  const stopped = daemon.stop();
  const late = await ask('/api/things/7');
  t.is(late.status, 503);
  t.is(late.headers.connection, 'close');
  t.like(late.body, { code: 'shutting_down', retryable: true });
  t.false(controls.isClosed);

  controls.gate.emit('proceed');
  t.deepEqual((await slow).body, { success: true, waited: true });
  await stopped;
  t.true(controls.isClosed);
});

test('stopping › given a client that has gone away › what it asked for is still waited for', async (t) => {
  const { daemon, controls, ask, lines } = await startFakeDaemon(t);
  const entered = once(controls.gate, 'entered');
  const socket = connect(daemon.port, '127.0.0.1');
  socket.write('GET /api/wait HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await entered;
  socket.destroy();
  const isNoticed = () => lines.some(({ path, aborted }) => path === '/api/wait' && aborted === true);
  for (let tries = 0; !isNoticed() && tries < 1000; tries += 1) await ask('/api/things/7');
  t.true(isNoticed());

  const stopped = daemon.stop();
  t.is((await ask('/api/things/7')).status, 503);
  t.false(controls.isClosed);
  controls.gate.emit('proceed');
  await stopped;
  t.true(controls.isClosed);
});

test('stopping › given a request that never ends › it is cut off after the time for it', async (t) => {
  const { daemon, controls, ask, lines } = await startFakeDaemon(t, { drainMilliseconds: 20 });
  const entered = once(controls.gate, 'entered');
  const cutOff = t.throwsAsync(ask('/api/wait'), { code: 'ECONNRESET' });
  await entered;
  await daemon.stop();
  await cutOff;
  t.true(controls.isClosed);
  t.true(lines.some(({ level, milliseconds }) => level === 'warn' && milliseconds === 20));
});

test('stopping › given an idle connection › it does not hold the daemon', async (t) => {
  const { daemon } = await startFakeDaemon(t);
  const socket = connect(daemon.port, '127.0.0.1');
  await once(socket, 'connect');
  await daemon.stop();
  await t.throwsAsync(askUrl(`${daemon.url}/api/things/7`), { code: 'ECONNREFUSED' });
  socket.destroy();
});

test('stopping › given a second call › it is the same stop', async (t) => {
  const { app } = fakeApp();
  let closed = 0;
  const close = (): Promise<void> => {
    closed += 1;
    return Promise.resolve();
  };
  const daemon = await startDaemon({ app: { ...app, close }, port: 0, log: recordLog(), signals: null });
  await Promise.all([daemon.stop(), daemon.stop(), daemon.stopped]);
  t.is(closed, 1);
});

test('stopping › given an app that cannot be closed › the caller hears of it', async (t) => {
  const { app } = fakeApp();
  const close = (): Promise<void> => Promise.reject(new Error('disk full'));
  const log = recordLog();
  const daemon = await startDaemon({ app: { ...app, close }, port: 0, log, signals: null });
  await t.throwsAsync(daemon.stop(), { message: 'disk full' });
  await t.throwsAsync(daemon.stopped, { message: 'disk full' });
  t.true(log.lines.some(({ level }) => level === 'error'));
});

const recordWorker = (name: string, events: string[], failing = false) => ({
  name,
  start: () => {
    events.push(`start ${name}`);
    return failing ? Promise.reject(new Error(`${name} cannot start`)) : Promise.resolve();
  },
  stop: () => {
    events.push(`stop ${name}`);
    return Promise.resolve();
  },
});

test('workers › given two › they start in order and stop in reverse, before the app is closed', async (t) => {
  const { app } = fakeApp();
  const events: string[] = [];
  const close = (): Promise<void> => {
    events.push('close app');
    return Promise.resolve();
  };
  const workers = [recordWorker('a', events), recordWorker('b', events)];
  const daemon = await startDaemon({
    app: { ...app, close },
    port: 0,
    log: recordLog(),
    signals: null,
    workers,
  });
  await daemon.stop();
  t.deepEqual(events, ['start a', 'start b', 'stop b', 'stop a', 'close app']);
});

test('workers › given one that cannot start › those before it are stopped and the port is free again', async (t) => {
  const { daemon: other } = await startFakeDaemon(t);
  const { port } = other;
  await other.stop();
  const { app, controls } = fakeApp();
  const events: string[] = [];
  const settings = { app, port, log: recordLog(), signals: null };
  const workers = [recordWorker('a', events), recordWorker('b', events, true)];
  await t.throwsAsync(startDaemon({ ...settings, workers }), { message: 'b cannot start' });
  t.deepEqual(events, ['start a', 'start b', 'stop a']);
  t.false(controls.isClosed);
  const daemon = await startDaemon(settings);
  t.is(daemon.port, port);
  await daemon.stop();
});
