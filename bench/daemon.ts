/**
 * The daemon at scale: homes of many streams, some of them on a chain behind a server that is far away. How soon it
 * answers and watches, what it holds, and how it answers while blocks come that touch many of its records; and how many
 * confirms a second the program takes in.
 *
 * Aims: it answers within 3 s at 100,000 records, watches everything within 60 s against a server 50 ms away, holds 4 KB a
 * record above the empty daemon, and answers within 20 ms (p99) while blocks come; 300 confirms a second.
 *
 * DAEMON_SIZES=100,10000 measures these sizes alone; DAEMON_PROGRAM=/elsewhere/bin/treasury.js another program;
 * DAEMON_BASE=/folder keeps the streams that are on chain, which take a minute to make, for the next run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ExecutionContext } from 'ava';
import { bob, people } from '../fixtures/people.js';
import { startElectrumServer } from '../src/adapters/electrum-server/electrum-server.js';
import { openLocalChain } from '../src/adapters/local-chain/local-chain.js';
import { openApp } from '../src/app.js';
import { decodeTransaction } from '../src/bch/transaction.js';
import { chainMonitor } from '../src/daemon/monitor/chain-monitor.js';
import { execute } from '../src/operation/execute.js';
import {
  localWorld,
  steerEmbedded,
  TEST_TIME,
  throughServers,
  type ChainWorld,
} from '../test/chain-world.js';
import { fundMany } from '../test/products/streams/many-streams.js';
import { openTreasury, type Treasury } from '../test/treasury.js';
import { startChainProcess, type ChainProcess } from './chain-process.js';
import { openDelayLine } from './delay-line.js';
import { fillHome, p99, median, residentOf, round, type ScaleRow } from './scale.js';

const SIZES = (process.env['DAEMON_SIZES'] ?? '0,100,10000,100000').split(',').map(Number);
const PROGRAM = process.env['DAEMON_PROGRAM'] ?? new URL('../bin/treasury.js', import.meta.url).pathname;
/** Each way: an answer is there twice as late. */
const DELAY_MS = Number(process.env['DAEMON_DELAY'] ?? 50);
const TOUCHED = [0, 1, 100, 1_000];
/** Streams that are on chain, those that the blocks touch. */
const FUNDED = TOUCHED.reduce((all, one) => all + one, 0);
const CONFIRMS = 500;
/** Scripts that the server lets one client subscribe to. Fulcrum: 50,000, unless its operator says otherwise. */
const MOST_SUBSCRIBED = Number(process.env['DAEMON_SUBSCRIBED'] ?? 50_000);
const LIMIT_MS = Number(process.env['DAEMON_LIMIT'] ?? 600_000);

/** What the daemon tells of itself: read on SIGUSR2. */
const PROBE = `import { monitorEventLoopDelay } from 'node:perf_hooks';
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on('SIGUSR2', () => {
  const { user, system } = process.cpuUsage();
  console.error(JSON.stringify({ probe: { held: delay.max / 1e6, cpu: (user + system) / 1e3 } }));
  delay.reset();
});`;

export type Base = {
  readonly folder: string;
  /** Of each stream, a claim that is signed and was not sent. */
  readonly claims: readonly { readonly id: string; readonly raw: string; readonly txHash: string }[];
};

/** Whoever a treasury of the tests is opened for here. */
const withTeardown = async <T>(work: (t: ExecutionContext) => Promise<T>): Promise<T> => {
  const ends: (() => unknown)[] = [];
  try {
    return await work({ teardown: (end: () => unknown) => ends.push(end) } as unknown as ExecutionContext);
  } finally {
    for (const end of ends.reverse()) await end();
  }
};

const signClaims = async (treasury: Treasury, ids: readonly string[]): Promise<Base['claims']> => {
  const claims: { id: string; raw: string; txHash: string }[] = [];
  for (const id of ids) {
    const { wcTransaction } = await treasury.ask(bob, 'streams.claim', { id, amount: '0.0005' });
    const raw = treasury.sign(bob, wcTransaction);
    claims.push({ id, raw, txHash: decodeTransaction(raw).txid });
  }
  return claims;
};

