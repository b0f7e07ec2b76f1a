/**
 * An append-only file of checksummed JSON lines that processes share.
 *
 * A line is `<crc32 of the JSON, 8 hex digits> <JSON>` and a line feed. A commit costs one write and one fsync,
 * however much the file holds; finding out that nobody else appended costs one stat.
 */
import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { TreasuryError } from '../errors.js';

export type Journal = {
  /**
   * Everything appended by other processes since the last call, oldest first; on the first call, all there is.
   * One stat when there is nothing new. Own entries are not given again.
   *
   * When the file was replaced or cut short since the last call, `generation` has gone up and what is given is
   * the whole of the new file: the reader must start again from its snapshot.
   *
   * It may be called without the lock; a line that is still being written is left for the next call.
   * @throws store_damaged when a line that ends is not what was written
   */
  readonly readNew: () => unknown[];
  /**
   * Appends entries, one line each, with one write and one fsync. Only under the lock of the file, and only after
   * `readNew` under that same lock. When it fails the file is cut back to what it was; after a power cut a first
   * part of the entries may be there, each of them whole.
   * @throws what the file system answers, such as ENOSPC
   */
  readonly append: (entries: readonly unknown[]) => Promise<void>;
  /**
   * Puts a new file that holds just these entries in the place of the old one, in one step, on disk when it
   * resolves. Only under the lock and after `readNew`. Other readers see `generation` go up; this one does not.
   */
  readonly replace: (entries: readonly unknown[]) => Promise<void>;
  /** Makes the next `readNew` start at the beginning of the file. */
  readonly rewind: () => void;
  /** How often the file was found replaced or cut short. */
  readonly generation: number;
  /** Bytes that were read or appended so far. */
  readonly size: number;
  readonly close: () => void;
};

const LINE_FEED = 10;
const CHECKSUM_DIGITS = 8;
const syncData = promisify(fdatasync);

/** Makes the names in a folder durable, such as that of a file just created or renamed. */
export const syncFolder = (folder: string): void => {
  // Windows cannot open a folder, and keeps names durable by itself.
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

const checksum = (json: string | Uint8Array): string =>
  crc32(json).toString(16).padStart(CHECKSUM_DIGITS, '0');

const encodeLines = (entries: readonly unknown[]): Buffer =>
  Buffer.from(
    entries
      .map((entry) => {
        const json = JSON.stringify(entry);
        return `${checksum(json)} ${json}\n`;
      })
      .join(''),
  );

/** The entry of a line without its line feed, or undefined when the line is not what was written. */
const decodeLine = (line: Buffer): unknown => {
  const json = line.subarray(CHECKSUM_DIGITS + 1);
  if (line.toString('latin1', 0, CHECKSUM_DIGITS + 1) !== `${checksum(json)} `) return undefined;
  return JSON.parse(json.toString('utf8'));
};

/** Entries of all lines that end, and the bytes they take; `badAt` is where the first damaged line begins. */
const decodeLines = (bytes: Buffer): { entries: unknown[]; length: number; badAt: number | null } => {
  const entries: unknown[] = [];
  let start = 0;
  for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
    const entry = decodeLine(bytes.subarray(start, end));
    if (entry === undefined) return { entries, length: start, badAt: start };
    entries.push(entry);
    start = end + 1;
  }
  return { entries, length: start, badAt: null };
};

