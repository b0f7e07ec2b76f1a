/**
 * Daemons on one database, and one on a JSON home: how soon one answers, what it holds, how long lists and records take
 * over HTTP, and how many reads and confirms a second 1, 2 and 3 of them answer, asked in turn. They follow a chain behind
 * an Electrum server of this machine. What is measured and with which settings: `postgres.ts`.
 *
 * DAEMONS=1,2,3 and POSTGRES_SIZES=10000 measure less; DAEMON_BASE=/folder keeps the streams on chain for the next run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bob } from '../fixtures/people.js';
import { runSql } from '../test/postgres/server.js';
import { startChainProcess } from './chain-process.js';
import { baseOf, makeBase, type Base } from './daemon.js';
import { askWell, openClient, type BenchRequest } from './load/connection.js';
import { fillDatabase, makeTables } from './load/database.js';
import { isAliveOf, withServer } from './postgres.js';
import { fillHome, median, p99, residentOf, round } from './scale.js';

const NETWORK = 'regtest';
const PROGRAM = process.env['DAEMON_PROGRAM'] ?? new URL('../bin/treasury.js', import.meta.url).pathname;
const SIZES = (process.env['POSTGRES_SIZES'] ?? '10000,100000').split(',').map(Number);
const DAEMONS = (process.env['DAEMONS'] ?? '1,2,3').split(',').map(Number);
/** Streams of the base that is on chain, and the number of the first behind them. */
const FIRST = 1_102;
const CONFIRMS = Number(process.env['POSTGRES_CONFIRMS'] ?? 150);
const READS = 100;
const AT_ONCE = 8;
const LIMIT_MS = 600_000;

type Figures = Record<string, number>;
type Daemon = {
  readonly port: number;
  readonly answersAfter: number;
  readonly watchesAfter: number;
  readonly resident: () => number;
  readonly cpu: () => number;
  readonly stop: () => Promise<void>;
};

const cpuOf = (pid: number): number => {
  const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) * 10;
};

