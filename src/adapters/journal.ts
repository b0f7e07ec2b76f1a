/**
 * An append-only file of checksummed JSON lines that processes share.
 *
 * A line is `<crc32 of the JSON, 8 hex digits> <JSON>` and a line feed. A commit costs one write and one fsync,
 * however much the file holds; finding out that nobody else appended costs one stat.
 */
import { dirname } from 'node:path';
import { TreasuryError } from '../errors.js';
import { isReadOnly, storageFailure, writing, writingLater } from '../storage-failure.js';
import { decodeLines, encodeLines, hasLostItsEnd } from './journal-lines.js';
import { files, readBytes, writeBytes, type Files } from './machine.js';

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
  /** `readNew` where the file was not looked at in this turn of the program: for readers, who hold no lock. */
  readonly glance: () => unknown[];
  /**
   * Appends entries, one line each, with one write and one fsync. Only under the lock of the file, and only after
   * `readNew` under that same lock. When it fails the file is cut back to what it was; after a power cut a first
   * part of the entries may be there, each of them whole.
   * @param bytes - their lines (`encodeLines`), where they were made before: that takes a while for many
   * @throws storage_full, storage_read_only, and what else the file system answers
   */
  readonly append: (entries: readonly unknown[], bytes?: Buffer) => Promise<void>;
  /**
   * Puts a new file that holds just these entries in the place of the old one, in one step, on disk when it
   * resolves. Only under the lock and after `readNew`. Other readers see `generation` go up; this one does not.
   * With `keepAs` the old file goes on to stand there, in the place of what stood there before.
   * @throws storage_full, storage_read_only, and what else the file system answers
   */
  readonly replace: (entries: readonly unknown[], keepAs?: string | null) => Promise<void>;
  /**
   * Whether an entry could be appended now: blanks are written behind the last line, which no reader takes for one,
   * and cut off again. Only under the lock and after `readNew`.
   * @throws storage_full, storage_read_only, and what else the file system answers
   */
  readonly probe: () => void;
  /** Makes the next `readNew` start at the beginning of the file. */
  readonly rewind: () => void;
  /** How often the file was found replaced or cut short. */
  readonly generation: number;
  /** Bytes that were read or appended so far. */
  readonly size: number;
  readonly close: () => void;
};

/** `refusal` is why it cannot be written; null when it can. */
type Opened = { readonly fd: number; readonly refusal: Error | null };

/** Opens a file, and makes it where there is none. One that may only be read is opened for reading. */
const openFile = (path: string): Opened => {
  const isNew = !files().exists(path);
  try {
    const fd = files().open(path, 'update');
    if (isNew) files().syncFolder(dirname(path));
    return { fd, refusal: null };
  } catch (error) {
    const refusal = storageFailure(error, path) ?? (error as Error);
    if (isNew || !isReadOnly(error)) throw refusal;
    return { fd: files().open(path, 'read'), refusal };
  }
};

/** The journal's file as it is held open, and how much of it is known. */
type OpenFile = {
  /** What to do when it is damaged. */
  readonly remedy: string;
  fd: number;
  refusal: Error | null;
  inode: bigint;
  offset: number;
  generation: number;
  isAppending: boolean;
};

const holdFile = (file: OpenFile, { fd, refusal }: Opened, offset: number): void => {
  file.fd = fd;
  file.refusal = refusal;
  file.inode = files().statOpen(fd).inode;
  file.offset = offset;
};

const REMEDY =
  'put the folder back from a backup, or delete that line and all after it and lose what they hold';

const damaged = (path: string, line: number, remedy: string): TreasuryError =>
  new TreasuryError('store_damaged', { file: path, where: `line ${line}`, remedy });

/** Reads on from what is known. A bad line there may mean that the file was cut and grown again: then from the start. */
const readOn = (path: string, file: OpenFile): unknown[] => {
  const bytes = readBytes(file.fd, file.offset, files().statOpen(file.fd).size);
  const { entries, length, badAt } = decodeLines(bytes);
  if (badAt === null && !hasLostItsEnd(bytes.subarray(length))) {
    file.offset += length;
    return entries;
  }
  if (file.offset === 0) throw damaged(path, entries.length + 1, file.remedy);
  return readAgain(path, file);
};

const readAgain = (path: string, file: OpenFile): unknown[] => {
  file.generation += 1;
  file.offset = 0;
  return readOn(path, file);
};

