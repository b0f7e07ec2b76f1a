/**
 * The store at scale: a home of streams as a service has it (of each its record, an event, and its row of the
 * activity feed; 40 % of them alive), and what reading costs at each size, against the same with none.
 *
 * Aims: a command that reads costs at most 1.5 times at 10,000 what it costs at none, and 3 times at 100,000; a page of
 * a list takes under 20 ms; 4 KB a record above the empty process; the daemon answers within 3 s.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openJsonStore, type JsonStore } from '../src/adapters/store/json-store.js';
import { addressOfHash } from '../src/bch/address.js';
import type { Network } from '../src/bch/network.js';
import { collections } from '../src/collections.js';
import { loadDeployables } from '../src/products/index.js';
import { activityOf } from '../src/products/streams/activity.js';
import { activityCollection, streamCollection } from '../src/products/streams/index.js';
import type { StreamRecord } from '../src/products/streams/stream.js';
import { eventLog, uuidOf } from '../src/record/event-log.js';
import { eventCollection, moveId, type EventRecord } from '../src/record/events.js';
import { fixedStream } from '../test/products/streams/fixed-stream.js';

import { costOf } from './start-up.js';

export type ScaleRow = {
  readonly what: string;
  readonly records: number;
  readonly figure: number;
  readonly unit: string;
  /** Against the same with no records. */
  readonly ratio?: number;
};

const SIZES = (process.env['SCALE_SIZES'] ?? '0,100,10000,100000').split(',').map(Number);
export const START = 1_780_272_000;
const PROGRAM = new URL('../bin/treasury.js', import.meta.url).pathname;
const PEOPLE = 200;
const RUNS = 5;
const PAGES = 200;
/** How long the daemon is asked while it catches up, at most. */
const CATCHING_UP_MS = 10_000;

const MODEL = fixedStream({
  stream_type: 'LINEAR',
  total_amount: 100_000_000n,
  start_time: START,
  end_time: START + 1_000_000,
  cliff_timestamp: null,
  interval_seconds: null,
  hybrid_unlock_time: null,
  hybrid_upfront_percentage: null,
  tranche_schedule: null,
});

const hex = (index: number, length: number): string => index.toString(16).padStart(length, '0');

const personOf = (index: number, network: Network): string =>
  addressOfHash(Buffer.from(hex(index, 40), 'hex'), network).text;
const isAlive = (index: number): boolean => index % 10 < 4;

/** A stream of many: its parties and its status follow from its number. Four of ten live. */
export const streamOf = (
  index: number,
  network: Network = 'local',
  isLiving = isAlive(index),
): StreamRecord => ({
  ...MODEL,
  id: `${hex(index, 8)}-0000-4000-8000-${hex(index * 7, 12)}`,
  stream_id: `#STREAM-${String(index + 1).padStart(4, '0')}`,
  on_chain_stream_id: hex(index, 64),
  contract_address: personOf(index, network),
  sender: personOf(index % PEOPLE, network),
  recipient: personOf(PEOPLE + ((index * 7) % 1_000), network),
  // Those that live wait for their funding: the embedded chain of the bench knows of none.
  status: isLiving ? 'PENDING' : 'COMPLETED',
  thread: null,
  tx_hash: isLiving ? null : hex(index, 64),
  last_tx_hash: isLiving ? null : hex(index, 64),
});

export const eventOf = (stream: StreamRecord): EventRecord & { readonly event_type: string } => ({
  id: moveId(stream.id, { txHash: stream.id, type: 'made' }),
  entity_type: 'stream',
  entity_id: stream.id,
  event_type: stream.tx_hash === null ? 'created' : 'claimed',
  actor: stream.recipient,
  amount: 1n,
  decimals: 8,
  tx_hash: stream.tx_hash,
  told: [],
  details: {},
  height: stream.tx_hash === null ? null : 1,
  certainty: stream.tx_hash === null ? null : 'safe',
  created_at: START,
});