const startDaemon = async (home: string, env: Readonly<Record<string, string>>): Promise<Daemon> => {
  const from = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--network', NETWORK], {
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
      if (child.exitCode !== null || performance.now() - from > LIMIT_MS) throw new Error(said.slice(-2_000));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const port = Number(await until(() => /"url":"http:\/\/[^"]+:(\d+)"/.exec(said)?.[1]));
  const client = openClient(port, 1);
  await askWell(client, { path: '/api/health' });
  client.close();
  const answersAfter = performance.now() - from;
  await until(() => (said.includes('"watching the chain"') ? true : null));
  return {
    port,
    answersAfter,
    watchesAfter: performance.now() - from,
    resident: () => residentOf(child.pid ?? 0) / 1_024,
    cpu: () => cpuOf(child.pid ?? 0),
    stop: async () => {
      if (child.exitCode !== null) return;
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
    },
  };
};

/** Asks in turn, one daemon after the other, several at once; the times of each, and what it cost. */
const askAll = async (daemons: readonly Daemon[], requests: readonly BenchRequest[]) => {
  const clients = daemons.map(({ port }) => openClient(port, AT_ONCE));
  const times: number[] = [];
  const before = daemons.reduce((all, { cpu }) => all + cpu(), 0);
  const from = performance.now();
  let next = 0;
  const side = async (): Promise<void> => {
    for (;;) {
      const at = next;
      next += 1;
      const [request, client] = [requests[at], clients[at % clients.length]];
      if (request === undefined || client === undefined) return;
      const asked = performance.now();
      await askWell(client, request);
      times.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, side));
  const seconds = (performance.now() - from) / 1_000;
  for (const client of clients) client.close();
  const cpu = daemons.reduce((all, daemon) => all + daemon.cpu(), 0) - before;
  return { perSecond: times.length / seconds, cpu: cpu / times.length, times };
};

const repeat = (count: number, paths: readonly string[]): BenchRequest[] =>
  Array.from({ length: count }, (_, turn) => ({ path: paths[turn % paths.length] ?? '' }));

/** Reads of one or more daemons. */
const measureReads = async (daemons: readonly Daemon[], figures: Figures, name: string): Promise<void> => {
  const [first] = daemons;
  if (first === undefined) return;
  const client = openClient(first.port, 1);
  const page = JSON.parse(await askWell(client, { path: '/api/streams?limit=100&status=PENDING' })) as {
    streams: { id: string }[];
  };
  client.close();
  const asked = {
    list: ['/api/streams?limit=20'],
    show: page.streams.map(({ id }) => `/api/streams/${id}`),
    activity: ['/api/streams/activity?limit=20'],
  };
  for (const [what, paths] of Object.entries(asked)) {
    await askAll(daemons, repeat(READS / 2, paths));
    const { perSecond, cpu, times } = await askAll(daemons, repeat(READS * daemons.length, paths));
    Object.assign(figures, {
      [`${name}: ${what} a second`]: perSecond,
      [`${name}: ${what} CPU`]: cpu,
      [`${name}: ${what} p50`]: median(times),
      [`${name}: ${what} p99`]: p99(times),
    });
  }
};

const startAll = (count: number, homes: readonly string[], env: Readonly<Record<string, string>>) =>
  Promise.all(homes.slice(0, count).map((home) => startDaemon(home, env)));

type Scene = { readonly size: number; readonly base: Base; readonly server: string | null };

/** A place for the records of a size: a database, or a home. */
const makePlace = async (
  { size, base, server }: Scene,
  home: string,
): Promise<Readonly<Record<string, string>>> => {
  if (server === null) {
    cpSync(join(base.folder, 'home'), home, { recursive: true });
    await fillHome(join(home, NETWORK), size, NETWORK, FIRST);
    return {};
  }
  const name = `bench_daemons_${size}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await runSql(server, `drop database if exists ${name} with (force)`);
  await runSql(server, `create database ${name}`);
  await makeTables(url.href, NETWORK, join(base.folder, 'home', NETWORK));
  await fillDatabase({ url: url.href, network: NETWORK, from: FIRST, to: size, isAlive: isAliveOf(size) });
  return { TREASURY_DATABASE_URL: url.href };
};

/** Everything at one size, of a database or of a home. */
const measureSize = async (scene: Scene, given?: Readonly<Record<string, string>>): Promise<Figures> => {
  const { base, server } = scene;
  const figures: Figures = {};
  const folders = Array.from({ length: 4 }, () => mkdtempSync(join(tmpdir(), 'treasury-bench-')));
  const [chainFolder = '', ...homes] = folders;
  cpSync(join(base.folder, 'chain'), chainFolder, { recursive: true });
  const place = given ?? (await makePlace(scene, homes[0] ?? ''));
  const chain = await startChainProcess(chainFolder);
  const env = { ...place, TREASURY_ELECTRUM: chain.url };
  let next = 0;
  try {
    for (const count of server === null ? [1] : DAEMONS) {
      const daemons = await startAll(count, homes, env);
      const name = `${count}`;
      figures[`${name}: answers after`] = Math.max(...daemons.map(({ answersAfter }) => answersAfter));
      figures[`${name}: watches after`] = Math.max(...daemons.map(({ watchesAfter }) => watchesAfter));
      figures[`${name}: MB once it watches`] = Math.max(...daemons.map(({ resident }) => resident()));
      await measureReads(daemons, figures, name);
      const claims = given === undefined ? base.claims.slice(next, (next += CONFIRMS)) : [];
      if (claims.length > 0) {
        await chain.order({ broadcast: claims.map(({ raw }) => raw), mine: 0 });
        const requests = claims.map(({ id, txHash }) => ({
          path: `/api/streams/${id}/confirm-claim`,
          body: { txHash },
          caller: bob.address(NETWORK).text,
        }));
        const { perSecond, cpu, times } = await askAll(daemons, requests);
        Object.assign(figures, {
          [`${name}: confirms a second`]: perSecond,
          [`${name}: confirm CPU`]: cpu,
          [`${name}: confirm p50`]: median(times),
          [`${name}: confirm p99`]: p99(times),
        });
      }
      figures[`${name}: MB at the end`] = Math.max(...daemons.map(({ resident }) => resident()));
      await Promise.all(daemons.map(({ stop }) => stop()));
    }
  } finally {
    await chain.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
  return figures;
};

const tell = (store: string, records: number, figures: Figures): void => {
  for (const [what, figure] of Object.entries(figures))
    console.log(JSON.stringify({ store, records, what, figure: round(figure) }));
};

/** Measures daemons at every size; `POSTGRES_DATABASE` names a database that is taken as it is, without confirms. */
export const benchPostgresDaemons = async (): Promise<void> => {
  const base = await baseOf(NETWORK, makeBase);
  const given = process.env['POSTGRES_DATABASE'];
  if (given !== undefined) {
    tell(
      'PostgreSQL',
      NaN,
      await measureSize({ size: 0, base, server: given }, { TREASURY_DATABASE_URL: given }),
    );
    return;
  }
  await withServer(async (server) => {
    for (const size of SIZES) {
      tell('PostgreSQL', size, await measureSize({ size, base, server }));
      if (process.env['POSTGRES_JSON'] !== 'no')
        tell('JSON', size, await measureSize({ size, base, server: null }));
    }
  });
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await benchPostgresDaemons();
