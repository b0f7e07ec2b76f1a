/**
 * The machine that this program runs on: its files, and how its processes know each other. Whatever stands in a home is
 * read and written through here, so that a simulation can give each of its processes a disk that fails and a name of its
 * own.
 */
import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
  type BigIntStats,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { ProcessesPort, ProcessName } from '../operation/ports/processes.js';
import type { TextFilesPort } from '../operation/ports/text-files.js';

export type { ProcessName };

/** What tells a file from the one that takes its place. */
export type FileStat = {
  readonly inode: bigint;
  /** Bytes. */
  readonly size: number;
  readonly modifiedNs: bigint;
  /** True where everybody can write to it, as far as the system says. */
  readonly isOpenToAll: boolean;
};

/** `read`: it is there. `update`: it is read and written, and made where there is none. `new`: it is not there yet. */
export type OpenMode = 'read' | 'update' | 'new';

/** Files, as a POSIX system has them. Each call fails with the system's own code (`ENOENT`, `ENOSPC` ...). */
export type Files = {
  readonly exists: (path: string) => boolean;
  /** Null where there is nothing. */
  readonly stat: (path: string) => FileStat | null;
  /** {@link Files.stat}, or what it was in this turn of the program where this process has written nothing since. */
  readonly glance: (path: string) => FileStat | null;
  readonly statOpen: (fd: number) => FileStat;
  readonly list: (folder: string) => string[];
  /** With all folders above it, for the owner alone. */
  readonly makeFolder: (path: string) => void;
  readonly readWhole: (path: string) => Buffer;
  /** A file that is made is for the owner alone. */
  readonly open: (path: string, mode: OpenMode) => number;
  readonly close: (fd: number) => void;
  /** How many bytes were read into `bytes` from its `offset` on. */
  readonly read: (fd: number, bytes: Uint8Array, offset: number, position: number) => number;
  /** How many bytes of `bytes`, from its `offset` on, were written: not always all. */
  readonly write: (fd: number, bytes: Uint8Array, offset: number, position: number) => number;
  readonly truncate: (fd: number, size: number) => void;
  /** Resolves when what was written is on disk. */
  readonly syncData: (fd: number) => Promise<void>;
  readonly sync: (fd: number) => void;
  /** Makes the names in a folder durable, such as that of a file just created or renamed. */
  readonly syncFolder: (folder: string) => void;
  readonly link: (from: string, to: string) => void;
  readonly rename: (from: string, to: string) => void;
  /** Nothing happens where there is none. */
  readonly remove: (path: string) => void;
};

/** What a call answers when something stands there already. */
const isThere = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';

/** Node's own way of making folders above never ends below one in which nothing can be made, such as `/proc`. */
const makeFolder = (path: string): void => {
  const make = (): void => {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      if (!isThere(error) || !statSync(path).isDirectory()) throw error;
    }
  };
  try {
    make();
  } catch (error) {
    const above = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) throw error;
    makeFolder(above);
    make();
  }
};

export type Machine = {
  readonly files: Files;
  /** This process. */
  readonly self: ProcessName;
  /** True when a process does not run any more. */
  readonly isGone: (name: ProcessName) => boolean;
};

export const isErrno = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** The bit of files that everybody can write to. */
const WRITTEN_BY_ALL = 0o002n;

const toStat = ({ ino, size, mtimeNs, mode }: BigIntStats): FileStat => ({
  inode: ino,
  size: Number(size),
  modifiedNs: mtimeNs,
  isOpenToAll: process.platform !== 'win32' && (mode & WRITTEN_BY_ALL) !== 0n,
});

const FLAGS = {
  read: constants.O_RDONLY,
  update: constants.O_RDWR | constants.O_CREAT,
  new: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
} as const satisfies Record<OpenMode, number>;

const stat = (path: string): FileStat | null => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : toStat(found);
};

/**
 * What was seen of files in this turn. Requests that came before the turn began are answered in it, so what another
 * process had done by the time they were sent is seen.
 */
const seen = new Map<string, FileStat | null>();

const forgetSeen = (): void => {
  seen.clear();
};

const glance = (path: string): FileStat | null => {
  const known = seen.get(path);
  if (known !== undefined) return known;
  if (seen.size === 0) setImmediate(forgetSeen);
  const found = stat(path);
  seen.set(path, found);
  return found;
};

