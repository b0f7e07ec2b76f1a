/** What ties memory, snapshot and journal together: loading, taking in others' commits, committing, folding. */
import type { Collection } from '../../operation/ports/store.js';
import { openJournal, type Journal } from '../journal.js';
import { commitsAfter, parseEntries, type Commit, type Heading } from './journal-entry.js';
import { joinParts, previousFiles, refuseRecord, type StoreFiles } from './loading.js';
import {
  applyCommits,
  changeOf,
  doStep,
  loadMemory,
  snapshotOf,
  undoSteps,
  type Memory,
  type Step,
} from './memory.js';
import { schemaVersion, type Migrations } from './migrations.js';
import { emptySnapshot, snapshotFile, type SnapshotFile } from './snapshot.js';
import type { Snapshot } from './store-data.js';
import { RESTORE_REMEDY } from './snapshot-text.js';

export type StoreState = {
  readonly memory: Memory;
  /** Takes in what other processes have committed; loads everything again where that is needed. */
  readonly readAppended: () => void;
  /** Under the lock: takes in, and brings the files into this version's layout when they are not. */
  readonly settle: () => Promise<void>;
  /** Under the lock, after `settle`: writes what transactions did, one journal line each, all with one fsync. */
  readonly commit: (transactions: readonly (readonly Step[])[]) => Promise<void>;
  /** Under the lock, after `settle`: makes a snapshot of memory and begins a new journal after it. */
  readonly fold: () => Promise<void>;
  /** Under the lock, after `settle`. @throws what a commit would meet now: storage_full, storage_read_only */
  readonly probe: () => void;
  /** False when there is no snapshot yet, or the files are not in this version's layout: `settle` mends it. */
  readonly isSettled: boolean;
  /** True when this process has committed what is in no snapshot yet. */
  readonly hasUnfolded: boolean;
  /** Bytes. */
  readonly journalSize: () => number;
  /** Bytes. */
  readonly snapshotSize: () => number;
  readonly close: () => void;
};

type Held = {
  readonly files: StoreFiles;
  readonly collections: readonly Collection[];
  readonly migrations: Migrations;
  /** This version's layout. */
  readonly schema: number;
  readonly snapshot: SnapshotFile;
  readonly journal: Journal;
  memory: Memory;
  /** What is on disk in an older layout, until it is folded into this version's. */
  outdated: Snapshot | null;
  isSettled: boolean;
  hasUnfolded: boolean;
  /** True from the beginning of taking in to its end, so that what failed half-way is loaded again. */
  isBehind: boolean;
};

const load = (held: Held): void => {
  const { files, journal } = held;
  // The journal first: a snapshot read later is never older than the journal's beginning, also while others fold.
  journal.rewind();
  const part = parseEntries(files.journal, journal.readNew());
  const loaded = joinParts(files, held.snapshot.read(), part, held.migrations);
  held.memory = loadMemory(loaded.snapshot, held.collections, refuseRecord(files, loaded.commits));
  held.outdated = loaded.outdated;
  held.isSettled = loaded.isSettled;
};

/** True when a journal that took another's place goes on from what is held, so that nothing need be loaded again. */
const goesOn = (
  heading: Heading | null,
  commits: readonly Commit[],
  memory: Memory,
  schema: number,
): boolean => heading?.schema === schema && (commits.at(-1)?.sequence ?? heading.after) >= memory.sequence;

const readOn = (held: Held): void => {
  const { files, journal, memory, schema } = held;
  const { generation } = journal;
  const entries = journal.readNew();
  const isReplaced = journal.generation !== generation;
  if (entries.length === 0 && !isReplaced) return;
  const part = parseEntries(files.journal, entries);
  const commits = commitsAfter(memory.sequence, part);
  if (commits === null || (isReplaced && !goesOn(part.heading, part.commits, memory, schema))) load(held);
  else applyCommits(memory, commits, refuseRecord(files, commits));
};

const readAppended = (held: Held): void => {
  const wasBehind = held.isBehind;
  held.isBehind = true;
  if (wasBehind) load(held);
  else readOn(held);
  held.isBehind = false;
};

const fold = async (held: Held): Promise<void> => {
  const { files, journal, memory, outdated, schema, snapshot } = held;
  if (outdated !== null) await snapshotFile(`${files.snapshot}.v${outdated.schema}`).write(outdated);
  const previous = previousFiles(files);
  // Each of the two is kept when its successor is about to take its place, so that at every moment the snapshot before,
  // with both journals, holds all that was ever folded.
  await snapshot.write(snapshotOf(memory, schema), previous.snapshot);
  await journal.replace([{ schema, after: memory.sequence } satisfies Heading], previous.journal);
  held.outdated = null;
  held.isSettled = true;
  held.hasUnfolded = false;
};

const settle = async (held: Held): Promise<void> => {
  readAppended(held);
  // Once more under the lock: another process may have settled the files meanwhile.
  if (!held.isSettled) load(held);
  if (!held.isSettled) await fold(held);
};

const commit = async (held: Held, transactions: readonly (readonly Step[])[]): Promise<void> => {
  const { memory } = held;
  const commits = transactions.map((steps, index): Commit => ({
    sequence: memory.sequence + index + 1,
    changes: steps.map(changeOf),
  }));
  const steps = transactions.flat();
  // Memory goes back to what is on disk until the new is there too: nobody reads what may still be lost.
  undoSteps(memory, steps);
  await held.journal.append(commits);
  for (const step of steps) doStep(memory, step);
  memory.sequence += commits.length;
  held.hasUnfolded = true;
};

/**
 * Opens the files of a store and loads them, without writing anything into them.
 * @throws store_damaged, store_too_new
 */
export const openStoreState = (
  files: StoreFiles,
  collections: readonly Collection[],
  migrations: Migrations,
): StoreState => {
  const schema = schemaVersion(migrations);
  const held: Held = {
    files,
    collections,
    migrations,
    schema,
    snapshot: snapshotFile(files.snapshot),
    journal: openJournal(files.journal, RESTORE_REMEDY),
    memory: loadMemory(emptySnapshot(schema), collections, refuseRecord(files, [])),
    outdated: null,
    isSettled: false,
    hasUnfolded: false,
    isBehind: true,
  };
  try {
    readAppended(held);
  } catch (error) {
    held.journal.close();
    throw error;
  }
  return {
    get memory() {
      return held.memory;
    },
    get isSettled() {
      return held.isSettled;
    },
    get hasUnfolded() {
      return held.hasUnfolded;
    },
    readAppended: () => {
      readAppended(held);
    },
    settle: () => settle(held),
    commit: (transactions) => commit(held, transactions),
    fold: () => fold(held),
    probe: () => {
      held.journal.probe();
    },
    journalSize: () => held.journal.size,
    snapshotSize: held.snapshot.size,
    close: held.journal.close,
  };
};
