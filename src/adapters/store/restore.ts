/**
 * Making a store again whose files are damaged, of what can be read of them: the snapshot or the one before it, and the
 * commits of both journals. Whatever stood there before is kept under another name.
 */
import { join } from 'node:path';
import { TreasuryError } from '../../errors.js';
import type { Awaitable, Collection, StoreReader } from '../../operation/ports/store.js';
import type { Restoration } from '../../operation/ports/surroundings.js';
import { writing } from '../../storage-failure.js';
import { withFileLock } from '../file-lock.js';
import { keepFile } from '../journal.js';
import { files as machineFiles } from '../machine.js';
import { encodeLines, salvageLines } from '../journal-lines.js';
import { writeWhole } from '../whole-file.js';
import { readerOf } from './change.js';
import { restoreLog, type KnownLog } from './restore-logs.js';
import { foldCommits, parseEntries, type Commit, type Heading } from './journal-entry.js';
import { previousFiles, refuseRecordOf, storeFiles, type StoreFiles } from './loading.js';
import { declaredTable, memoryOf, type Memory } from './memory.js';
import { readWhole, writeSnapshot } from './snapshot.js';
import { emptySnapshot, type LogData, type LogEntry, type Snapshot } from './store-data.js';
import { STORE_SCHEMA } from './json-store.js';

export type RestoreOptions = {
  readonly folder: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collections: readonly Collection<any>[];
  /** Names the records of a store that are damaged beyond what a checksum tells. */
  readonly damagedIn: (reader: StoreReader) => Promise<readonly string[]>;
  /** Unix seconds: names the files that are kept. */
  readonly now: number;
};

/** The commits of the journals, each once and in order, and the last commit that they know of. */
type Salvage = { readonly commits: readonly Commit[]; readonly reached: number; readonly badLines: number };

/** A store as it can be made again. */
type Candidate = {
  readonly source: string;
  readonly base: Snapshot;
  readonly commits: readonly Commit[];
  readonly snapshot: Snapshot;
  readonly damaged: readonly string[];
  /** Of its journals. */
  readonly lostLines: number;
};

/** A snapshot as a store whose every record validates. @throws store_damaged */
const memoryWith = (
  snapshot: Snapshot,
  commits: readonly Commit[],
  { folder, collections }: RestoreOptions,
): Memory => {
  const memory = memoryOf(snapshot, { onBadRecord: refuseRecordOf(storeFiles(folder), commits) });
  for (const collection of collections) declaredTable(memory, collection);
  return memory;
};

const readOrNull = async <T>(read: () => Awaitable<T | null>): Promise<T | null> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof TreasuryError && error.code === 'store_damaged') return null;
    throw error;
  }
};

/** @throws store_too_new when a journal is of another layout: its records are not to be mixed with those of this one */
const salvage = (journals: readonly string[]): Salvage => {
  const bySequence = new Map<number, Commit>();
  let badLines = 0;
  let reached = 0;
  for (const file of journals.filter((path) => machineFiles().exists(path))) {
    const salvaged = salvageLines(machineFiles().readWhole(file));
    const { heading, commits } = parseEntries(file, salvaged.entries);
    const found = heading?.schema ?? STORE_SCHEMA;
    if (found !== STORE_SCHEMA)
      throw new TreasuryError('store_too_new', { file, found, expected: STORE_SCHEMA });
    for (const commit of commits) bySequence.set(commit.sequence, commit);
    badLines += salvaged.badLines;
    reached = Math.max(reached, heading?.after ?? 0, commits.at(-1)?.sequence ?? 0);
  }
  const commits = [...bySequence.values()].sort((a, b) => a.sequence - b.sequence);
  return { commits, reached, badLines };
};

/** The store that a snapshot and the commits after it give; null when more is missing between them than bad lines. */
const candidateOf = async (
  source: string,
  base: Snapshot | null,
  { commits: every, reached, badLines }: Salvage,
  options: RestoreOptions,
): Promise<Candidate | null> => {
  if (base === null || base.schema !== STORE_SCHEMA) return null;
  const commits = every.filter(({ sequence }) => sequence > base.sequence);
  const missing = Math.max(reached, base.sequence) - base.sequence - commits.length;
  if (missing > badLines) return null;
  const snapshot = foldCommits(base, commits);
  return readOrNull(async () => {
    const memory = memoryWith(snapshot, commits, options);
    const damaged = await options.damagedIn(readerOf(() => memory));
    return { source, base, commits, snapshot, damaged, lostLines: badLines };
  });
};

const REMEDY = 'put the folder back from a backup, or import an export of it into a new home';

/** @throws store_damaged: nothing here is better than what stands there */
const refuseRestoring = (file: string, where: string): never => {
  throw new TreasuryError('store_damaged', { file, where: `${where}: nothing was changed`, remedy: REMEDY });
};

