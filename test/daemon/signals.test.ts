import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { listenForSignals } from '../../src/daemon/signals.js';
import { startDaemon } from '../../src/daemon/start-daemon.js';
import { fakeApp, recordLog } from '../http/fake-app.js';
import { ask } from '../http/fake-daemon.js';

const fakeProcess = () => {
  const exits: number[] = [];
  return Object.assign(new EventEmitter(), { exits, exit: (code: number) => exits.push(code) });
};

test('signals › given the first one › the daemon stops and listens to no more', async (t) => {
  const { app, controls } = fakeApp();
  const signals = fakeProcess();
  const daemon = await startDaemon({ app, port: 0, log: recordLog(), signals });
  signals.emit('SIGTERM');
  await daemon.stopped;
  t.true(controls.isClosed);
  t.deepEqual(signals.exits, []);
  t.is(signals.listenerCount('SIGTERM') + signals.listenerCount('SIGINT'), 0);
});

test('signals › given a second one › the process ends at once', (t) => {
  const signals = fakeProcess();
  let stops = 0;
  listenForSignals(signals, () => (stops += 1), recordLog());
  signals.emit('SIGTERM');
  t.deepEqual(signals.exits, []);
  signals.emit('SIGINT');
  t.deepEqual(signals.exits, [130]);
  t.is(stops, 1);
});

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A daemon in its own process, with its lines to be read one by one. */
const startProcess = async (t: ExecutionContext) => {
  const script = fileURLToPath(new URL('daemon-process.js', import.meta.url));
  const child: Child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(child, 'exit') as Promise<[code: number | null]>;
  t.teardown(() => child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => String((await lines.next()).value);
  const log: string[] = [];
  createInterface(child.stderr).on('line', (line) => log.push(line));
  return { child, exited, nextLine, log, url: await nextLine() };
};

test('SIGTERM › given a request under way › it is answered, the app is closed and the process ends with 0', async (t) => {
  const { child, exited, nextLine, log, url } = await startProcess(t);
  const slow = ask(`${url}/api/wait`);
  t.is(await nextLine(), 'entered');
  child.kill('SIGTERM');
  // A request that is refused shows that the stop has begun.
  let late = await ask(`${url}/api/things/7`);
  for (let tries = 0; late.status !== 503 && tries < 1000; tries += 1)
    late = await ask(`${url}/api/things/7`);
  t.is(late.status, 503);
  child.stdin.write('proceed\n');
  t.deepEqual((await slow).body, { success: true, waited: true });
  t.is(await nextLine(), 'closed');
  t.deepEqual(await exited, [0, null]);
  const entries = log.map((line) => JSON.parse(line) as Record<string, unknown>);
  t.true(entries.some(({ level, msg }) => level === 'info' && msg === 'GET /api/wait 200'));
});

test('SIGINT › given a second one while a request hangs › the process ends at once with 130', async (t) => {
  const { child, exited, nextLine, url } = await startProcess(t);
  const slow = t.throwsAsync(ask(`${url}/api/wait`));
  t.is(await nextLine(), 'entered');
  child.kill('SIGINT');
  let late = await ask(`${url}/api/things/7`);
  for (let tries = 0; late.status !== 503 && tries < 1000; tries += 1)
    late = await ask(`${url}/api/things/7`);
  child.kill('SIGINT');
  t.deepEqual(await exited, [130, null]);
  await slow;
});
