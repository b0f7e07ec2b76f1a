/**
 * HTTP under load: the routes that are asked most, of a daemon on a home of 10,000 streams, against bare Polka that
 * serves the same bytes; what metrics cost; claims against the raw CashScript builder and VM; how long honest reads
 * take while 2,000 connections dawdle and hostile requests come; and how long one request holds the event loop.
 *
 * Servers run in processes of their own and are measured by turns. A part is measured alone when it is named:
 * `node scripts/compile.js bench/http.ts routes`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { people } from '../fixtures/people.js';
import { randomFrom } from '../test/contracts/fuzz/random.js';
import { hostileRequest, type Api, type Known } from '../test/hostile/requests.js';
import { askWell, load, openClient, sendBytes, type Load } from './load/connection.js';
import { makeBenchHome, type BenchHome } from './load/home.js';
import { serveBare, serveHome, type MeasuredServer } from './load/servers.js';
import { rawClaims } from './streams.js';

/** One line of the result. `ratio` is against the baseline of the same line. */
export type HttpBenchRow = {
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  readonly baseline?: number;
  readonly ratio?: number;
  /** The same by the CPU of the servers, which says less of what else the machine does. */
  readonly cpuRatio?: number;
  readonly aim: number;
  readonly isMet: boolean;
};

const STREAMS = Number(process.env['HTTP_BENCH_STREAMS'] ?? 10_000);
const HOSTILE = Number(process.env['HTTP_BENCH_HOSTILE'] ?? 5_000);
const CONNECTIONS = 8;
const SLOW_CONNECTIONS = 2_000;
const ROUND = { connections: CONNECTIONS, milliseconds: 1_000 };
const ROUNDS = 7;
const CLAIMS = 20;
/** Hostile requests that are played one by one, to see how long each holds the event loop. */
const WATCHED = 1_500;
const BATCH = 500;

const { alice, mallory } = people;

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN;
const median = (values: readonly number[]): number => percentile(values, 0.5);
const round = (value: number): number => Number(value.toFixed(2));

/** Requests a second, and milliseconds of the server's CPU each took. */
type Measured = { readonly perSecond: number; readonly cpu: number };

const measure = async (server: MeasuredServer, path: string): Promise<Measured> => {
  const before = await server.watched();
  const { perSecond, times } = await load(server.port, [path], ROUND);
  const after = await server.watched();
  return { perSecond, cpu: (after.cpu - before.cpu) / times.length };
};

/**
 * Measures servers by turns: the rate of the median round, and the CPU of the best, which others disturbed least. The
 * first round warms up and does not count.
 */
const compare = async (servers: readonly MeasuredServer[], path: string): Promise<readonly Measured[]> => {
  const rounds: Measured[][] = servers.map(() => []);
  for (let turn = 0; turn <= ROUNDS; turn += 1)
    for (const [index, server] of servers.entries()) {
      const measured = await measure(server, path);
      if (turn > 0) rounds[index]?.push(measured);
    }
  return rounds.map((all) => ({
    perSecond: median(all.map(({ perSecond }) => perSecond)),
    cpu: Math.min(...all.map(({ cpu }) => cpu)),
  }));
};

const ratioRow = (what: string, ours: Measured, baseline: Measured, aim: number): HttpBenchRow => {
  const ratio = round(ours.perSecond / baseline.perSecond);
  return {
    what,
    figure: Math.round(ours.perSecond),
    unit: '/s',
    baseline: Math.round(baseline.perSecond),
    ratio,
    cpuRatio: round(baseline.cpu / ours.cpu),
    aim,
    isMet: ratio >= aim,
  };
};

const ROUTES = ({ stream }: BenchHome) =>
  [
    { what: 'health', path: '/api/health', aim: 0.6 },
    { what: 'templates', path: '/api/streams/templates', aim: 0.6 },
    { what: 'a stream', path: `/api/streams/${stream}`, aim: 0.4 },
    { what: 'a list of 20', path: '/api/streams?limit=20', aim: 0.3 },
  ] as const;

type Bench = { readonly home: BenchHome; readonly daemon: MeasuredServer };

const benchRoutes = async ({ home, daemon }: Bench): Promise<HttpBenchRow[]> => {
  const routes = ROUTES(home);
  const bare = await serveBare(
    daemon,
    routes.map(({ path }) => path),
  );
  const rows: HttpBenchRow[] = [];
  for (const { what, path, aim } of routes) {
    const [baseline, ours] = await compare([bare, daemon], path);
    if (baseline !== undefined && ours !== undefined) rows.push(ratioRow(what, ours, baseline, aim));
  }
  await bare.stop();
  return rows;
};

const benchMetrics = async ({ home, daemon }: Bench): Promise<HttpBenchRow[]> => {
  const copy = mkdtempSync(join(tmpdir(), 'treasury-bench-'));
  cpSync(home.home, copy, { recursive: true });
  const metered = await serveHome(copy, ['--metrics']);
  const rows: HttpBenchRow[] = [];
  for (const { what, path } of [ROUTES(home)[0], ROUTES(home)[3]]) {
    const [without, withThem] = await compare([daemon, metered], path);
    if (without !== undefined && withThem !== undefined)
      rows.push(ratioRow(`${what}, with metrics against without`, withThem, without, 0.95));
  }
  await metered.stop();
  rmSync(copy, { recursive: true });
  return rows;
};

