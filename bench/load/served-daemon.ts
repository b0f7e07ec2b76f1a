/** `treasury serve` on a home or a database, as it is measured from outside. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Network } from '../../src/bch/network.js';
import { askWell, openClient } from './connection.js';

export type ServedDaemon = {
  readonly port: number;
  /** Milliseconds from its start. */
  readonly answersAfter: number;
  readonly watchesAfter: number;
  /** Megabytes that it holds, and that it has held at most. */
  readonly resident: () => number;
  readonly mostResident: () => number;
  readonly stop: () => Promise<void>;
};

const PROGRAM = process.env['DAEMON_PROGRAM'] ?? new URL('../../bin/treasury.js', import.meta.url).pathname;
/** Options of Node: `--heapsnapshot-signal=SIGUSR2`, say. */
const OPTIONS = process.env['DAEMON_NODE_OPTIONS']?.split(' ') ?? [];
const LIMIT_MS = 600_000;

const megabytesOf = (pid: number, figure: string): number =>
  Number(new RegExp(`${figure}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

/** Starts it, and waits until it watches all. @throws Error with what it said, when it ends before that */
export const startServedDaemon = async (
  home: string,
  network: Network,
  env: Readonly<Record<string, string>>,
): Promise<ServedDaemon> => {
  const from = performance.now();
  const child = spawn(process.execPath, [...OPTIONS, PROGRAM, 'serve', '--port', '0', '--network', network], {
    env: { ...process.env, TREASURY_HOME: home, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (said = (said + chunk).slice(-100_000)));
  const until = async <T>(look: () => T | null | undefined): Promise<T> => {
    for (;;) {
      const found = look();
      if (found !== null && found !== undefined) return found;
      if (child.exitCode !== null || performance.now() - from > LIMIT_MS) {
        child.kill('SIGKILL');
        throw new Error(said.slice(-2_000));
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const port = Number(await until(() => /"url":"http:\/\/[^"]+:(\d+)"/.exec(said)?.[1]));
  const client = openClient(port, 1);
  await askWell(client, { path: '/api/health' });
  client.close();
  const answersAfter = performance.now() - from;
  await until(() => (said.includes('"watching the chain"') ? true : null));
  const watchesAfter = performance.now() - from;
  const pid = child.pid ?? 0;
  return {
    port,
    answersAfter,
    watchesAfter,
    resident: () => megabytesOf(pid, 'VmRSS'),
    mostResident: () => megabytesOf(pid, 'VmHWM'),
    stop: async () => {
      if (child.exitCode !== null) return;
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
    },
  };
};