const keep = (treasury: Treasury, folder: string, claims: Base['claims']): void => {
  cpSync(treasury.home, join(folder, 'home'), { recursive: true });
  writeFileSync(join(folder, 'claims.json'), JSON.stringify(claims));
};

/** Streams behind a server, all their events safe. */
export const makeBase = (folder: string): Promise<void> =>
  withTeardown(async (t) => {
    const chain = await openLocalChain({
      folder: join(folder, 'chain'),
      now: () => TEST_TIME,
      automine: false,
    });
    const server = await startElectrumServer({ chain, tcpPort: 0 });
    const world: ChainWorld = {
      name: 'bench',
      network: 'regtest',
      can: [],
      open: () =>
        Promise.resolve({
          outside: throughServers([server.tcpUrl ?? '']),
          wall: chain.now,
          people,
          steer: () => steerEmbedded(chain),
        }),
    };
    const treasury = await openTreasury(t, world);
    const ids = await fundMany(treasury, [bob], FUNDED);
    await chain.mine(7);
    const monitor = chainMonitor(treasury.app);
    await monitor.start();
    await monitor.idle();
    await monitor.stop();
    const claims = await signClaims(treasury, ids);
    await treasury.app.close();
    await server.stop();
    await chain.close();
    keep(treasury, folder, claims);
  });

/** Streams on the embedded chain of a home, and a claim of each that nobody has confirmed. */
const makeLocalBase = (folder: string): Promise<void> =>
  withTeardown(async (t) => {
    const treasury = await openTreasury(t, localWorld);
    const ids = await fundMany(treasury, [bob], CONFIRMS);
    const claims = await signClaims(treasury, ids);
    for (const { raw } of claims) await treasury.app.context.chain.broadcast(raw);
    await treasury.app.close();
    keep(treasury, folder, claims);
  });

export const baseOf = async (name: string, make: (folder: string) => Promise<void>): Promise<Base> => {
  const folder = join(process.env['DAEMON_BASE'] ?? mkdtempSync(join(tmpdir(), 'treasury-bench-')), name);
  if (!existsSync(join(folder, 'claims.json'))) await make(folder);
  const claims = JSON.parse(readFileSync(join(folder, 'claims.json'), 'utf8')) as Base['claims'];
  return { folder, claims };
};

type Figures = Record<string, number>;