/** A call that changes files, after which they are looked at again. */
const changing =
  <Given extends readonly unknown[], Answer>(call: (...given: Given) => Answer) =>
  (...given: Given): Answer => {
    forgetSeen();
    return call(...given);
  };

const systemFiles: Files = {
  exists: existsSync,
  stat,
  glance,
  statOpen: (fd) => toStat(fstatSync(fd, { bigint: true })),
  list: (folder) => readdirSync(folder),
  makeFolder,
  readWhole: (path) => readFileSync(path),
  open: (path, mode) => openSync(path, FLAGS[mode], 0o600),
  close: closeSync,
  read: (fd, bytes, offset, position) => readSync(fd, bytes, offset, bytes.length - offset, position),
  write: changing((fd, bytes, offset, position) =>
    writeSync(fd, bytes, offset, bytes.length - offset, position),
  ),
  truncate: changing(ftruncateSync),
  syncData: promisify(fdatasync),
  sync: fsyncSync,
  syncFolder: (folder) => {
    // Windows cannot open a folder, and keeps names durable by itself.
    if (process.platform === 'win32') return;
    const fd = openSync(folder, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
  link: linkSync,
  rename: changing(renameSync),
  remove: (path) => {
    rmSync(path, { force: true });
  },
};

const textOrNull = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // ESRCH: the process ended while its /proc entry was being read.
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ESRCH')) return null;
    throw error;
  }
};

/** State letter and start time of a process; null where there is no such process or no /proc. */
const readProcess = (pid: number): { readonly state: string; readonly startTicks: string } | null => {
  const stat = textOrNull(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name stands in parentheses and may hold anything: the fields are counted from the last one, `state` being the third.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', startTicks: fields[19] ?? '' };
};

const bootId = textOrNull('/proc/sys/kernel/random/boot_id')?.trim() ?? null;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isErrno(error, 'ESRCH');
  }
};

const thisMachine: Machine = {
  files: systemFiles,
  self: { pid: process.pid, startTicks: readProcess(process.pid)?.startTicks ?? null, bootId },
  isGone: (name) => {
    if (name.bootId !== null && bootId !== null && name.bootId !== bootId) return true;
    const found = readProcess(name.pid);
    if (found === null) return !isAlive(name.pid);
    const isDead = found.state === 'Z' || found.state === 'X';
    return isDead || (name.startTicks !== null && name.startTicks !== found.startTicks);
  },
};

let current: () => Machine = () => thisMachine;

/** The machine of whoever calls. */
export const machine = (): Machine => current();

/** The processes of the machine of whoever calls. */
export const processes: ProcessesPort = {
  self: () => machine().self,
  isGone: (name) => machine().isGone(name),
};

/** The files of the machine of whoever calls. */
export const files = (): Files => current().files;

/** Lets `choose` say on which machine each call is: for simulations. */
export const chooseMachine = (choose: () => Machine): void => {
  current = choose;
};

/** Reads on until there is nothing more, or `to` is reached. */
export const readBytes = (fd: number, from: number, to: number): Buffer => {
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  let length = 0;
  while (length < bytes.length) {
    const count = files().read(fd, bytes, length, from + length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
};

/** Writes all of them. A disk that is full says so with the first byte that it has no room for. */
export const writeBytes = (fd: number, bytes: Uint8Array, at: number): void => {
  for (let written = 0; written < bytes.length;) {
    written += files().write(fd, bytes, written, at + written);
  }
};

/** Makes a file that is not there yet. @throws what the file system answers: there is none then */
export const writeNew = (path: string, text: string): void => {
  const fd = files().open(path, 'new');
  try {
    writeBytes(fd, Buffer.from(text), 0);
    files().close(fd);
  } catch (error) {
    files().close(fd);
    files().remove(path);
    throw error;
  }
};

/** The texts on the machine of whoever calls. */
const textFiles: TextFilesPort = {
  read: (path) => files().readWhole(path).toString('utf8'),
  isOpenToAll: (path) => files().stat(path)?.isOpenToAll === true,
  writeNew,
};

/** What a context has of the machine. */
export const onMachine = { processes, textFiles };
