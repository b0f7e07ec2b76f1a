/** A daemon in a process of its own, for tests of signals: prints its URL, then each step of a slow request. */
import { startDaemon } from '../../src/daemon/start-daemon.js';
import { fakeApp } from '../http/fake-app.js';

const { app, controls } = fakeApp();
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

controls.gate.on('entered', () => {
  say('entered');
});
// The parent lets slow requests go on by writing a line.
process.stdin.on('data', () => controls.gate.emit('proceed'));
process.stdin.unref();

const daemon = await startDaemon({ app, port: 0 });
say(daemon.url);
await daemon.stopped;
say(controls.isClosed ? 'closed' : 'left open');
