/**
 * The store of a data folder: every commit a line in a journal, the journal folded into a snapshot now and then. What
 * has changed since the snapshot is in memory; the rest lies in the snapshot's file, and is read when it is asked for.
 * Processes share the folder: commits are made under one lock, on what the others have committed, and reads take the
 * others' lines in when the journal has grown.
 */
import { join } from 'node:path';
import type { Awaitable, Collection, StorePort, StoreWriter } from '../../operation/ports/store.js';
import { withFileLock } from '../file-lock.js';
import { files } from '../machine.js';
import { isReadOnly, writing } from '../../storage-failure.js';
import { readerOf, runChange, runChangeTwice, type Outcome } from './change.js';
import { storeFiles } from './loading.js';
import { schemaVersion, type Migrations } from './migrations.js';
import { verifySnapshot } from './snapshot-file.js';
import { openStoreState, type StoreState } from './store-state.js';

export type JsonStoreOptions = {
  /** The data folder; made with mode 0700 when it is not there. */
  readonly folder: string;
  /**
   * The kinds of record whose indexes are looked at when the store is opened, and worked out where an earlier version, or
   * another revision, left none. With those of any other kind that is done when they are first asked for.
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collections: readonly Collection<any>[];
  /** All kinds of record, for the day on which everything is written anew. Default: those above. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly everyCollection?: () => Promise<readonly Collection<any>[]>;
  /** From a schema version to what makes the next version's data of it. */
  readonly migrations?: Migrations;
  /** The journal is folded when it is larger than this and than an eighth of the snapshot. Default 4 MiB. */
  readonly foldAfterBytes?: number;
  /** How large a segment of a log becomes, about. Default 4 MiB. */
  readonly segmentBytes?: number;
  /** How long a commit waits for another process, in milliseconds. Default 15,000. */
  readonly lockTimeoutMs?: number;
  /** Told when folding fails, which costs space and no data: every commit is in the journal. */
  readonly onFoldFailure?: (error: unknown) => void;
  /** Reads every part of the files, and every record of every kind, before it opens. Default: what is asked for. */
  readonly verifies?: boolean;
  /** The time that leases go by, milliseconds since 1970. Default: that of the machine. */
  readonly now?: () => number;
  /** Runs every change twice and refuses one that does not write the same again: for tests. */
  readonly runsTwice?: boolean;
};

export type JsonStore = StorePort & {
  /** Folds the journal into a new snapshot now, as before a backup of `treasury.json`. @throws store_locked */
  readonly fold: () => Promise<void>;
  /** Every counter, and the number that it gave last. */
  readonly counters: () => ReadonlyMap<string, number>;
  /** The names of all collections and logs that it holds anything of, declared or not. */
  readonly names: () => readonly string[];
};

/** From each older layout of the records to the next. */
const MIGRATIONS: Migrations = {};
/** The layout that this program writes. */
export const STORE_SCHEMA = schemaVersion(MIGRATIONS);

const DEFAULT_FOLD_AFTER_BYTES = 4 * 1024 * 1024;
/** The journal, which every process reads whole, is folded when it is larger than this part of the snapshot. */
const JOURNAL_SHARE = 1 / 8;

/** Transactions that are written together: between two such others are answered. */
const MOST_AT_ONCE = 8;

/** A transaction that waits for its turn. */
type Waiting = {
  readonly change: (writer: StoreWriter) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
};

const answer = (batch: readonly Waiting[], outcomes: readonly Outcome<unknown>[]): void => {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const outcome = outcomes[index];
    if (outcome?.kind === 'done') resolve(outcome.value);
    else reject(outcome?.error);
  }
};

/** Changes that were run, and what puts them on disk. */
type Begun = { readonly outcomes: readonly Outcome<unknown>[]; readonly writing: Promise<void> };

/** Runs changes, each on what those before it left, and begins to write them: memory is then as it was before them. */
const runBatch = async (
  state: StoreState,
  batch: readonly Waiting[],
  { runsTwice = false }: JsonStoreOptions,
): Promise<Begun> => {
  const outcomes: Outcome<unknown>[] = [];
  const run = runsTwice ? runChangeTwice : runChange;
  for (const { change } of batch) outcomes.push(await run(state.memory, change));
  const written = outcomes.flatMap((outcome) =>
    outcome.kind === 'done' && outcome.steps.length > 0 ? [outcome.steps] : [],
  );
  if (written.length === 0) return { outcomes, writing: Promise.resolve() };
  return { outcomes, writing: (await state.commit(written)).writing };
};