/** What the snapshots that can be read and the commits tell of each log. */
const knownLogs = (
  snapshots: readonly (Snapshot | null)[],
  commits: readonly Commit[],
): readonly KnownLog[] => {
  const known = new Map<string, { readonly entries: Map<number, LogEntry>; reached: number }>();
  const reach = (name: string, sequence: number) => {
    const log = known.get(name) ?? { entries: new Map<number, LogEntry>(), reached: 0 };
    known.set(name, log);
    log.reached = Math.max(log.reached, sequence);
    return log;
  };
  for (const snapshot of snapshots)
    for (const [name, { kept }] of Object.entries(snapshot?.logs ?? {})) reach(name, kept?.last ?? 0);
  for (const change of commits.flatMap(({ changes }) => changes)) {
    if ('log' in change) reach(change.log, change.reaches.last);
    if (!('append' in change)) continue;
    const { append, sequence, entry } = change;
    reach(append, sequence).entries.set(sequence, { sequence, entry });
  }
  return [...known].map(([name, log]) => ({ name, ...log }));
};

/** The store with the fewest damaged records: of those, the one that begins latest. @throws store_damaged */
const chooseCandidate = async (
  files: StoreFiles,
  options: RestoreOptions,
): Promise<Candidate & { readonly logs: readonly KnownLog[] }> => {
  const previous = previousFiles(files);
  const read = (file: string) => readOrNull(() => readWhole(file));
  const [lately, ever] = [salvage([files.journal]), salvage([previous.journal, files.journal])];
  const current = await read(files.snapshot);
  const former = await read(previous.snapshot);
  const reached = Math.max(ever.reached, current?.sequence ?? 0);
  const present = await candidateOf(files.snapshot, current, lately, options);
  const candidates = [
    present,
    await candidateOf(previous.snapshot, former, { ...ever, reached }, options),
    // Of a young home the journals may hold everything.
    await candidateOf('the journals alone', emptySnapshot(STORE_SCHEMA), { ...ever, reached }, options),
  ].filter((candidate) => candidate !== null);
  const [best] = candidates.toSorted((a, b) => a.damaged.length - b.damaged.length);
  if (best === undefined) return refuseRestoring(files.snapshot, 'a place that no copy here makes good');
  // What opens as it is, and is in no copy any better, is left as it is.
  if (best === present && lately.badLines === 0 && best.damaged.length > 0)
    return refuseRestoring(files.snapshot, `${best.damaged.join(', ')}, as in every copy here`);
  return { ...best, logs: knownLogs([current, former], ever.commits) };
};

/** Lets every file stand under a name that tells when it was put away. */
const keepFiles = (files: readonly string[], now: number): readonly string[] => {
  const stamp = new Date(now * 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return files
    .filter((file) => machineFiles().exists(file))
    .map((file) => {
      let name = `${file}.damaged-${stamp}`;
      for (let again = 2; machineFiles().exists(name); again += 1) name = `${file}.damaged-${stamp}-${again}`;
      writing(name, () => {
        keepFile(file, name);
      });
      return name;
    });
};

const headingAfter = (sequence: number): Heading => ({ schema: STORE_SCHEMA, after: sequence });

/**
 * Makes the store of a folder again, under its lock. At every moment what can be read of the old files can be read still.
 *
 * @throws store_damaged when nothing that can be read is better than what stands there; store_too_new, store_locked,
 *   storage_full, storage_read_only
 */
export const restoreStore = (options: RestoreOptions): Promise<Restoration> => {
  const { folder, now } = options;
  const files = storeFiles(folder);
  const previous = previousFiles(files);
  return withFileLock(join(folder, 'treasury.lock'), async () => {
    // Check:
    const { source, base, commits, snapshot, lostLines, logs: known } = await chooseCandidate(files, options);

    // Record: first what it was made of, then what it is.
    const all = [files.snapshot, files.journal, previous.snapshot, previous.journal];
    const kept = [...keepFiles(all, now)];
    const logs: Record<string, LogData> = {};
    let lostEntries = 0;
    for (const log of known) {
      const restored = await restoreLog(folder, log, (path) => kept.push(...keepFiles([path], now)));
      logs[log.name] = { kept: restored.kept, tail: [] };
      lostEntries += restored.lost;
    }
    const write = (file: string, content: Snapshot) =>
      writeSnapshot(file, memoryWith({ ...content, logs }, commits, options), STORE_SCHEMA);
    await write(previous.snapshot, base);
    await writeWhole(previous.journal, encodeLines([headingAfter(base.sequence), ...commits]));
    await write(files.snapshot, snapshot);
    await writeWhole(files.journal, encodeLines([headingAfter(snapshot.sequence)]));
    return { kept, source, replayed: commits.length, lostLines, lostEntries };
  });
};
