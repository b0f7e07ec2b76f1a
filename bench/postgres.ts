/**
 * The store on PostgreSQL beside the JSON store, and against the bare statements of `pg` that do the least for the same,
 * by turns in one run: a record by its id, pages of 20 by a column and by a table of many values, a page of activity with
 * what it tells of, and a commit that changes a record with its event.
 *
 * Aims: reads at least 0.6 of the bare statement, commits at least 0.5.
 *
 * POSTGRES_SIZES=10000 measures one size. POSTGRES_BENCH_URL names a server to be used instead of one in memory; a
 * database `bench_<size>` that is there already is taken as it is, and stays. POSTGRES_JSON_MOST: the JSON store is not
 * measured above it. `postgres-daemons.ts` measures daemons.
 */
import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { openPostgresStore, schemaOf } from '../src/adapters/postgres/postgres-store.js';
import { openJsonStore } from '../src/adapters/store/json-store.js';
import { collections } from '../src/collections.js';
import type { StorePort } from '../src/operation/ports/store.js';
import { ownServer, runSql } from '../test/postgres/server.js';
import { fillDatabase, makeTables } from './load/database.js';
import { bareWork, storeWork, WORK, type Work, type WorkName } from './load/store-work.js';
import { fillHome, median, p99, round } from './scale.js';

export type PostgresBenchRow = {
  readonly records: number;
  readonly what: string;
  readonly by: string;
  /** Of the median round, several at once. */
  readonly perSecond: number;
  /** Milliseconds of CPU of each: of this process, and of the server's. Of the best round. */
  readonly cpu: number;
  readonly serverCpu: number;
  readonly p50: number;
  readonly p99: number;
  /** Requests a second against the bare statement; and by the CPU of this process and the server. */
  readonly ratio?: number;
  readonly cpuRatio?: number;
};

const NETWORK = 'regtest';
const SIZES = (process.env['POSTGRES_SIZES'] ?? '10000,100000').split(',').map(Number);
const JSON_MOST = Number(process.env['POSTGRES_JSON_MOST'] ?? 100_000);
const ALIVE = 40_000;
const AT_ONCE = 8;
const CONNECTIONS = 10;
const ROUNDS = Number(process.env['POSTGRES_ROUNDS'] ?? 5);
const ROUND_MS = 1_000;
/** Calls of each side before anything counts, and the longest that they may take: until then what runs is compiled. */
const WARM_UP = { calls: Number(process.env['POSTGRES_WARM'] ?? 4_000), ms: 15_000 };
/** Records that are asked for by their ids. */
const MOST_ASKED = 20_000;
const AIMS = { reads: 0.6, commits: 0.5 };

type Measured = {
  readonly perSecond: number;
  readonly cpu: number;
  readonly serverCpu: number;
  readonly times: number[];
};

/** Seconds of CPU that a process has used; 0 when it has gone. */
const cpuOfProcess = (pid: number): number => {
  try {
    const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return (user + system) / 100;
  } catch {
    return 0;
  }
};

/** Seconds of CPU of each of the server's processes for a database, where it runs on this machine. */
const serverCpuOf = async (url: string): Promise<ReadonlyMap<number, number>> => {
  const rows = await runSql(url, 'select pid from pg_stat_activity where datname = current_database()');
  return new Map(rows.map(({ pid }) => [Number(pid), cpuOfProcess(Number(pid))]));
};

/** What those that are still there have used since. */
const usedSince = async (url: string, before: ReadonlyMap<number, number>): Promise<number> =>
  [...(await serverCpuOf(url))].reduce((all, [pid, used]) => all + used - (before.get(pid) ?? 0), 0);

/** Asks several at once until enough is asked. @returns how long each took, milliseconds */
const ask = async (work: Work, isEnough: (asked: number, ms: number) => boolean): Promise<number[]> => {
  const times: number[] = [];
  const from = performance.now();
  const side = async (): Promise<void> => {
    while (!isEnough(times.length, performance.now() - from)) {
      const asked = performance.now();
      await work();
      times.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, side));
  return times;
};

const measure = async (url: string | null, work: Work): Promise<Measured> => {
  const served = url === null ? null : await serverCpuOf(url);
  const cpu = process.cpuUsage();
  const from = performance.now();
  const times = await ask(work, (_, ms) => ms >= ROUND_MS);
  const seconds = (performance.now() - from) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const server = url === null || served === null ? 0 : await usedSince(url, served);
  return {
    perSecond: times.length / seconds,
    cpu: (user + system) / 1_000 / times.length,
    serverCpu: (server * 1_000) / times.length,
    times,
  };
};

type Side = {
  readonly by: string;
  readonly url: string | null;
  readonly work: Readonly<Record<WorkName, Work>>;
};

