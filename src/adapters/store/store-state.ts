/** What ties memory, snapshot and journal together: loading, taking in others' commits, committing, folding. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { dirname } from 'node:path';
import type { Collection } from '../../operation/ports/store.js';
import { inTurns } from '../../operation/turns.js';
import { openJournal, type Journal } from '../journal.js';
import { encodeLines } from '../journal-lines.js';
import { commitsAfter, parseEntries, type Commit, type Heading } from './journal-entry.js';
import { joinParts, previousFiles, refuseRecordOf, type StoreFiles } from './loading.js';
import { foldLogs, segmentsOf, type Segments } from './log-segments.js';
import {
  applyCommits,
  changeOf,
  declaredTable,
  doStep,
  memoryOf,
  undoSteps,
  type Memory,
  type Step,
} from './memory.js';
import { schemaVersion, type Migrations } from './migrations.js';
import { createRowReader, type RowReader } from './record-row.js';
import { readSnapshot, writeSnapshot } from './snapshot.js';
import { emptySnapshot, RESTORE_REMEDY, type Snapshot } from './store-data.js';

export type StoreState = {
  readonly memory: Memory;
  /** Takes in what other processes have committed; opens everything again where that is needed. */
  readonly readAppended: () => void;
  /** Under the lock: takes in, and brings the files into this version's layout when they are not. */
  readonly settle: () => Promise<void>;
  /**
   * Under the lock, after `settle`: writes what transactions did, one journal line each, all with one fsync. What it
   * answers with begins to be written then, and memory is as it was before them until that is done.
   */
  readonly commit: (
    transactions: readonly (readonly Step[])[],
  ) => Promise<{ readonly writing: Promise<void> }>;
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
  /** Bytes; 0 for one that is not of today's form. */
  readonly snapshotSize: () => number;
  readonly close: () => void;
};

export type StateOptions = {
  /** Those that are looked at when the store is opened. */
  readonly collections: readonly Collection[];
  /** All that the program knows, for the day on which everything is written anew. */
  readonly everyCollection: () => Promise<readonly Collection[]>;
  readonly migrations: Migrations;
  /** How large a segment of a log becomes, about. Default 4 MiB. */
  readonly segmentBytes?: number | undefined;
};

type Held = StateOptions & {
  readonly files: StoreFiles;
  /** This version's layout. */
  readonly schema: number;
  readonly journal: Journal;
  /** Keeps what was read, whatever becomes of the memory. */
  readonly rows: RowReader;
  readonly segments: Segments;
  memory: Memory;
  /** What is on disk in an older layout, until it is folded into this version's. */
  outdated: Snapshot | null;
  isSettled: boolean;
  hasUnfolded: boolean;
  /** True from the beginning of taking in to its end, so that what failed half-way is loaded again. */
  isBehind: boolean;
};

const load = (held: Held): void => {
  const { files, journal, migrations, rows, segments } = held;
  // The journal first: a snapshot read later is never older than the journal's beginning, also while others fold.
  journal.rewind();
  const part = parseEntries(files.journal, journal.readNew());
  const { memory, outdated, isSettled } = joinParts(files, readSnapshot(files.snapshot), part, {
    migrations,
    rows,
    segments,
  });
  try {
    for (const collection of held.collections) declaredTable(memory, collection);
  } catch (error) {
    memory.file?.close();
    throw error;
  }
  held.memory.file?.close();
  held.memory = memory;
  held.outdated = outdated;
  held.isSettled = isSettled;
};

const readOn = (held: Held, look: 'readNew' | 'glance'): void => {
  const { files, journal, memory } = held;
  const { generation } = journal;
  const entries = journal[look]();
  const isReplaced = journal.generation !== generation;
  if (entries.length === 0 && !isReplaced) return;
  const commits = commitsAfter(memory.sequence, parseEntries(files.journal, entries));
  if (commits === null || isReplaced) load(held);
  else applyCommits(memory, commits);
};

const readAppended = (held: Held, look: 'readNew' | 'glance' = 'readNew'): void => {
  const wasBehind = held.isBehind;
  held.isBehind = true;
  if (wasBehind) load(held);
  else readOn(held, look);
  held.isBehind = false;
};