const benchClaims = async ({ home, daemon }: Bench): Promise<HttpBenchRow[]> => {
  const raw = rawClaims();
  const client = openClient(daemon.port, 1);
  const claim = { path: `/api/streams/${home.stream}/claim`, body: {}, caller: home.recipient };
  const ours: number[] = [];
  const theirs: number[] = [];
  const timed = async (times: number[], work: () => unknown): Promise<void> => {
    const from = performance.now();
    for (let count = 0; count < CLAIMS; count += 1) await work();
    times.push(CLAIMS / ((performance.now() - from) / 1_000));
  };
  for (let turn = 0; turn <= ROUNDS; turn += 1) {
    await timed(theirs, raw);
    await timed(ours, () => askWell(client, claim));
  }
  client.close();
  const of = (rates: readonly number[]): Measured => ({ perSecond: median(rates.slice(1)), cpu: NaN });
  const { cpuRatio: _, ...row } = ratioRow(
    'claims against the raw builder and VM',
    of(ours),
    of(theirs),
    0.7,
  );
  return [row];
};

const mixed = (home: BenchHome): string[] => ROUTES(home).map(({ path }) => path);

const knownOf = ({ names }: BenchHome): Known => ({ names, stranger: mallory.address('local').text });

/** Honest reads until the others have played all that they have. */
const amongHostile = async ({ home, daemon }: Bench): Promise<Load> => {
  const file = new URL('load/hostile.js', import.meta.url).pathname;
  const args = [daemon.port, HOSTILE, SLOW_CONNECTIONS].map(String);
  const child = spawn(process.execPath, [file, ...args, JSON.stringify(knownOf(home))], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  const rounds: Load[] = [];
  while (child.exitCode === null) rounds.push(await load(daemon.port, mixed(home), ROUND));
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    times: rounds.flatMap(({ times }) => times),
  };
};

const benchCalm = async (bench: Bench): Promise<HttpBenchRow[]> => {
  const { home, daemon } = bench;
  await load(daemon.port, mixed(home), ROUND);
  const rest = await load(daemon.port, mixed(home), { ...ROUND, milliseconds: 8_000 });
  const among = await amongHostile(bench);
  const [p99, baseline] = [percentile(among.times, 0.99), percentile(rest.times, 0.99)];
  const ratio = round(p99 / baseline);
  const what = `p99 of honest reads: ${SLOW_CONNECTIONS} slow connections and ${HOSTILE} hostile requests against rest`;
  return [
    { what, figure: round(p99), unit: 'ms', baseline: round(baseline), ratio, aim: 3, isMet: ratio < 3 },
  ];
};

/** The longest hold of the event loop by any one of many requests, and by the largest that an honest person makes. */
const benchHolds = async ({ home, daemon }: Bench): Promise<HttpBenchRow[]> => {
  const client = openClient(daemon.port, 1);
  const api = JSON.parse(await askWell(client, { path: '/api/openapi.json' })) as Api;
  daemon.countTurns();
  await daemon.watched();
  const holdOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await daemon.watched();
    await work();
    const after = await daemon.watched();
    // What the machine did with others is no hold: nothing holds longer than it computes.
    return Math.min(after.held, after.computed, after.cpu - before.cpu);
  };
  const holds: { readonly what: string; readonly held: number }[] = [];
  for (let number = 0; number < WATCHED; number += 1) {
    const request = hostileRequest(randomFrom(11, number), api, knownOf(home));
    const held = await holdOf(() => sendBytes(daemon.port, request, 3_000));
    const [line = ''] = request.bytes.subarray(0, 100).toString('latin1').split('\r\n');
    holds.push({ what: `${request.kind}: ${line}`, held });
  }
  const entries = Array.from({ length: BATCH }, () => ({
    recipient: home.recipient,
    totalAmount: '0.01',
    scheduleTemplate: 'tranche-backweighted',
  }));
  const senderAddress = alice.address('local').text;
  const batch = {
    path: `/api/treasuries/${home.names[0] ?? ''}/batch-create`,
    body: { senderAddress, entries },
    caller: senderAddress,
  };
  const batchHeld = await holdOf(() => askWell(client, batch));
  client.close();
  const slowest = holds.toSorted((a, b) => b.held - a.held);
  for (const { what, held } of slowest.slice(0, 8)) console.log(`held ${held.toFixed(1)} ms by ${what}`);
  const row = (what: string, held: number): HttpBenchRow => ({
    what,
    figure: round(held),
    unit: 'ms',
    aim: 50,
    isMet: held <= 50,
  });
  return [
    row(`longest hold of the event loop by one of ${holds.length} hostile requests`, slowest[0]?.held ?? NaN),
    row(`longest hold by a batch of ${BATCH} streams`, batchHeld),
  ];
};

const PARTS = {
  routes: benchRoutes,
  metrics: benchMetrics,
  claims: benchClaims,
  calm: benchCalm,
  holds: benchHolds,
} as const;

/** Measures all of it, or the parts that are named. */
export const benchHttp = async (
  parts: readonly string[] = Object.keys(PARTS),
): Promise<readonly HttpBenchRow[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-bench-'));
  const home = await makeBenchHome(folder, STREAMS);
  const daemon = await serveHome(folder);
  const rows: HttpBenchRow[] = [];
  try {
    for (const [name, bench] of Object.entries(PARTS))
      if (parts.includes(name)) rows.push(...(await bench({ home, daemon })));
  } finally {
    await daemon.stop();
    rmSync(folder, { recursive: true });
  }
  return rows;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const parts = process.argv.slice(2);
  const rows = await benchHttp(parts.length === 0 ? undefined : parts);
  console.table(rows);
  for (const { what, isMet } of rows) if (!isMet) console.error(`not met: ${what}`);
}
