/**
 * Daemons on one database, and one on a JSON home, at the same records: how soon one answers and watches, what it holds,
 * how long a list, a record and the activity take over HTTP, and how many of these and of confirms a second 1, 2 and 3 of
 * them answer, asked in turn; beside them what bare statements of `pg` answer that do the least for the same. The daemons
 * follow a chain behind an Electrum server of this machine.
 *
 * Aim: a daemon holds less than 250 MB at a million records, 40,000 of them alive. What the store costs against bare
 * statements is `postgres.ts`'s to say: here HTTP and the chain are in it.
 *
 * POSTGRES_SIZES=10000,100000 measures these sizes (default 10000), DAEMONS=1,2,3 says how many daemons (0: none but the
 * JSON home's), POSTGRES_JSON=no leaves the JSON home out. POSTGRES_BENCH_URL names a server to be used instead of one in
 * memory: a database `bench_daemons_<size>` is filled there once and stays, and a copy of it is measured. DAEMON_BASE=/folder
 * keeps the streams that are on chain, and homes of `<size>` below it, for the next run. DAEMON_PROGRAM: another checkout's
 * `bin/treasury.js`.
 */
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { bob } from '../fixtures/people.js';
import { schemaOf } from '../src/adapters/postgres/postgres-store.js';
import { runSql } from '../test/postgres/server.js';
import { startChainProcess, type ChainProcess } from './chain-process.js';
import { baseOf, makeBase, type Base } from './daemon.js';
import { askWell, openClient, type BenchRequest, type Client } from './load/connection.js';
import { fillDatabase, makeTables } from './load/database.js';
import { startServedDaemon, type ServedDaemon } from './load/served-daemon.js';
import { bareWork, type WorkName } from './load/store-work.js';
import { isAliveOf, withServer } from './postgres.js';
import { fillHome, median, p99, round } from './scale.js';

const NETWORK = 'regtest';
const SIZES = (process.env['POSTGRES_SIZES'] ?? '10000').split(',').map(Number);
const DAEMONS = (process.env['DAEMONS'] ?? '1,2,3').split(',').map(Number);
/** The number of the first stream behind those of the base that is on chain. */
const FIRST = 1_102;
const CONFIRMS = Number(process.env['POSTGRES_CONFIRMS'] ?? 150);
const AT_ONCE = 8;
const WARM_MS = 300;
const ROUND_MS = Number(process.env['POSTGRES_ROUND_MS'] ?? 2_000);
/** Lists and records that one daemon is asked for before its memory is looked at: some hundred. */
const LEAST = 200;

/** Takes in a figure: it is said at once. */
type Note = (what: string, figure: number) => void;
type Ask = (turn: number) => Promise<unknown>;

type Asked = { readonly perSecond: number; readonly times: readonly number[] };

/** Asks again and again, several at once, until it is over. */
const askUntil = async (ask: Ask, isOver: (asked: number, since: number) => boolean): Promise<Asked> => {
  const times: number[] = [];
  const from = performance.now();
  let next = 0;
  const side = async (): Promise<void> => {
    while (!isOver(next, performance.now() - from)) {
      next += 1;
      const asked = performance.now();
      await ask(next - 1);
      times.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, side));
  return { perSecond: times.length / ((performance.now() - from) / 1_000), times };
};

const noteAsked = (note: Note, name: string, { perSecond, times }: Asked): void => {
  note(`${name} a second`, perSecond);
  note(`${name} p50`, median(times));
  note(`${name} p99`, p99(times));
};

/** The same for a time, once it is warm. */
const askAwhile = async (note: Note, name: string, ask: Ask): Promise<void> => {
  await askUntil(ask, (_, since) => since >= WARM_MS);
  noteAsked(note, name, await askUntil(ask, (asked, since) => since >= ROUND_MS && asked >= LEAST));
};

/** Asks daemons in turn. */
const inTurn = (clients: readonly Client[], requestOf: (turn: number) => BenchRequest): Ask => {
  return async (turn) => {
    const client = clients[turn % clients.length];
    if (client !== undefined) await askWell(client, requestOf(turn));
  };
};