const fold = async (held: Held): Promise<void> => {
  const { files, journal, outdated, schema, segments } = held;
  // The logs first: a snapshot says how far their segments reach.
  const logs = await foldLogs(segments, held.memory.logs);
  const options = { onBadRecord: refuseRecordOf(files, []) };
  if (outdated !== null)
    await writeSnapshot(
      `${files.snapshot}.v${outdated.schema}`,
      memoryOf({ ...outdated, logs: Object.fromEntries(logs) }, options),
      outdated.schema,
    );
  // Whatever stands there that nobody has indexed for today's program is indexed now.
  if ([...held.memory.tables.values()].some(({ names }) => names === null))
    for (const collection of await held.everyCollection()) declaredTable(held.memory, collection);
  const previous = previousFiles(files);
  const { sequence } = held.memory;
  // Each of the two is kept when its successor is about to take its place, so that at every moment the snapshot before,
  // with both journals, holds all that was ever folded.
  await writeSnapshot(files.snapshot, { ...held.memory, logs }, schema, previous.snapshot);
  await journal.replace([{ schema, after: sequence } satisfies Heading], previous.journal);
  load(held);
  held.hasUnfolded = false;
};

const settle = async (held: Held): Promise<void> => {
  readAppended(held);
  // Once more under the lock: another process may have settled the files meanwhile.
  if (!held.isSettled) load(held);
  if (!held.isSettled) await fold(held);
};

/** Steps that are read for the journal in one turn of the program. */
const STEPS_TO_A_TURN = 200;

const write = async (
  held: Held,
  steps: readonly Step[],
  { commits, bytes }: { readonly commits: readonly Commit[]; readonly bytes: Buffer },
): Promise<void> => {
  const { memory } = held;
  await held.journal.append(commits, bytes);
  for (const step of steps) doStep(memory, step);
  memory.sequence += commits.length;
  held.hasUnfolded = true;
  if (steps.length > STEPS_TO_A_TURN) await nextTurn();
};

const commit: (
  held: Held,
  transactions: readonly (readonly Step[])[],
) => ReturnType<StoreState['commit']> = async (held, transactions) => {
  const { sequence } = held.memory;
  const commits: Commit[] = [];
  for (const [index, steps] of transactions.entries()) {
    const changes = await inTurns(STEPS_TO_A_TURN, steps, changeOf);
    commits.push({ sequence: sequence + index + 1, changes });
  }
  const steps = transactions.flat();
  const isLong = steps.length > STEPS_TO_A_TURN;
  if (isLong) await nextTurn();
  const bytes = encodeLines(commits);
  if (isLong) await nextTurn();
  // Memory goes back to what is on disk until the new is there too: nobody reads what may still be lost.
  await inTurns(STEPS_TO_A_TURN, steps.toReversed(), (step) => {
    undoSteps(held.memory, [step]);
  });
  if (isLong) await nextTurn();
  return { writing: write(held, steps, { commits, bytes }) };
};

/**
 * Opens the files of a store, without writing anything into them.
 * @throws store_damaged, store_too_new
 */
export const openStoreState = (files: StoreFiles, options: StateOptions): StoreState => {
  const schema = schemaVersion(options.migrations);
  const rows = createRowReader();
  const segments = segmentsOf(dirname(files.snapshot), options.segmentBytes);
  const held: Held = {
    ...options,
    files,
    schema,
    journal: openJournal(files.journal, RESTORE_REMEDY),
    rows,
    segments,
    memory: memoryOf(emptySnapshot(schema), { onBadRecord: refuseRecordOf(files, []), rows, segments }),
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
      readAppended(held, 'glance');
    },
    settle: () => settle(held),
    commit: (transactions) => commit(held, transactions),
    fold: () => fold(held),
    probe: () => {
      held.journal.probe();
    },
    journalSize: () => held.journal.size,
    snapshotSize: () => held.memory.file?.size ?? 0,
    close: () => {
      held.journal.close();
      held.memory.file?.close();
    },
  };
};