const readBytes = (fd: number, from: number, to: number): Buffer => {
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  let length = 0;
  while (length < bytes.length) {
    const count = readSync(fd, bytes, length, bytes.length - length, from + length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
};

const writeBytes = (fd: number, bytes: Buffer, at: number): void => {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(fd, bytes, written, bytes.length - written, at + written);
  }
};

const openFile = (path: string): number => {
  const isNew = !existsSync(path);
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  if (isNew) syncFolder(dirname(path));
  return fd;
};

/** The journal's file as it is held open, and how much of it is known. */
type OpenFile = { fd: number; inode: bigint; offset: number; generation: number; isAppending: boolean };

const holdFile = (file: OpenFile, fd: number, offset: number): void => {
  file.fd = fd;
  file.inode = fstatSync(fd, { bigint: true }).ino;
  file.offset = offset;
};

const damaged = (path: string, line: number): TreasuryError =>
  new TreasuryError('store_damaged', {
    file: path,
    where: `line ${line}`,
    remedy: 'put the folder back from a backup, or delete that line and all after it and lose what they hold',
  });

/** Reads on from what is known. A bad line there may mean that the file was cut and grown again: then from the start. */
const readOn = (path: string, file: OpenFile): unknown[] => {
  const bytes = readBytes(file.fd, file.offset, fstatSync(file.fd).size);
  const { entries, length, badAt } = decodeLines(bytes);
  if (badAt === null) {
    file.offset += length;
    return entries;
  }
  if (file.offset === 0) throw damaged(path, entries.length + 1);
  return readAgain(path, file);
};

const readAgain = (path: string, file: OpenFile): unknown[] => {
  file.generation += 1;
  file.offset = 0;
  return readOn(path, file);
};

const readNew = (path: string, file: OpenFile): unknown[] => {
  // While we append we hold the lock, so nobody else can have appended: what is there is ours.
  if (file.isAppending) return [];
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found?.ino !== file.inode) {
    const fd = openFile(path);
    closeSync(file.fd);
    holdFile(file, fd, 0);
    return readAgain(path, file);
  }
  const size = Number(found.size);
  if (size === file.offset) return [];
  return size < file.offset ? readAgain(path, file) : readOn(path, file);
};

/** Cuts off what a writer that died, or a write that failed, left after the last whole line. */
const cutTornTail = (file: OpenFile): void => {
  const { size } = fstatSync(file.fd);
  if (size === file.offset) return;
  if (size < file.offset || readBytes(file.fd, file.offset, size).includes(LINE_FEED)) {
    throw new Error('append to a journal without readNew under the same lock');
  }
  ftruncateSync(file.fd, file.offset);
};

const append = async (file: OpenFile, entries: readonly unknown[]): Promise<void> => {
  if (entries.length === 0) return;
  cutTornTail(file);
  const bytes = encodeLines(entries);
  file.isAppending = true;
  try {
    writeBytes(file.fd, bytes, file.offset);
    await syncData(file.fd);
    file.offset += bytes.length;
  } catch (error) {
    ftruncateSync(file.fd, file.offset);
    throw error;
  } finally {
    file.isAppending = false;
  }
};

const replace = async (path: string, file: OpenFile, entries: readonly unknown[]): Promise<void> => {
  const draft = `${path}.next`;
  const bytes = encodeLines(entries);
  rmSync(draft, { force: true });
  const fd = openSync(draft, 'wx+', 0o600);
  try {
    writeBytes(fd, bytes, 0);
    await syncData(fd);
    renameSync(draft, path);
  } catch (error) {
    closeSync(fd);
    rmSync(draft, { force: true });
    throw error;
  }
  closeSync(file.fd);
  holdFile(file, fd, bytes.length);
  syncFolder(dirname(path));
};

/**
 * Opens the journal at `path`, and makes an empty one (mode 0600) where there is none; its folder must exist.
 *
 * Nothing is read before the first `readNew`. A last line without its line feed is one whose writer died: it was
 * never answered for, is not given, and is cut off before the next append. The intended use:
 *
 * ```ts
 * await withFileLock(lockPath, async () => {
 *   const generation = journal.generation;
 *   const entries = journal.readNew();
 *   if (journal.generation !== generation) startAgainFromTheSnapshot();
 *   apply(entries);
 *   await journal.append([change]);
 * });
 * ```
 */
export const openJournal = (path: string): Journal => {
  const file: OpenFile = { fd: -1, inode: 0n, offset: 0, generation: 0, isAppending: false };
  holdFile(file, openFile(path), 0);
  let isClosed = false;
  const opened = (): OpenFile => {
    // The number of a closed file may name another one by now, and nothing of ours may land there.
    if (isClosed) throw new Error(`the journal ${path} is closed`);
    return file;
  };
  return {
    readNew: () => readNew(path, opened()),
    append: async (entries) => append(opened(), entries),
    replace: async (entries) => replace(path, opened(), entries),
    rewind: () => {
      file.offset = 0;
    },
    get generation() {
      return file.generation;
    },
    get size() {
      return file.offset;
    },
    close: () => {
      if (!isClosed) closeSync(file.fd);
      isClosed = true;
    },
  };
};
