/**
 * One lock for all processes of this machine that share a folder.
 *
 * The lock is a file that names its holder: pid, and what tells that process from a later one with the same
 * pid (its start time and the machine's boot). It appears with its content in one step (a finished file is
 * linked to the lock's path), so whoever finds the path taken can read at once by whom. A holder that is gone
 * is replaced at once, which makes a `kill -9` cost the next writer nothing. A lock that its living holder could not
 * remove, as on a disk that became read-only, stays its holder's: who can take it again, and removes it when it can.
 */
import { randomUUID } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TreasuryError } from '../errors.js';
import { storageFailure } from '../storage-failure.js';
import { files, isErrno, machine, writeNew, type Machine, type ProcessName } from './machine.js';

export type FileLockOptions = {
  /** How long to wait for another process, in milliseconds. Default 15,000. */
  readonly timeoutMs?: number;
};

const DEFAULT_TIMEOUT_MS = 15_000;
/** Waiters look again after 1, 2, 3 ... milliseconds, and this at most: commits last well under one. */
const LONGEST_PAUSE_MS = 5;
/** When a lock that could not be removed is tried again, in milliseconds. */
const REMOVE_AGAIN_MS = 1_000;

const readOrNull = (path: string): string | null => {
  try {
    return files().readWhole(path).toString('utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
};

/** True when the process that wrote this lock does not run any more. */
const isGone = (holder: ProcessName | 'unreadable'): boolean =>
  // A lock appears whole, so an unreadable one was left by a power cut.
  holder === 'unreadable' || machine().isGone(holder);

/** Who holds the lock, or null when nobody does. */
const readHolder = (path: string): ProcessName | 'unreadable' | null => {
  const text = readOrNull(path);
  if (text === null) return null;
  try {
    const holder = JSON.parse(text) as ProcessName | null;
    return holder !== null && Number.isSafeInteger(holder.pid) && holder.pid > 0 ? holder : 'unreadable';
  } catch {
    return 'unreadable';
  }
};

/** What a lock says of its holder, without touching it; null when nobody holds it. `pid` is null when it cannot be read. */
export const readLock = (path: string): { readonly pid: number | null; readonly isHeld: boolean } | null => {
  const holder = readHolder(path);
  if (holder === null) return null;
  return { pid: holder === 'unreadable' ? null : holder.pid, isHeld: !isGone(holder) };
};

/** What a process knows of its own locks, by their paths. */
type OwnLocks = {
  /** The claim file of this process beside each: a finished file that names it, to be linked to the lock's path. */
  readonly claimFiles: Map<string, string>;
  /** The last call for each, settled or not: the next one of this process waits for it. */
  readonly lastCalls: Map<string, Promise<unknown>>;
  /** Those whose work is done, and whose file could not be removed. */
  readonly kept: Set<string>;
};

const locksOf = new WeakMap<Machine, OwnLocks>();

const ownLocks = (): OwnLocks => {
  const known = locksOf.get(machine()) ?? { claimFiles: new Map(), lastCalls: new Map(), kept: new Set() };
  locksOf.set(machine(), known);
  return known;
};
process.on('exit', () => {
  for (const claimFile of ownLocks().claimFiles.values()) files().remove(claimFile);
});

/** Removes the claim files of processes that were killed. A living process whose claim file goes all the same makes a new one. */
const sweepClaimFiles = (path: string): void => {
  const folder = dirname(path);
  for (const name of files().list(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !/\.[0-9a-f-]{36}$/.test(name)) continue;
    const holder = readHolder(join(folder, name));
    if (holder !== null && isGone(holder)) files().remove(join(folder, name));
  }
};

/** The claim file is made once for each lock: making a file for every commit was measured to cost a third of the commit. */
const claimFileOf = (path: string): string => {
  const { claimFiles } = ownLocks();
  const known = claimFiles.get(path);
  if (known !== undefined) return known;
  sweepClaimFiles(path);
  const claimFile = `${path}.${randomUUID()}`;
  writeNew(claimFile, JSON.stringify(machine().self));
  claimFiles.set(path, claimFile);
  return claimFile;
};

/** Takes the lock when it is free. */
const tryTake = (path: string): boolean => {
  try {
    files().link(claimFileOf(path), path);
    ownLocks().kept.delete(path);
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    // The claim file is gone, as when the folder was emptied: the next try makes another.
    if (isErrno(error, 'ENOENT') && ownLocks().claimFiles.delete(path)) return tryTake(path);
    throw storageFailure(error, path) ?? error;
  }
};

/** True when this process holds a lock that it could not remove: it takes it as it is. */
const takeKept = (path: string, holder: ProcessName): boolean => {
  const { self } = machine();
  const isOwn = (['pid', 'startTicks', 'bootId'] as const).every((name) => holder[name] === self[name]);
  return ownLocks().kept.delete(path) && isOwn;
};

/** Tries to remove a lock again in a while, unless it was taken again or is another's by then. */
const removeLater = (path: string): void => {
  ownLocks().kept.add(path);
  setTimeout(() => {
    try {
      const holder = ownLocks().kept.has(path) ? readHolder(path) : null;
      if (holder !== null && holder !== 'unreadable' && takeKept(path, holder)) files().remove(path);
    } catch {
      removeLater(path);
    }
  }, REMOVE_AGAIN_MS).unref();
};

/** Gives a lock back. What was done under it is done, whether or not its file can be removed now. */
const release = (path: string): void => {
  try {
    files().remove(path);
  } catch {
    removeLater(path);
  }
};

/**
 * Removes the lock of a process that is gone. Of several that find it so only one may look again and remove it,
 * else the second would remove the fresh lock of the first: this is guarded by a lock of its own, which is
 * taken the same way, also when its holder was killed in turn.
 */
const removeStale = async (path: string, timeoutMs: number): Promise<void> => {
  const guard = `${path}.takeover`;
  await take(guard, timeoutMs);
  try {
    const holder = readHolder(path);
    if (holder !== null && isGone(holder)) files().remove(path);
  } finally {
    release(guard);
  }
};

const take = async (path: string, timeoutMs: number): Promise<void> => {
  const startedAt = performance.now();
  for (let attempt = 1; !tryTake(path); attempt += 1) {
    const holder = readHolder(path);
    if (holder === null) continue;
    if (holder !== 'unreadable' && takeKept(path, holder)) return;
    if (holder === 'unreadable' || isGone(holder)) {
      await removeStale(path, timeoutMs);
      continue;
    }
    const waitedMs = performance.now() - startedAt;
    if (waitedMs >= timeoutMs) {
      throw new TreasuryError('store_locked', {
        pid: holder.pid,
        file: path,
        seconds: Math.round(waitedMs / 1000),
      });
    }
    await delay(Math.min(attempt, LONGEST_PAUSE_MS));
  }
};

const holdLock = async <T>(path: string, work: () => Promise<T> | T, timeoutMs: number): Promise<T> => {
  await take(path, timeoutMs);
  try {
    return await work();
  } finally {
    release(path);
  }
};

/**
 * Runs `work` while no other process and no other call of this process runs under the same lock.
 *
 * Calls of this process queue in order without polling; other processes are looked at every few milliseconds.
 * The lock of a process that is gone is taken over at once. It is not re-entrant: `work` must not ask for the
 * same path again. It serves the processes of one machine that see each other's pids, not a network share
 * and not containers that share a volume.
 *
 * @param path - the lock file; its folder must exist. While the process runs a file `<path>.<uuid>` stands beside it.
 * @returns what `work` returns
 * @throws store_locked when another living process holds it for longer than `timeoutMs`; storage_full,
 *   storage_read_only; and whatever `work` throws
 */
export const withFileLock = <T>(
  path: string,
  work: () => Promise<T> | T,
  options: FileLockOptions = {},
): Promise<T> => {
  const key = resolve(path);
  const { lastCalls } = ownLocks();
  const run = () => holdLock(key, work, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const result = (lastCalls.get(key) ?? Promise.resolve()).then(run);
  const settled = result
    .catch(() => undefined)
    .then(() => {
      if (lastCalls.get(key) === settled) lastCalls.delete(key);
    });
  lastCalls.set(key, settled);
  return result;
};
