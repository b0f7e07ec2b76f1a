/**
 * One chain state for all processes that share a folder: a journal of events and a lock around every change; and who is
 * told of changes, those of other processes too.
 *
 * An entry of the journal is the events of one change, so that a change is on disk as a whole or not at all.
 */
import path from 'node:path';
import type { WatchTarget } from '../../operation/ports/chain.js';
import { writing } from '../../storage-failure.js';
import { withFileLock } from '../file-lock.js';
import { openJournal } from '../journal.js';
import { files } from '../machine.js';
import {
  applyEvent,
  emptyState,
  forgetAll,
  noChanges,
  type ChainEvent,
  type ChainState,
  type Changes,
} from './chain-state.js';

/** What can be done while the lock is held. The state is the newest. */
export type Commit = {
  /** Writes events as one entry, then folds them; nothing is written when there are none. */
  readonly append: (events: readonly ChainEvent[]) => Promise<void>;
  /** Begins the chain anew with these events. */
  readonly replace: (events: readonly ChainEvent[]) => Promise<void>;
};

export type SharedState = {
  /** Takes in what other processes have written, and returns the state. One fstat when they wrote nothing. */
  readonly read: () => ChainState;
  /** Runs `work` alone among all processes, on the newest state. @throws store_locked, store_damaged */
  readonly change: <T>(work: (state: ChainState, commit: Commit) => Promise<T>) => Promise<T>;
  /** Waits for running changes and lets go of the file. The last state stays readable. */
  readonly close: () => Promise<void>;
};

/** The file that the processes share, and what was written to it since the last look. */
const openShared = (folder: string) => {
  const journal = openJournal(path.join(folder, 'local-chain.journal'));
  let generation = journal.generation;
  return {
    journal,
    /** `isAnew`: the chain begins with these. */
    readNew: (look: 'readNew' | 'glance') => {
      const entries = journal[look]() as (readonly ChainEvent[])[];
      const isAnew = journal.generation !== generation;
      generation = journal.generation;
      return { entries, isAnew };
    },
  };
};

/** Folds entries into a state, from nothing when it is anew, and tells what they touched. */
const foldInto =
  (state: ChainState, onChange: (changes: Changes) => void) =>
  (entries: readonly (readonly ChainEvent[])[], isAnew: boolean): void => {
    const changes = noChanges();
    if (isAnew) forgetAll(state, changes);
    for (const event of entries.flat()) applyEvent(state, event, changes);
    onChange(changes);
  };

/** What has been read and is not to be known yet. */
type Waiting = {
  readonly dueAt: number;
  readonly entries: readonly (readonly ChainEvent[])[];
  readonly isAnew: boolean;
};

/**
 * The same state as somebody has it who learns of everything that many milliseconds later. What is there when it is
 * opened is known at once. To be read whenever something is written, since the time counts from there.
 */
export const openLateState = (
  folder: string,
  delayMs: number,
  onChange: (changes: Changes) => void,
): Pick<SharedState, 'read' | 'close'> => {
  const { journal, readNew } = openShared(folder);
  const state = emptyState();
  const fold = foldInto(state, onChange);
  fold(readNew('readNew').entries, false);
  const waiting: Waiting[] = [];
  let isClosed = false;
  return {
    read: () => {
      if (isClosed) return state;
      const { entries, isAnew } = readNew('glance');
      if (isAnew || entries.length > 0) waiting.push({ dueAt: performance.now() + delayMs, entries, isAnew });
      for (let next = waiting[0]; next !== undefined && next.dueAt <= performance.now(); next = waiting[0]) {
        waiting.shift();
        fold(next.entries, next.isAnew);
      }
      return state;
    },
    close: () => {
      isClosed = true;
      journal.close();
      return Promise.resolve();
    },
  };
};

/** Opens the state kept in `folder` (made when missing). `onChange` is told what every fold has touched. */
export const openSharedState = (folder: string, onChange: (changes: Changes) => void): SharedState => {
  writing(folder, () => {
    files().makeFolder(folder);
  });
  const { journal, readNew } = openShared(folder);
  const lockFile = path.join(folder, 'local-chain.lock');
  const state = emptyState();
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  const fold = foldInto(state, onChange);

  const read = (look: 'readNew' | 'glance'): ChainState => {
    if (isClosed) return state;
    const { entries, isAnew } = readNew(look);
    if (isAnew || entries.length > 0) fold(entries, isAnew);
    return state;
  };

  const commit: Commit = {
    append: async (events) => {
      if (events.length === 0) return;
      await journal.append([events]);
      fold([events], false);
    },
    replace: async (events) => {
      try {
        await journal.replace([events]);
      } catch (error) {
        // Which of the two files is there now is not known: the next read begins at its first line.
        journal.rewind();
        fold([], true);
        throw error;
      }
      fold([events], true);
    },
  };

  return {
    read: () => read('glance'),
    change: (work) => {
      const result = withFileLock(lockFile, () => work(read('readNew'), commit));
      const settled = result.catch(() => undefined).finally(() => running.delete(settled));
      running.add(settled);
      return result;
    },
    close: async () => {
      await Promise.all(running);
      isClosed = true;
      journal.close();
    },
  };
};

/** Told what has changed: `headers` when the tip did, and the locking bytecodes (hex) whose history did. */
export type ChainListener = (changes: {
  readonly headers: boolean;
  readonly lockingBytecodes: ReadonlySet<string>;
}) => void;

export type Watchers = {
  /** Returns how to stop. */
  readonly subscribe: (listener: ChainListener) => () => void;
  /** Tells everybody, after the current call has ended; nobody when nothing changed. */
  readonly tell: (changes: Changes) => void;
  readonly close: () => void;
};

/** How often a watcher's chain is looked at for what other processes did. One fstat when they did nothing. */
const POLL_MS = 500;

/** Keeps the listeners of a chain. `look` takes in what others have done; it is polled only while somebody listens. */
export const createWatchers = (look: () => void): Watchers => {
  const listeners = new Set<ChainListener>();
  let timer: NodeJS.Timeout | null = null;

  const poll = (): void => {
    try {
      look();
    } catch {
      // A poll answers nobody: the next call meets the same failure and throws it to its caller.
    }
  };
  const stopIfUnused = (): void => {
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };

  return {
    subscribe: (listener) => {
      // A subscription of its own, so that the same function can be subscribed twice.
      const subscription: ChainListener = (changes) => {
        listener(changes);
      };
      listeners.add(subscription);
      timer ??= setInterval(poll, POLL_MS).unref();
      return () => {
        listeners.delete(subscription);
        stopIfUnused();
      };
    },
    tell: (changes) => {
      if (!changes.headers && changes.lockingBytecodes.size === 0) return;
      for (const listener of listeners) {
        queueMicrotask(() => {
          if (listeners.has(listener)) listener(changes);
        });
      }
    },
    close: () => {
      listeners.clear();
      stopIfUnused();
    },
  };
};

/** A listener that calls back when one of the targets changes. */
export const listenerFor = (target: WatchTarget, onChange: () => void): ChainListener =>
  'headers' in target
    ? ({ headers }) => {
        if (headers) onChange();
      }
    : ({ lockingBytecodes }) => {
        if (target.lockingBytecodes.some((script) => lockingBytecodes.has(script))) onChange();
      };