/**
 * @returns what each change came to, once all are on disk. A change that threw keeps its own error when the disk
 *   refuses; all others take the disk's, since they may rest on one another: none of them happened.
 */
const settleBatch = async ({ outcomes, writing }: Begun): Promise<readonly Outcome<unknown>[]> => {
  try {
    await writing;
    return outcomes;
  } catch (error) {
    return outcomes.map((outcome) => (outcome.kind === 'done' ? { kind: 'thrown', error } : outcome));
  }
};

type UnderLock = (work: () => Promise<void>) => Promise<void>;

/** Keeps the journal short. */
const createFolding = (
  state: StoreState,
  { foldAfterBytes = DEFAULT_FOLD_AFTER_BYTES, onFoldFailure }: JsonStoreOptions,
) => {
  let notBefore = foldAfterBytes;
  let hasFailed = false;
  const outgrows = (size: number): boolean => size > notBefore && size > state.snapshotSize() * JOURNAL_SHARE;
  const fold = async (underLock: UnderLock): Promise<void> => {
    try {
      await underLock(state.fold);
      notBefore = foldAfterBytes;
      hasFailed = false;
    } catch (error) {
      notBefore = state.journalSize() + foldAfterBytes;
      hasFailed = true;
      onFoldFailure?.(error);
    }
  };
  return {
    /** Waiting for a part of the snapshot's size, too, keeps the cost of folding in proportion to what was written. */
    isDue: (): boolean => outgrows(state.journalSize()) || (state.memory.isUnkept && !hasFailed),
    fold,
    /** A small snapshot is kept up to date. */
    foldIfCheap: async (underLock: UnderLock): Promise<void> => {
      if (state.snapshotSize() <= foldAfterBytes) await fold(underLock);
    },
  };
};

/** The commits of one process: those that wait while the lock is taken or the disk is busy go together. */
const createCommitter = (state: StoreState, options: JsonStoreOptions) => {
  const waiting: Waiting[] = [];
  const folding = createFolding(state, options);
  const lock = join(options.folder, 'treasury.lock');
  const lockOptions = options.lockTimeoutMs === undefined ? {} : { timeoutMs: options.lockTimeoutMs };
  let draining: Promise<void> | null = null;
  let holdsLock = false;
  /** While changes run, memory holds what is not on disk yet. */
  let running: Promise<unknown> | null = null;

  const commitBatch = async (batch: readonly Waiting[]): Promise<readonly Outcome<unknown>[]> => {
    const beginning = runBatch(state, batch, options);
    running = beginning;
    const begun = await beginning;
    running = null;
    return settleBatch(begun);
  };

  const whenQuiet = <T>(read: () => Promise<T>): Promise<T> =>
    running === null ? read() : running.then(() => whenQuiet(read));

  const underLock: UnderLock = (work) =>
    withFileLock(
      lock,
      async () => {
        holdsLock = true;
        try {
          await state.settle();
          await work();
        } finally {
          holdsLock = false;
        }
      },
      lockOptions,
    );

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      let batch: Waiting[] = [];
      let outcomes: readonly Outcome<unknown>[] = [];
      try {
        await underLock(async () => {
          batch = waiting.splice(0, MOST_AT_ONCE);
          outcomes = await commitBatch(batch);
        });
        // Only now, when the lock is free again too.
        answer(batch, outcomes);
      } catch (error) {
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error);
      }
      if (folding.isDue()) await folding.fold(underLock);
    }
    draining = null;
  };

  return {
    underLock,
    foldIfCheap: () => folding.foldIfCheap(underLock),
    /** True while nobody else can commit. */
    holdsLock: () => holdsLock,
    /** Calls `read` when memory holds what is on disk, and no more. */
    whenQuiet,
    enqueue: (transaction: Waiting) => {
      waiting.push(transaction);
      draining ??= drain();
    },
    idle: () => draining,
  };
};

/** Whose store it is, and the time that leases on it go by. */
const ofOneMachine = ({ now = Date.now }: JsonStoreOptions): Pick<StorePort, 'time' | 'isShared'> => ({
  time: () => Promise.resolve(now()),
  isShared: false,
});