/** Measures the sides by turns, once they are warm. */
const compare = async (
  sides: readonly Side[],
  what: WorkName,
  records: number,
): Promise<PostgresBenchRow[]> => {
  const rounds: Measured[][] = sides.map(() => []);
  for (const side of sides)
    await ask(side.work[what], (asked, ms) => asked >= WARM_UP.calls || ms >= WARM_UP.ms);
  for (let turn = 0; turn < ROUNDS; turn += 1)
    for (const [at, side] of sides.entries()) rounds[at]?.push(await measure(side.url, side.work[what]));
  const rows = rounds.map((all, at) => {
    const best = all.toSorted((a, b) => a.cpu + a.serverCpu - b.cpu - b.serverCpu)[0];
    const times = all.flatMap((one) => one.times);
    return {
      records,
      what,
      by: sides[at]?.by ?? '',
      perSecond: Math.round(median(all.map(({ perSecond }) => perSecond))),
      cpu: round(best?.cpu ?? NaN),
      serverCpu: round(best?.serverCpu ?? NaN),
      p50: round(median(times)),
      p99: round(p99(times)),
    };
  });
  const [bare] = rows;
  return rows.map((row, at) =>
    at === 0 || bare === undefined
      ? row
      : {
          ...row,
          ratio: round(row.perSecond / bare.perSecond),
          cpuRatio: round((bare.cpu + bare.serverCpu) / (row.cpu + row.serverCpu)),
        },
  );
};

export const isAliveOf = (size: number) => {
  const every = size / Math.min(ALIVE, size * 0.4);
  return (index: number): boolean => index % every < 1;
};

/** The database of a size, filled where it is not there yet. @returns its URL */
export const databaseOf = async (server: string, size: number): Promise<string> => {
  const name = `bench_${size}`;
  const found = await runSql(server, `select 1 from pg_database where datname = '${name}'`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  if (found.length > 0) return url.href;
  await runSql(server, `create database ${name}`);
  await makeTables(url.href, NETWORK, null);
  await fillDatabase({ url: url.href, network: NETWORK, from: 0, to: size, isAlive: isAliveOf(size) });
  return url.href;
};

const openJson = async (size: number): Promise<{ readonly store: StorePort; readonly folder: string }> => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-bench-'));
  await fillHome(folder, size, NETWORK);
  return { store: await openJsonStore({ folder, collections }), folder };
};

const benchSize = async (server: string, size: number): Promise<PostgresBenchRow[]> => {
  const url = await databaseOf(server, size);
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, pipeline: true });
  const store = await openPostgresStore({ url, schema: schemaOf(NETWORK), connections: CONNECTIONS + 1 });
  const json = size > JSON_MOST ? null : await openJson(size);
  const table = `${schemaOf(NETWORK)}.streams`;
  const asked = await runSql(url, `select id from ${table} order by md5(id) limit ${MOST_ASKED}`);
  const home = { size, network: NETWORK, ids: asked.map(({ id }) => String(id)) } as const;
  const sides: Side[] = [
    { by: 'bare pg', url, work: bareWork(pool, home) },
    { by: 'PostgreSQL', url, work: storeWork(store, home) },
    ...(json === null ? [] : [{ by: 'JSON', url: null, work: storeWork(json.store, home) }]),
  ];
  const rows: PostgresBenchRow[] = [];
  const named = process.env['POSTGRES_WORK']?.split(',');
  for (const what of WORK) {
    if (named?.includes(what) === false) continue;
    const compared = await compare(sides, what, size);
    for (const row of compared) console.log(JSON.stringify(row));
    rows.push(...compared);
  }
  await pool.end();
  await store.close();
  await json?.store.close();
  if (json !== null) rmSync(json.folder, { recursive: true });
  return rows;
};

export const withServer = async <T>(work: (url: string) => Promise<T>): Promise<T> => {
  const given = process.env['POSTGRES_BENCH_URL'];
  if (given !== undefined) return work(given);
  const ends: (() => unknown)[] = [];
  try {
    const { url } = await ownServer({ teardown: (end) => ends.push(end) });
    return await work(url);
  } finally {
    for (const end of ends.reverse()) await end();
  }
};

/** Measures the store at every size. */
export const benchPostgres = (): Promise<readonly PostgresBenchRow[]> =>
  withServer(async (url) => {
    const rows: PostgresBenchRow[] = [];
    for (const size of SIZES) rows.push(...(await benchSize(url, size)));
    return rows;
  });

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const rows = await benchPostgres();
  console.table(rows);
  for (const { what, by, records, ratio } of rows)
    if (by === 'PostgreSQL' && ratio !== undefined && ratio < (what === 'commit' ? AIMS.commits : AIMS.reads))
      console.error(`not met: ${what} at ${records}`);
}
