/** The servers that are measured, each in a process of its own: the daemon on a home, and bare Polka. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { askWell, openClient } from './connection.js';
import type { Watched } from './watched.js';

const fileOf = (path: string): string => new URL(path, import.meta.url).pathname;
/** The program that is measured: another checkout's may be named, to compare. */
const PROGRAM = process.env['BENCH_PROGRAM'] ?? fileOf('../../bin/treasury.js');

export type MeasuredServer = {
  readonly port: number;
  /** How long its event loop was held since the last question, and its CPU so far. */
  readonly watched: () => Promise<Watched>;
  /** From now on it tells what it computes between two turns. */
  readonly countTurns: () => void;
  readonly stop: () => Promise<void>;
};

/** The next message of a name. @throws Error when the server ends before it comes */
const messageOf = <T>(child: ChildProcess, name: string): Promise<T> =>
  new Promise((resolve, reject) => {
    const settle = (work: () => void): void => {
      child.off('message', hear).off('exit', end);
      work();
    };
    const hear = (message: Record<string, T>): void => {
      const found = message[name];
      if (found !== undefined)
        settle(() => {
          resolve(found);
        });
    };
    const end = (): void => {
      settle(() => {
        reject(new Error('the server has ended'));
      });
    };
    child.on('message', hear).on('exit', end);
  });

const measured = (child: ChildProcess, port: number): MeasuredServer => ({
  port,
  watched: async () => {
    const answer = messageOf<Watched>(child, 'watched');
    child.send('watched');
    return answer;
  },
  countTurns: () => {
    child.send('count turns');
  },
  stop: async () => {
    if (child.exitCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  },
});

/** Serves a home as it is served by default, its log thrown away, and returns once it watches the chain. */
export const serveHome = async (home: string, flags: readonly string[] = []): Promise<MeasuredServer> => {
  const args = ['--import', fileOf('watched.js'), PROGRAM, 'serve', '--port', '0', '--network', 'local'];
  const child = spawn(process.execPath, [...args, ...flags], {
    env: { ...process.env, TREASURY_HOME: home, NO_COLOR: '1' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  while (!said.includes('"watching the chain"')) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (child.exitCode !== null) throw new Error(said);
  }
  child.stderr?.removeAllListeners('data').resume();
  const port = Number(/"url":"http:\/\/[^"]+:(\d+)"/.exec(said)?.[1]);
  return measured(child, port);
};

/** Serves what another server answers to these paths: the same bytes, written anew from the same data each time. */
export const serveBare = async (from: MeasuredServer, paths: readonly string[]): Promise<MeasuredServer> => {
  const client = openClient(from.port, 1);
  const bodies: [path: string, body: string][] = [];
  for (const path of paths) bodies.push([path, await askWell(client, { path })]);
  client.close();
  const child = spawn(process.execPath, ['--import', fileOf('watched.js'), fileOf('bare-polka.js')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await messageOf(child, 'isUp');
  const port = messageOf<number>(child, 'port');
  child.send({ bodies });
  return measured(child, await port);
};
