/** What a file system refuses, as errors of the table: for people, one line that says what to do. */
import { TreasuryError } from './errors.js';

/** No room: on the disk, in the quota, or under the limit of a file's size. */
const FULL: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];
/** Not to be written: by the mount, or by who runs this. */
const READ_ONLY: readonly string[] = ['EROFS', 'EACCES', 'EPERM'];
const TOO_MANY_FILES: readonly string[] = ['EMFILE', 'ENFILE'];

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** True for a file system that may not be written to by whoever runs this. */
export const isReadOnly = (error: unknown): boolean =>
  READ_ONLY.includes(codeOf(error)) || codeOf(error) === 'storage_read_only';

/** True when nothing can be stored now, while what is stored can be read. */
export const isStorageFailure = (error: unknown): boolean =>
  isReadOnly(error) ||
  // Of a database that a newer version has: this one goes on reading.
  ['storage_full', 'store_too_new'].includes(codeOf(error)) ||
  FULL.includes(codeOf(error));

/**
 * The named error of what a file system answered to a write; null for what has no name here.
 *
 * @param file - what was written; default the path that the error names
 */
export const storageFailure = (error: unknown, file?: string): TreasuryError | null => {
  if (error instanceof TreasuryError) return null;
  const code = codeOf(error);
  const { path } = (error ?? {}) as { readonly path?: string };
  const options = { cause: error };
  if (TOO_MANY_FILES.includes(code)) return new TreasuryError('too_many_files', { reason: code }, options);
  const named = file ?? path ?? 'the data folder';
  if (FULL.includes(code)) return new TreasuryError('storage_full', { file: named, reason: code }, options);
  // Reading may be refused in the same words: what was to be written says so.
  if (file !== undefined && READ_ONLY.includes(code))
    return new TreasuryError('storage_read_only', { file: named, reason: code }, options);
  return null;
};

/**
 * Writes down what was read from the chain. A disk that is full or read-only keeps nobody from reading: nothing is
 * written then, and it is read again next time.
 *
 * @returns `written`, or null when it could not be written down
 */
export const noting = async <T>(written: Promise<T>): Promise<T | null> => {
  try {
    return await written;
  } catch (error) {
    if (isStorageFailure(error)) return null;
    throw error;
  }
};

/** Runs what writes a file. @throws storage_full, storage_read_only, too_many_files, and whatever else `write` throws */
export const writing = <T>(file: string, write: () => T): T => {
  try {
    return write();
  } catch (error) {
    throw storageFailure(error, file) ?? error;
  }
};

/** {@link writing} for what takes its time. */
export const writingLater = async <T>(file: string, write: () => Promise<T>): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    throw storageFailure(error, file) ?? error;
  }
};