type Asking = {
  readonly clients: readonly Client[];
  readonly note: Note;
  readonly name: string;
};

const measureReads = async ({ clients, note, name }: Asking): Promise<void> => {
  const [first] = clients;
  if (first === undefined) return;
  const text = await askWell(first, { path: '/api/streams?limit=100&status=PENDING' });
  const { streams } = JSON.parse(text) as { readonly streams: readonly { readonly id: string }[] };
  const pathOf: Readonly<Record<string, (turn: number) => string>> = {
    list: () => '/api/streams?limit=20',
    show: (turn) => `/api/streams/${streams[turn % streams.length]?.id ?? ''}`,
    activity: () => '/api/streams/activity?limit=20',
  };
  for (const [what, path] of Object.entries(pathOf))
    await askAwhile(
      note,
      `${name}: ${what}`,
      inTurn(clients, (turn) => ({ path: path(turn) })),
    );
};

/** Confirms of claims that have just been sent: the daemons hear of them from the chain meanwhile too. */
const measureConfirms = async (
  { clients, note, name }: Asking,
  claims: Base['claims'],
  chain: ChainProcess,
): Promise<void> => {
  await chain.order({ broadcast: claims.map(({ raw }) => raw), mine: 0 });
  const ask = inTurn(clients, (turn) => ({
    path: `/api/streams/${claims[turn]?.id ?? ''}/confirm-claim`,
    body: { txHash: claims[turn]?.txHash },
    caller: bob.address(NETWORK).text,
  }));
  noteAsked(note, `${name}: confirm`, await askUntil(ask, (asked) => asked >= claims.length));
};

/** What each is compared with. */
const BARE: Readonly<Record<string, WorkName>> = {
  list: 'page by column',
  show: 'get',
  activity: 'activity',
  confirm: 'commit',
};

/** Bare statements on the same database. Commits come last: what they write no daemon reads. */
const measureBare = async (note: Note, url: string, size: number): Promise<void> => {
  const pool = new pg.Pool({ connectionString: url, max: AT_ONCE, pipeline: true });
  const rows = await runSql(
    url,
    `select id from ${schemaOf(NETWORK)}.streams order by md5(id) limit ${Math.min(size, 20_000)}`,
  );
  const work = bareWork(pool, { size, network: NETWORK, ids: rows.map(({ id }) => String(id)) });
  for (const [what, name] of Object.entries(BARE)) await askAwhile(note, `bare: ${what}`, work[name]);
  await pool.end();
};

/** Where the daemons' records are, and what takes it away. */
type Place = {
  readonly env: Readonly<Record<string, string>>;
  readonly homes: readonly string[];
  /** Null: a JSON home. */
  readonly url: string | null;
  readonly end: () => unknown;
};

const makeFolders = (count: number): readonly string[] =>
  Array.from({ length: count }, () => mkdtempSync(join(tmpdir(), 'treasury-bench-')));

const removeFolders = (folders: readonly string[]): void => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
};

/** A copy of the database of a size, which is filled where it is not there yet. */
const placeInDatabase = async (server: string, size: number, base: Base): Promise<Place> => {
  const kept = `bench_daemons_${size}`;
  const urlOf = (name: string): string => Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const [unfinished, run] = [`${kept}_unfinished`, `${kept}_run`];
  const drop = (name: string) => runSql(server, `drop database if exists ${name} with (force)`);
  const found = await runSql(server, `select 1 from pg_database where datname = '${kept}'`);
  if (found.length === 0) {
    const url = urlOf(unfinished);
    await drop(unfinished);
    await runSql(server, `create database ${unfinished}`);
    await makeTables(url, NETWORK, join(base.folder, 'home', NETWORK));
    await fillDatabase({ url, network: NETWORK, from: FIRST, to: size, isAlive: isAliveOf(size) });
    await runSql(server, `alter database ${unfinished} rename to ${kept}`);
  }
  await drop(run);
  await runSql(server, `create database ${run} template ${kept} strategy file_copy`);
  const homes = makeFolders(Math.max(...DAEMONS));
  const url = urlOf(run);
  return {
    env: { TREASURY_DATABASE_URL: url },
    homes,
    url,
    end: async () => {
      removeFolders(homes);
      await drop(run);
    },
  };
};