/** The daemon's process, and what it has said. */
const startDaemon = (home: string, url: string) => {
  writeFileSync(join(home, 'probe.mjs'), PROBE);
  const flags = ['--port', '0', '--network', 'regtest', '--metrics'];
  const profile = process.env['DAEMON_PROFILE'];
  const options = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const from = performance.now();
  const child = spawn(
    process.execPath,
    ['--import', join(home, 'probe.mjs'), ...options, PROGRAM, 'serve', ...flags],
    { env: { ...process.env, TREASURY_HOME: home, TREASURY_ELECTRUM: url } },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  const until = async <T>(look: () => T | null | undefined | Promise<T | null | undefined>): Promise<T> => {
    for (;;) {
      const found = await look();
      if (found !== null && found !== undefined) return found;
      if (child.exitCode !== null) throw new Error(said);
      if (performance.now() - from > LIMIT_MS) throw new Error(`late: ${said.slice(-2_000)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return {
    since: () => performance.now() - from,
    said: () => said,
    until,
    resident: () => residentOf(child.pid ?? 0),
    /** The longest time that the event loop was held, and the CPU so far, milliseconds. */
    probe: async (): Promise<{ readonly held: number; readonly cpu: number }> => {
      const before = said.length;
      child.kill('SIGUSR2');
      const line = await until(() => /\{"probe":(\{.*?\})\}/.exec(said.slice(before))?.[1]);
      return JSON.parse(line) as { held: number; cpu: number };
    },
    stop: async () => {
      if (child.exitCode !== null) return;
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
    },
  };
};
type Running = ReturnType<typeof startDaemon>;

const PATHS = {
  list: '/api/streams?limit=20',
  show: '/api/streams/',
  activity: '/api/streams/activity?limit=20',
} as const;

const asking = (url: string) => {
  const get = async (path: string): Promise<string> => {
    const answer = await fetch(url + path);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
    return text;
  };
  const timed = async (path: string): Promise<number> => {
    const from = performance.now();
    await get(path);
    return performance.now() - from;
  };
  return { get, timed };
};
type Asking = ReturnType<typeof asking>;

/** Reads while `work` runs, one after the other. */
const readWhile = async <T>(
  { timed }: Asking,
  work: Promise<T>,
): Promise<{ readonly times: number[]; readonly result: T }> => {
  const state = { isOver: false };
  const watched = work.finally(() => (state.isOver = true));
  watched.catch(() => undefined);
  const times: number[] = [];
  do {
    times.push(await timed(PATHS.list), await timed(PATHS.activity));
    await new Promise((resolve) => setTimeout(resolve, 10));
  } while (!state.isOver);
  return { times, result: await watched };
};

const READS = 100;

/** What reading costs at rest. */
const atRest = async ({ timed, get }: Asking, figures: Figures): Promise<void> => {
  const { streams } = JSON.parse(await get(`${PATHS.list}&status=PENDING`)) as { streams: { id: string }[] };
  for (const [what, path] of Object.entries(PATHS)) {
    const times: number[] = [];
    for (let turn = 0; turn < READS; turn += 1)
      times.push(await timed(what === 'show' ? path + (streams[turn % streams.length]?.id ?? '') : path));
    figures[`${what} p50`] = median(times);
    figures[`${what} p99`] = p99(times);
  }
};

type Scene = { readonly chain: ChainProcess; readonly daemon: Running; readonly ask: Asking };

/** Sends claims of as many streams, and waits until the daemon has seen them; then mines them, and waits again. */
const touch = async (
  claims: Base['claims'],
  { chain, daemon, ask }: Scene,
): Promise<{ readonly seen: number; readonly taken: number }> => {
  const claimed = async (): Promise<number> => {
    const page = JSON.parse(await ask.get('/api/streams/activity?limit=1&eventType=claim')) as {
      total: number;
    };
    return page.total;
  };
  const before = await claimed();
  // What the server needs to take them in is not counted.
  await chain.order({ broadcast: claims.map(({ raw }) => raw), mine: 0 });
  const sent = performance.now();
  await daemon.until(async () => ((await claimed()) === before + claims.length ? true : null));
  const seen = performance.now() - sent;
  const height = await chain.order({ broadcast: [], mine: 1 });
  const mined = performance.now();
  await daemon.until(async () => {
    const metrics = await ask.get('/metrics');
    const isThere =
      metrics.includes(`treasury_chain_height ${height}\n`) &&
      metrics.includes('treasury_records_waiting 0\n');
    return isThere ? true : null;
  });
  return { seen, taken: performance.now() - mined };
};

const watchedOf = (said: string): number => Number(/"watched":(\d+)[^\n]*watching the chain/.exec(said)?.[1]);

/** How a daemon does with a home of as many records. */
const daemonAt = async (size: number, base: Base): Promise<Figures> => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-bench-'));
  const chainFolder = mkdtempSync(join(tmpdir(), 'treasury-bench-'));
  const figures: Figures = {};
  const isOnChain = size > FUNDED;
  cpSync(join(base.folder, 'chain'), chainFolder, { recursive: true });
  if (isOnChain) cpSync(join(base.folder, 'home'), home, { recursive: true });
  await fillHome(join(home, 'regtest'), size, 'regtest', { first: isOnChain ? FUNDED + 1 : 0 });
  const chain = await startChainProcess(chainFolder, MOST_SUBSCRIBED);
  const line = await openDelayLine(chain.url, DELAY_MS);
  const daemon = startDaemon(home, line.url);
  try {
    const url = await daemon.until(() => /"url":"([^"]+)"/.exec(daemon.said())?.[1]);
    const ask = asking(url);
    await ask.get('/api/health');
    figures['answers after'] = daemon.since();
    const watching = daemon.until(() => (daemon.said().includes('"watching the chain"') ? true : null));
    const { times } = await readWhile(ask, watching);
    figures['watches after'] = daemon.since();
    figures['reads p99 until then'] = p99(times);
    const started = await daemon.probe();
    figures['CPU until then'] = started.cpu;
    figures['event loop held until then'] = started.held;
    figures['watched'] = watchedOf(daemon.said());
    figures['resident'] = daemon.resident();
    if (size > 0) await atRest(ask, figures);
    await daemon.probe();
    let next = 0;
    for (const touched of isOnChain ? TOUCHED : []) {
      const from = await daemon.probe();
      const claims = base.claims.slice(next, next + touched);
      next += touched;
      const { times: reads, result } = await readWhile(ask, touch(claims, { chain, daemon, ask }));
      const { cpu, held } = await daemon.probe();
      figures[`moves of ${touched}: seen after`] = result.seen;
      figures[`block of ${touched}: taken in after`] = result.taken;
      figures[`block of ${touched}: CPU`] = cpu - from.cpu;
      figures[`block of ${touched}: event loop held`] = held;
      figures[`block of ${touched}: reads p50`] = median(reads);
      figures[`block of ${touched}: reads p99`] = p99(reads);
    }
    figures['resident at the end'] = daemon.resident();
  } finally {
    await daemon.stop();
    line.close();
    await chain.stop();
    rmSync(home, { recursive: true });
    rmSync(chainFolder, { recursive: true });
  }
  return figures;
};

/** Confirms a second, several at once, by one process on its own chain. */
const confirmsASecond = async ({
  folder,
  claims,
}: Base): Promise<{ readonly byClock: number; readonly byCpu: number }> => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-bench-'));
  cpSync(join(folder, 'home'), home, { recursive: true });
  const app = await openApp({ home, network: 'local', wall: () => TEST_TIME });
  const confirm = app.operations.find(({ id }) => id === 'streams.confirm-claim');
  if (confirm === undefined) throw new Error('there is no confirm');
  const left = [...claims];
  const cpu = process.cpuUsage();
  const from = performance.now();
  const client = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift())
      await execute(confirm, { id: one.id, txHash: one.txHash }, app.context, {
        kind: 'operator',
        address: null,
      });
  };
  await Promise.all(Array.from({ length: 8 }, client));
  const seconds = (performance.now() - from) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  await app.close();
  rmSync(home, { recursive: true });
  return { byClock: claims.length / seconds, byCpu: claims.length / ((user + system) / 1e6) };
};

/** Measures the daemon at every size, and the confirms. */
export const benchDaemon = async (): Promise<readonly ScaleRow[]> => {
  const rows: ScaleRow[] = [];
  const add = (what: string, records: number, figure: number): void => {
    rows.push({ what, records, figure: round(figure), unit: '' });
    console.log(JSON.stringify(rows.at(-1)));
  };
  if (process.env['DAEMON_CONFIRMS'] !== 'no') {
    const { byClock, byCpu } = await confirmsASecond(await baseOf('local', makeLocalBase));
    add('confirms a second', CONFIRMS, byClock);
    add('confirms a second of CPU', CONFIRMS, byCpu);
  }
  const base = await baseOf('regtest', makeBase);
  let empty = 0;
  for (const records of SIZES) {
    const figures = await daemonAt(records, base);
    for (const [what, figure] of Object.entries(figures)) add(what, records, figure);
    if (records === 0) empty = figures['resident'] ?? 0;
    else if (empty > 0) add('KB a record', records, ((figures['resident'] ?? 0) - empty) / records);
  }
  return rows;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.table(await benchDaemon());