/** Records that are read in one go when all are. */
const PAGE = 500;

/** Reads every part of the snapshot, and each record of some collections. @throws store_damaged */
const readEverything = async ({ memory }: StoreState, collections: readonly Collection[]): Promise<void> => {
  if (memory.file !== null) verifySnapshot(memory.file);
  for (const { name, kept } of memory.logs.values()) if (kept !== null) memory.segments?.verify(name, kept);
  const reader = readerOf(() => memory);
  for (const collection of collections) {
    for (let offset = 0, total = 1; offset < total; offset += PAGE)
      ({ total } = await reader.find(collection, { order: 'oldest', offset, limit: PAGE }));
  }
};

const makeStoreFolder = (folder: string): void => {
  writing(folder, () => {
    if (!files().exists(folder)) files().makeFolder(folder);
  });
};

/** What else is asked of a store of one machine, and when all of it is copied. */
const restOf = (state: StoreState, options: JsonStoreOptions) => ({
  ...ofOneMachine(options),
  counters: () => new Map(state.memory.counters),
  names: () => [...state.memory.tables.keys(), ...state.memory.logs.keys()],
});

/**
 * Opens the store of a folder: `treasury.json` (snapshot), `treasury.journal` and `treasury.lock`, all of mode 0600;
 * beside the first two, under `.previous`, what they were before the last fold; and a folder for each log.
 *
 * Reads see what is on disk, never what is still being written, and are `store_damaged` when what they read is not what
 * was written. When the disk refuses a
 * commit, it and those that were to be written with it fail with the disk's error, and memory is as it was.
 * A folder that cannot be written to is read, and every commit there is `storage_read_only`.
 * A change that awaits something else than its writer, or puts a record that does not validate, is a defect and throws.
 *
 * @throws store_damaged, store_too_new, store_locked, storage_full, too_many_files
 */
export const openJsonStore = async (options: JsonStoreOptions): Promise<JsonStore> => {
  const { folder, collections, migrations = MIGRATIONS } = options;
  const { everyCollection = () => Promise.resolve(collections), verifies = false, segmentBytes } = options;
  makeStoreFolder(folder);
  const layout = { collections, everyCollection, migrations, segmentBytes };
  const state = openStoreState(storeFiles(folder), layout);
  const committer = createCommitter(state, options);
  const reader = readerOf(() => state.memory);
  let closing: Promise<void> | null = null;
  const refuseClosed = (): void => {
    if (closing !== null) throw new Error(`the store in ${folder} is closed`);
  };
  const close = async (): Promise<void> => {
    await committer.idle();
    // A process that only reads leaves the files alone.
    if (state.hasUnfolded) await committer.foldIfCheap();
    state.close();
  };

  const settle = async (): Promise<void> => {
    try {
      await committer.underLock(() => Promise.resolve());
    } catch (error) {
      // What can be read is read, in whatever layout it stands on disk.
      if (!isReadOnly(error)) throw error;
    }
  };

  try {
    if (!state.isSettled) await settle();
    if (verifies) await readEverything(state, await everyCollection());
  } catch (error) {
    state.close();
    throw error;
  }
  return {
    get: (collection, id) => committer.whenQuiet(() => reader.get(collection, id)),
    find: (collection, query) => committer.whenQuiet(() => reader.find(collection, query)),
    readLog: (log, range) => committer.whenQuiet(() => reader.readLog(log, range)),
    refresh: async () => {
      refuseClosed();
      // While this process holds the lock nobody else commits, and it has taken in everything already.
      if (!committer.holdsLock()) state.readAppended();
      return Promise.resolve();
    },
    transaction: <T>(change: (writer: StoreWriter) => Awaitable<T>) =>
      new Promise<T>((resolve, reject) => {
        refuseClosed();
        committer.enqueue({ change, resolve: resolve as (value: unknown) => void, reject });
      }),
    probe: async () => {
      refuseClosed();
      await committer.underLock(async () => {
        state.probe();
        return Promise.resolve();
      });
    },
    fold: async () => {
      refuseClosed();
      await committer.underLock(state.fold);
    },
    close: () => (closing ??= close()),
    ...restOf(state, options),
  };
};
