/** Looks at what a home stands on, and changes nothing of it; stand-ins take the place of what cannot be opened. */
import { constants } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import { CHAIN_METHODS, type ChainPort } from '../../operation/ports/chain.js';
import type { StorePort } from '../../operation/ports/store.js';
import type { FileFacts, LockFacts, Surroundings } from '../../operation/ports/surroundings.js';
import { readLock } from '../file-lock.js';
import { latePort } from '../late-port.js';
import { isSegment } from '../store/log-segments.js';
import { STORE_SCHEMA } from '../store/json-store.js';

export type SurroundingsOptions = {
  readonly home: string;
  /** The folder of the network in it. */
  readonly folder: string;
  readonly passphraseFile: string | null;
  /** Paths of files with secrets that settings name. */
  readonly secretFiles: readonly string[];
  /** Version of Node. */
  readonly node: string;
  /** As package.json says it: `^20.19 || >=24`. */
  readonly engines: string;
};

/** What one look finds. The rest is known to who opens the home. */
export type Looked = Pick<
  Surroundings,
  'home' | 'runtime' | 'files' | 'secretFiles' | 'store' | 'locks' | 'passphraseFile'
>;

/** Each, and what a crash has left of writing it. */
const SECRET_FILES = ['keystore.json', 'access.secret', 'webhooks.secret'].flatMap((name) => [
  name,
  `${name}.next`,
]);
const isLock = (name: string): boolean => name.endsWith('.lock');
/** Locks, and what their takers put beside them for a moment. */
const isPassing = (name: string): boolean => name.includes('.lock');

const statOrNull = (path: string) => stat(path).catch(() => null);

/** Null where the system keeps no such bits. */
const modeOf = (mode: number): number | null => (process.platform === 'win32' ? null : mode & 0o777);

const lookAtFile = async (path: string, isSecret = false): Promise<readonly FileFacts[]> => {
  const found = await statOrNull(path);
  if (found === null || !(found.isFile() || found.isDirectory())) return [];
  const kind = found.isFile() ? 'file' : 'folder';
  return [{ path, kind, mode: modeOf(found.mode), isSecret }];
};

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

/** A file or folder, and where it is a folder, what is in it: the segments of a log. */
const lookInto = async (path: string, isSecret: boolean): Promise<readonly FileFacts[]> => {
  const within = (await namesIn(path)).toSorted().map((name) => lookAtFile(join(path, name)));
  return [...(await lookAtFile(path, isSecret)), ...(await Promise.all(within)).flat()];
};

const lookAtFiles = async (home: string, folder: string): Promise<readonly FileFacts[]> => {
  const names = (await namesIn(folder)).filter((name) => !isPassing(name)).sort();
  const looked = await Promise.all([
    lookAtFile(home),
    lookAtFile(folder),
    ...names.map((name) => lookInto(join(folder, name), SECRET_FILES.includes(name))),
  ]);
  return looked.flat();
};

const lookAtLocks = async (folder: string): Promise<readonly LockFacts[]> =>
  (await namesIn(folder)).filter(isLock).flatMap((name) => {
    const path = join(folder, name);
    const lock = readLock(path);
    return lock === null ? [] : [{ path, ...lock }];
  });

const lookAtHome = async (home: string, folder: string): Promise<Surroundings['home']> => {
  const [homeStat, folderStat] = await Promise.all([statOrNull(home), statOrNull(folder)]);
  const isThere = homeStat?.isDirectory() === true;
  const isFolderThere = folderStat?.isDirectory() === true;
  const nearest = isFolderThere ? folder : home;
  const isWritable = await access(nearest, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  const space = isThere ? await statfs(nearest).catch(() => null) : null;
  const freeBytes = space === null ? null : space.bavail * space.bsize;
  return { path: home, isThere, folder, isFolderThere, isWritable, freeBytes };
};

/** True when a version is one of a range of the form `^20.19 || >=24`. */
export const isInRange = (version: string, range: string): boolean =>
  range.split('||').some((part) => {
    const numbers = (text: string): readonly number[] => (text.match(/\d+/g) ?? []).map(Number);
    const [found, least] = [numbers(version), numbers(part)];
    const differing = least.findIndex((number, index) => (found[index] ?? 0) !== number);
    if (differing === 0 && part.includes('^')) return false;
    return differing === -1 || (found[differing] ?? 0) > (least[differing] ?? 0);
  });

const lookAtPassphraseFile = async (path: string | null): Promise<Surroundings['passphraseFile']> => {
  if (path === null) return null;
  const failure = await access(path, constants.R_OK).then(() => null, messageOf);
  return { path, failure };
};

/** Bytes of the segments of all logs. */
const sizeOfLogs = async (folder: string): Promise<number> => {
  const folders = (await namesIn(folder)).map((name) => join(folder, name));
  const names = await Promise.all(
    folders.map(async (path) => (await namesIn(path)).filter(isSegment).map((name) => join(path, name))),
  );
  const found = await Promise.all(names.flat().map(statOrNull));
  return found.reduce((sum, one) => sum + (one?.size ?? 0), 0);
};

/** What there is now. Never throws. */
export const lookAround = async ({
  home,
  folder,
  passphraseFile,
  secretFiles,
  node,
  engines,
}: SurroundingsOptions): Promise<Looked> => {
  const [snapshot, journal] = await Promise.all(
    ['treasury.json', 'treasury.journal'].map((name) => statOrNull(join(folder, name))),
  );
  return {
    home: await lookAtHome(home, folder),
    runtime: { node, engines, isSupported: isInRange(node, engines) },
    files: await lookAtFiles(home, folder),
    secretFiles: (await Promise.all(secretFiles.map((path) => lookAtFile(path, true)))).flat(),
    store: {
      snapshotBytes: snapshot?.size ?? null,
      journalBytes: journal?.size ?? null,
      logBytes: await sizeOfLogs(folder),
      schema: STORE_SCHEMA,
    },
    locks: await lookAtLocks(folder),
    passphraseFile: await lookAtPassphraseFile(passphraseFile),
  };
};

/** What was opened, or what stands in for it and why. */
export type Attempt<T> = { readonly opened: T; readonly failure: unknown };

/** Opens, and gives the stand-in when that throws. */
export const attempt = async <T>(
  open: () => Promise<T>,
  standIn: (failure: unknown) => T,
): Promise<Attempt<T>> => {
  try {
    return { opened: await open(), failure: null };
  } catch (failure) {
    return { opened: standIn(failure), failure };
  }
};

const refusing = (failure: unknown) => {
  // eslint-disable-next-line @typescript-eslint/require-await -- it rejects, as the port's method would
  return async (): Promise<never> => {
    throw failure;
  };
};

/** A store that throws what opening it threw. */
export const storeStandIn = (failure: unknown): StorePort => {
  const reject = refusing(failure);
  return {
    time: reject,
    isShared: false,
    get: reject,
    find: reject,
    readLog: reject,
    transaction: reject,
    probe: reject,
    refresh: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
};

/** A chain that throws what opening it threw. */
export const chainStandIn = (failure: unknown): ChainPort =>
  latePort<ChainPort>(CHAIN_METHODS, refusing(failure));