/** The line of the log that tells of the event of a stream, and the event that was told. */
export const toldOf = (stream: StreamRecord, event: ReturnType<typeof eventOf>) => {
  const id = uuidOf(START, event.id);
  const { certainty, event_type: type, tx_hash: txHash } = event;
  return {
    event: { ...event, told: [{ id, certainty }] },
    line: {
      id,
      type: `stream.${type}`,
      time: START,
      certainty,
      was: null,
      subject: { kind: 'stream', label: stream.stream_id, id: stream.id },
      parties: [stream.sender, stream.recipient],
      data: {
        moveId: event.id,
        actor: event.actor,
        amount: '0.00000001',
        asset: 'BCH',
        height: event.height,
      },
      txHash,
      reverts: null,
    },
  };
};

/** How a home is filled. */
export type HomeFilling = {
  /** The number of the first stream, where some stand there already. Default 0. */
  readonly first?: number;
  /** Which of them live. Default: four of ten. */
  readonly isAlive?: (index: number) => boolean;
};

/** Streams after which the journal is folded: what is not in the snapshot is in memory. */
const FOLDED = 200_000;

/** Fills the store of a folder with streams up to a number, as its own writers do, some thousand at a time. */
export const fillHome = async (
  folder: string,
  count: number,
  network: Network = 'local',
  { first = 0, isAlive: isLiving = isAlive }: HomeFilling = {},
): Promise<void> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const deployables = await loadDeployables();
  const streams = deployables.find(({ collection }) => collection.name === streamCollection.name);
  /** They stand at the address that their terms give. */
  const placed = (index: number): StreamRecord => {
    const stream = streamOf(index, network, isLiving(index));
    const address = streams?.contract(stream, network).address.text;
    return { ...stream, contract_address: address ?? stream.contract_address };
  };
  const store = await openJsonStore({ folder, collections });
  for (let from = first; from < count; from += 2_000) {
    await store.transaction((writer) => {
      for (let index = from; index < Math.min(count, from + 2_000); index += 1) {
        const stream = placed(index);
        const { event, line } = toldOf(stream, eventOf(stream));
        writer.put(streamCollection, stream);
        writer.put(eventCollection, event);
        writer.put(activityCollection, activityOf(stream, event));
        writer.append(eventLog, line);
      }
    });
    if (Math.floor(from / FOLDED) !== Math.floor((from + 2_000) / FOLDED)) await store.fold();
  }
  await store.fold();
  await store.close();
};

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
export const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? NaN;
export const round = (value: number): number => Number(value.toFixed(2));

/** What a command costs, in milliseconds of CPU: the clock says more of what else the machine does. */
const command = (home: string, args: readonly string[]): number => {
  const env = { ...process.env, TREASURY_HOME: home };
  return median(
    Array.from({ length: RUNS }, () => costOf([PROGRAM, ...args, '--network', 'local'], env).cpu * 1_000),
  );
};

/** Kilobytes that a process holds. */
export const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** How a daemon does with a home: until it answers, until it watches, and while it is asked. */
const daemon = async (home: string): Promise<Record<string, number>> => {
  const from = performance.now();
  const env = { ...process.env, TREASURY_HOME: home };
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--network', 'local'], { env });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  const until = async <T>(look: () => T | null | undefined): Promise<T> => {
    for (;;) {
      const found = look();
      if (found !== null && found !== undefined) return found;
      if (child.exitCode !== null) throw new Error(said);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const url = await until(() => /"url":"([^"]+)"/.exec(said)?.[1]);
  const ask = async (path: string): Promise<number> => {
    const asked = performance.now();
    const { status } = await fetch(url + path).then(async (answer) => (await answer.text(), answer));
    if (status !== 200) throw new Error(`${path}: ${status}`);
    return performance.now() - asked;
  };
  await ask('/api/health');
  const ready = performance.now() - from;
  const whileCatchingUp: number[] = [];
  const isWatching = (): boolean => said.includes('"watching the chain"');
  // Following those that live is the chain's part, and another bench's.
  do whileCatchingUp.push(await ask('/api/streams?limit=20'));
  while (!isWatching() && performance.now() - from < ready + CATCHING_UP_MS);
  const watching = isWatching() ? performance.now() - from : NaN;
  const pages = await timesOf(PAGES, () => ask('/api/streams?limit=20'));
  const resident = residentOf(child.pid ?? 0);
  child.kill('SIGTERM');
  await once(child, 'close');
  return {
    'ready after': ready,
    'watching after': watching,
    'list p99 until then': p99(whileCatchingUp),
    'list p50': median(pages),
    'list p99': p99(pages),
    resident,
  };
};

