/** Homes for the doctor: real ones, opened as they are, and made-up ones for what a test cannot bring about. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { openApp, type AppSettings } from '../../src/app.js';
import type { Network } from '../../src/bch/network.js';
import { examine, type Examination, type NamedFinding } from '../../src/home/doctor/doctor.js';
import type { Context } from '../../src/operation/context.js';
import { eventCollection } from '../../src/record/events.js';
import { execute } from '../../src/operation/execute.js';
import { pendingStepCollection } from '../../src/record/pending-steps.js';
import type { Tip } from '../../src/operation/ports/chain.js';
import type { CheckpointFacts, ServerFacts, Surroundings } from '../../src/operation/ports/surroundings.js';
import { fakeContext, NOW, openMemoryStore } from '../operation/fake-context.js';
import { TEST_TIME } from '../treasury.js';

/** The report as it stands in JSON. */
export type Report = {
  readonly success: boolean;
  readonly code?: string;
  readonly checks: readonly NamedFinding[];
  readonly summary: { readonly ok: number; readonly warnings: number; readonly problems: number };
};

/** A folder for a home; removed when the test ends. */
export const makeFolder = (t: ExecutionContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

/** A home that `init` has set up, and that nobody has open. */
export const makeHome = async (t: ExecutionContext): Promise<string> => {
  const home = makeFolder(t);
  const app = await openApp({ home, network: 'local', wall: () => TEST_TIME });
  const init = app.operations.find(({ id }) => id === 'init');
  if (init === undefined) throw new Error('there is no init');
  await execute(init, {}, app.context, { kind: 'operator', address: null });
  await app.close();
  return home;
};

/** What the doctor says of a home. */
export const consult = async (
  home: string,
  input: Record<string, unknown> = {},
  settings: Partial<AppSettings> = {},
): Promise<Report> => {
  const app = await openApp({
    home,
    network: 'local',
    wall: () => TEST_TIME,
    inspectOnly: { unknownSettings: [], passphraseFile: null },
    ...settings,
  });
  try {
    const doctor = app.operations.find(({ id }) => id === 'doctor');
    if (doctor === undefined) throw new Error('there is no doctor');
    const reply = await execute(doctor, input, app.context, { kind: 'operator', address: null });
    return reply as unknown as Report;
  } finally {
    await app.close();
  }
};

/** Surroundings with which nothing is wrong. */
export const SOUND: Surroundings = {
  home: {
    path: '/nowhere',
    isThere: true,
    folder: '/nowhere/local',
    isFolderThere: true,
    isWritable: true,
    freeBytes: 10_000_000_000,
  },
  runtime: { node: '20.19.0', engines: '>=20.19', isSupported: true },
  files: [{ path: '/nowhere', kind: 'folder', mode: 0o700, isSecret: false }],
  secretFiles: [],
  store: { snapshotBytes: 1, journalBytes: 1, logBytes: 0, schema: 1 },
  locks: [],
  passphraseFile: null,
  unknownSettings: [],
  restoreStore: () => Promise.reject(new Error('there are no files')),
  failures: { store: null, chain: null },
  servers: null,
};

/** A server that answers as it should. */
export const answering = (
  url: string,
  changes: Partial<Extract<ServerFacts, { kind: 'answered' }>> = {},
): ServerFacts => ({
  url,
  kind: 'answered',
  protocol: '1.5.1',
  height: 100,
  tipTime: NOW,
  latencyMs: 1,
  nodeFailure: null,
  serves: ['mainnet'],
  isOurs: true,
  hasCheckpoint: null,
  compared: null,
  ...changes,
});

/** Servers of a network, the first of which is in use. */
export const serversOf = (
  facts: readonly ServerFacts[],
  checkpoint: CheckpointFacts | null = null,
): Pick<Surroundings, 'servers'> => ({
  servers: {
    ask: () => Promise.resolve(facts),
    inUse: () => facts[0]?.url ?? null,
    checkpoint: () => checkpoint,
  },
});

/** A made-up home: the tip is as old as is said, and the chain knows what `transaction` says. */
export type MadeUp = {
  readonly network?: Network;
  readonly tip?: Partial<Tip>;
  readonly chain?: Partial<Context['chain']>;
  readonly surroundings?: Partial<Surroundings>;
  readonly store?: Context['store'];
  readonly context?: Partial<Context>;
};

/** A store in memory with what the doctor reads. */
export const memoryStore = (): Context['store'] => openMemoryStore([eventCollection, pendingStepCollection]);

/** What the doctor finds in a made-up home. */
export const examineMadeUp = ({
  network = 'mainnet',
  tip = {},
  chain = {},
  surroundings = {},
  store = memoryStore(),
  context: changes = {},
}: MadeUp): Promise<Examination> => {
  const base = fakeContext();
  const context = fakeContext({
    network,
    store,
    chain: {
      ...base.chain,
      askNode: () => Promise.resolve(),
      tip: () =>
        Promise.resolve({
          height: 100,
          hash: '00'.repeat(32),
          time: NOW,
          medianTimePast: NOW - 3_600,
          ...tip,
        }),
      ...chain,
    },
    ...changes,
  });
  const scope = { deployables: [], collections: [], actions: [] };
  return examine(context, { ...SOUND, ...surroundings }, scope, false);
};

/** The findings of a check. */
export const findingsOf = (
  { findings }: { readonly findings: readonly NamedFinding[] },
  check: string,
): readonly NamedFinding[] => findings.filter((finding) => finding.check === check);
