/** Plays hostile requests against a daemon in a process of its own, and says what became of it and of what it keeps. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { randomFrom } from '../contracts/fuzz/random.js';
import { collections } from '../../src/collections.js';
import type { StorePort } from '../../src/operation/ports/store.js';
import { freePort } from '../adapters/electrum/electrum-fixture.js';
import { PLAYERS, type EveryRecord } from '../roles/every-record.js';
import type { Treasury } from '../treasury.js';
import { hostileRequest, type Api, type HostileRequest, type Known } from './requests.js';

const BIN = resolve('bin/treasury.js');
const AT_ONCE = 8;
/** Longer than any honest answer takes on a loaded machine. */
const PATIENCE_MS = 30_000;
/** Errors that are of what the daemon stands on, and not its own. */
const UPSTREAM = ['price_unavailable', 'authority_unfunded', 'chain_unavailable'];

export type Daemon = {
  readonly url: string;
  readonly port: number;
  /** Null while it lives. */
  readonly exitCode: () => number | null;
  /** Resident memory in bytes. */
  readonly memory: () => number;
  readonly stop: () => Promise<void>;
};

/** Serves a home from a process of its own, and returns once it answers. */
export const startHostileDaemon = async (home: string): Promise<Daemon> => {
  const port = await freePort();
  const child: ChildProcess = spawn(
    process.execPath,
    [BIN, 'serve', '--port', String(port), '--log-level', 'silent', '--quiet'],
    {
      env: { ...process.env, TREASURY_HOME: home, TREASURY_NETWORK: 'local', NO_COLOR: '1' },
      stdio: 'ignore',
    },
  );
  const url = `http://127.0.0.1:${port}`;
  const isUp = (): Promise<boolean> =>
    fetch(`${url}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await isUp())) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('the daemon does not start');
    await wait(100);
  }
  return {
    url,
    port,
    exitCode: () => child.exitCode ?? (child.signalCode === null ? null : 1),
    memory: () => {
      const status = readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
    },
    stop: async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
};

/** What came back: the status of the first answer (0: none), and all of it as text. */
type Received = { readonly status: number; readonly text: string };

const say = (port: number, { bytes, isCut }: HostileRequest): Promise<Received> =>
  new Promise((done) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes, () => {
        if (isCut) socket.destroy();
        // Bytes that are no whole request leave the daemon waiting for more: it hears that there is none.
        else socket.end();
      });
    });
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no answer in time')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.once('close', () => {
      const text = Buffer.concat(chunks).toString();
      done({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text });
    });
  });

/** What is not to happen, in words. */
export type Finding = { readonly request: string; readonly what: string };

export type Report = {
  readonly requests: number;
  /** Answers by status; 0: the connection was closed without one. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  /** Resident memory after the first fifth, and at the end, in bytes. */
  readonly memory: { readonly early: number; readonly late: number };
};

const judge = ({ kind, bytes }: HostileRequest, { status, text }: Received): Finding[] => {
  const request = `${kind}: ${bytes.subarray(0, 400).toString('latin1')}`;
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
  const isOurs = status >= 500 && !UPSTREAM.includes(code);
  const findings = isOurs ? [{ request, what: `${status} ${code}` }] : [];
  const megabytes = text.length / 1_048_576;
  return megabytes < 1
    ? findings
    : [...findings, { request, what: `an answer of ${megabytes.toFixed(1)} MB` }];
};

export type Play = {
  readonly requests: number;
  readonly seed: number;
  readonly known: Known;
  readonly onProgress?: (done: number, findings: number) => void;
};

/** Sends so many requests, several at a time; request `n` depends on the seed and `n` alone. */
export const playHostile = async (daemon: Daemon, play: Play): Promise<Report> => {
  const api = (await (await fetch(`${daemon.url}/api/openapi.json`)).json()) as Api;
  const statuses: Record<string, number> = {};
  const findings: Finding[] = [];
  let next = 0;
  let early = 0;
  const work = async (): Promise<void> => {
    while (next < play.requests && daemon.exitCode() === null) {
      const number = next;
      next += 1;
      const request = hostileRequest(randomFrom(play.seed, number), api, play.known);
      const received = await say(daemon.port, request);
      statuses[received.status] = (statuses[received.status] ?? 0) + 1;
      findings.push(...judge(request, received));
      if (number === Math.floor(play.requests / 5)) early = daemon.memory();
      if (number % 1_000 === 999) play.onProgress?.(number + 1, findings.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (daemon.exitCode() !== null) findings.push({ request: `before ${next}`, what: 'the daemon has ended' });
  const alive = await fetch(`${daemon.url}/api/health`).then(
    ({ status }) => status,
    () => 0,
  );
  if (alive !== 200) findings.push({ request: 'GET /api/health afterwards', what: String(alive) });
  return {
    requests: next,
    statuses,
    findings,
    memory: { early, late: daemon.exitCode() === null ? daemon.memory() : 0 },
  };
};

/** Every record of a store as it stands, by collection and id. */
export const recordsOf = async (store: StorePort): Promise<ReadonlyMap<string, string>> => {
  await store.refresh();
  const entries = (
    await Promise.all(
      collections.map(async (collection) =>
        (await store.find(collection, { limit: Number.MAX_SAFE_INTEGER })).items.map(
          (record: { readonly id: string }): [string, string] => [
            `${collection.name} ${record.id}`,
            JSON.stringify(record, (_key, value: unknown) =>
              typeof value === 'bigint' ? value.toString() : value,
            ),
          ],
        ),
      ),
    )
  ).flat();
  return new Map(entries);
};

/** The records that stood before and are gone or others now. */
export const changedRecords = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] => [...before].flatMap(([name, text]) => (after.get(name) === text ? [] : [name]));

/** What a stranger may know of a treasury: everything that names its records, and an address that is no party's. */
export const knownOf = (
  treasury: Treasury,
  { vaultId, batchId, proposalId, spendId, ids }: EveryRecord,
): Known => ({
  names: [
    ...new Set([vaultId, batchId, proposalId, spendId, ...Object.values(ids), 'STREAM-0002', 'SPEND-0001']),
    ...Object.values(treasury.people).map((who) => treasury.addressOf(who).text),
  ],
  stranger: treasury.addressOf(PLAYERS.stranger).text,
});