const timesOf = async (count: number, work: (turn: number) => Promise<unknown>): Promise<number[]> => {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const from = performance.now();
    await work(turn);
    times.push(performance.now() - from);
  }
  return times;
};

const usedBytes = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** What a store costs that is open in this process: milliseconds and bytes. Printed by a process of its own. */
const lookInside = async (folder: string, count: number): Promise<Record<string, number | null>> => {
  const before = usedBytes();
  const from = performance.now();
  const store: JsonStore = await openJsonStore({ folder, collections });
  const open = performance.now() - from;
  const gets = await timesOf(count === 0 ? 0 : PAGES, (turn) =>
    store.get(streamCollection, streamOf((turn * 7_919) % count).id),
  );
  const where = (turn: number) => ({ sender: `${streamOf(turn).sender}|PENDING` });
  const pages = await timesOf(PAGES, (turn) =>
    store.find(streamCollection, { where: where(turn), limit: 20 }),
  );
  const feed = await timesOf(PAGES, (turn) =>
    store.find(activityCollection, { where: { facet: 'claimed' }, offset: turn * 20, limit: 20 }),
  );
  const commits = await timesOf(count === 0 ? 0 : PAGES, (turn) =>
    store.transaction(async (writer) => {
      const held = await writer.get(streamCollection, streamOf((turn * 104_729) % count).id);
      if (held !== null) writer.put(streamCollection, { ...held, updated_at: turn });
    }),
  );
  const bytes = usedBytes() - before;
  await store.close();
  return {
    open,
    get: median(gets),
    page: median(pages),
    'page p99': p99(pages),
    'feed p99': p99(feed),
    commit: median(commits),
    bytes,
  };
};

const inside = (folder: string, count: number): Record<string, number | null> => {
  const own = new URL(import.meta.url).pathname;
  const args = ['--expose-gc', own, '--inside', folder, String(count)];
  const { stdout, stderr, status } = spawnSync(process.execPath, args);
  if (status !== 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString()) as Record<string, number | null>;
};

/** Measures the store at every size. */
export const benchScale = async (): Promise<{
  readonly name: string;
  readonly rows: readonly ScaleRow[];
}> => {
  const rows: ScaleRow[] = [];
  const least = new Map<string, number>();
  let empty: { readonly bytes: number; readonly resident: number } | null = null;
  const add = (what: string, records: number, figure: number, unit: string, isCompared = false): void => {
    if (isCompared && !least.has(what)) least.set(what, figure);
    const base = least.get(what);
    rows.push({
      what,
      records,
      figure: round(figure),
      unit,
      ...(isCompared && base !== undefined ? { ratio: round(figure / base) } : {}),
    });
  };
  for (const records of SIZES) {
    const home = mkdtempSync(join(tmpdir(), 'treasury-bench-'));
    const folder = join(home, 'local');
    await fillHome(folder, records);
    add('snapshot', records, statSync(join(folder, 'treasury.json')).size / 1e6, 'MB');
    add('contacts list', records, command(home, ['contacts', 'list']), 'ms of CPU', true);
    if (records > 0)
      add('streams show', records, command(home, ['streams', 'show', 'STREAM-0011']), 'ms of CPU', true);
    add('streams list', records, command(home, ['streams', 'list', '--limit', '20']), 'ms of CPU', true);
    add('overview', records, command(home, ['overview']), 'ms of CPU', true);
    const { bytes, ...looked } = inside(folder, records);
    for (const [what, figure] of Object.entries(looked))
      if (figure !== null) add(`store: ${what}`, records, figure, 'ms');
    const { resident = 0, ...served } = await daemon(home);
    for (const [what, figure] of Object.entries(served))
      if (!Number.isNaN(figure)) add(`daemon: ${what}`, records, figure, 'ms');
    empty ??= { bytes: bytes ?? 0, resident };
    if (records > 0) {
      add('store: memory of a record', records, ((bytes ?? 0) - empty.bytes) / records / 1024, 'KB');
      add('daemon: memory of a record', records, (resident - empty.resident) / records, 'KB');
    }
    rmSync(home, { recursive: true });
  }
  return { name: 'scale', rows };
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , mode, folder = '', count = '0'] = process.argv;
  if (mode === '--inside') console.log(JSON.stringify(await lookInside(folder, Number(count))));
  else console.table((await benchScale()).rows);
}