/** A home of a size. */
const placeInFiles = async (size: number, base: Base): Promise<Place> => {
  const [home = ''] = makeFolders(1);
  const kept = join(base.folder, String(size));
  if (!existsSync(kept)) {
    const unfinished = `${kept}-unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    cpSync(join(base.folder, 'home'), unfinished, { recursive: true });
    const isAlive = isAliveOf(size);
    await fillHome(join(unfinished, NETWORK), size, NETWORK, { first: FIRST, isAlive });
    renameSync(unfinished, kept);
  }
  cpSync(kept, home, { recursive: true });
  return {
    env: {},
    homes: [home],
    url: null,
    end: () => {
      removeFolders([home]);
    },
  };
};

const mostOf = (daemons: readonly ServedDaemon[], figure: (daemon: ServedDaemon) => number): number =>
  Math.max(...daemons.map(figure));

type Scene = { readonly place: Place; readonly chain: ChainProcess; readonly claims: Base['claims'] };

/** So many daemons at once. */
const measureDaemons = async (note: Note, count: number, { place, chain, claims }: Scene): Promise<void> => {
  const env = { ...place.env, TREASURY_ELECTRUM: chain.url };
  const starting = place.homes.slice(0, count).map((home) => startServedDaemon(home, NETWORK, env));
  const daemons = await Promise.all(starting);
  const clients = daemons.map(({ port }) => openClient(port, AT_ONCE));
  const name = String(count);
  try {
    note(
      `${name}: answers after`,
      mostOf(daemons, ({ answersAfter }) => answersAfter),
    );
    note(
      `${name}: watches after`,
      mostOf(daemons, ({ watchesAfter }) => watchesAfter),
    );
    note(
      `${name}: MB once it watches`,
      mostOf(daemons, ({ resident }) => resident()),
    );
    const asking = { clients, note, name };
    await measureReads(asking);
    await measureConfirms(asking, claims, chain);
    note(
      `${name}: MB at the end`,
      mostOf(daemons, ({ resident }) => resident()),
    );
    note(
      `${name}: MB at most`,
      mostOf(daemons, ({ mostResident }) => mostResident()),
    );
  } finally {
    for (const client of clients) client.close();
    await Promise.all(daemons.map(({ stop }) => stop()));
  }
};

/** Everything at one size, of a database or of a home. */
const measurePlace = async (place: Place, size: number, base: Base): Promise<void> => {
  const note: Note = (what, figure) => {
    const store = place.url === null ? 'JSON' : 'PostgreSQL';
    console.log(JSON.stringify({ store, records: size, what, figure: round(figure) }));
  };
  const [folder = ''] = makeFolders(1);
  cpSync(join(base.folder, 'chain'), folder, { recursive: true });
  const chain = await startChainProcess(folder);
  let next = 0;
  try {
    for (const count of place.url === null ? [1] : DAEMONS) {
      const claims = base.claims.slice(next, (next += CONFIRMS));
      await measureDaemons(note, count, { place, chain, claims });
    }
    if (place.url !== null) await measureBare(note, place.url, size);
  } finally {
    await chain.stop();
    removeFolders([folder]);
    await place.end();
  }
};

/** Measures daemons at every size. */
export const benchPostgresDaemons = async (): Promise<void> => {
  const base = await baseOf(NETWORK, makeBase);
  if (DAEMONS.some((count) => count > 0))
    await withServer(async (server) => {
      for (const size of SIZES) await measurePlace(await placeInDatabase(server, size, base), size, base);
    });
  if (process.env['POSTGRES_JSON'] !== 'no')
    for (const size of SIZES) await measurePlace(await placeInFiles(size, base), size, base);
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await benchPostgresDaemons();