const readNew = (path: string, file: OpenFile, look: Files['stat']): unknown[] => {
  // While we append we hold the lock, so nobody else can have appended: what is there is ours.
  if (file.isAppending) return [];
  const found = look(path);
  if (found?.inode !== file.inode) {
    const opened = openFile(path);
    files().close(file.fd);
    holdFile(file, opened, 0);
    return readAgain(path, file);
  }
  const { size } = found;
  if (size === file.offset) return [];
  return size < file.offset ? readAgain(path, file) : readOn(path, file);
};

/** Cuts off what a writer that died, or a write that failed, left after the last whole line. */
const cutTornTail = (file: OpenFile): void => {
  const { size } = files().statOpen(file.fd);
  if (size === file.offset) return;
  const { length, badAt } = decodeLines(readBytes(file.fd, file.offset, Math.max(size, file.offset)));
  if (size < file.offset || length > 0 || badAt !== null) {
    throw new Error('append to a journal without readNew under the same lock');
  }
  files().truncate(file.fd, file.offset);
};

/** @throws why the file cannot be written */
const requireWritable = ({ refusal }: OpenFile): void => {
  if (refusal !== null) throw refusal;
};

const append = async (
  file: OpenFile,
  entries: readonly unknown[],
  bytes = encodeLines(entries),
): Promise<void> => {
  if (entries.length === 0) return;
  requireWritable(file);
  cutTornTail(file);
  file.isAppending = true;
  try {
    writeBytes(file.fd, bytes, file.offset);
    await files().syncData(file.fd);
    file.offset += bytes.length;
  } catch (error) {
    files().truncate(file.fd, file.offset);
    throw error;
  } finally {
    file.isAppending = false;
  }
};

/** More than an entry takes. */
const PROBED_BYTES = 4_096;

const probe = (file: OpenFile): void => {
  requireWritable(file);
  cutTornTail(file);
  try {
    writeBytes(file.fd, Buffer.alloc(PROBED_BYTES, ' '), file.offset);
  } finally {
    files().truncate(file.fd, file.offset);
  }
};

/** Lets a file stand under another name too, in the place of what stood there. */
export const keepFile = (path: string, keptAs: string): void => {
  const draft = `${keptAs}.next`;
  files().remove(draft);
  files().link(path, draft);
  files().rename(draft, keptAs);
};

const replace = async (
  path: string,
  file: OpenFile,
  entries: readonly unknown[],
  keepAs: string | null,
): Promise<void> => {
  requireWritable(file);
  const draft = `${path}.next`;
  const bytes = encodeLines(entries);
  files().remove(draft);
  const fd = files().open(draft, 'new');
  try {
    writeBytes(fd, bytes, 0);
    await files().syncData(fd);
    if (keepAs !== null) keepFile(path, keepAs);
    files().rename(draft, path);
  } catch (error) {
    files().close(fd);
    files().remove(draft);
    throw error;
  }
  files().close(file.fd);
  holdFile(file, { fd, refusal: null }, bytes.length);
  files().syncFolder(dirname(path));
};

/**
 * Opens the journal at `path`, and makes an empty one (mode 0600) where there is none; its folder must exist. One that
 * may only be read is read, and every write to it is `storage_read_only`.
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
export const openJournal = (path: string, remedy = REMEDY): Journal => {
  const unopened = { fd: -1, refusal: null, inode: 0n };
  const file: OpenFile = { remedy, ...unopened, offset: 0, generation: 0, isAppending: false };
  holdFile(file, openFile(path), 0);
  let isClosed = false;
  const opened = (): OpenFile => {
    // The number of a closed file may name another one by now, and nothing of ours may land there.
    if (isClosed) throw new Error(`the journal ${path} is closed`);
    return file;
  };
  return {
    readNew: () => readNew(path, opened(), files().stat),
    glance: () => readNew(path, opened(), files().glance),
    append: (entries, bytes) => writingLater(path, async () => append(opened(), entries, bytes)),
    replace: (entries, keepAs = null) =>
      writingLater(path, async () => replace(path, opened(), entries, keepAs)),
    probe: () => {
      writing(path, () => {
        probe(opened());
      });
    },
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
      if (!isClosed) files().close(file.fd);
      isClosed = true;
    },
  };
};
