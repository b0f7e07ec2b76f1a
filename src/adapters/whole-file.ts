/** Replacing a file in one step: afterwards it is the new one, on disk, or the old one. */
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { writingLater } from '../storage-failure.js';
import { files, machine, writeBytes } from './machine.js';

/** Bytes that are written in one go. */
const AT_ONCE = 1 << 20;

/** Small parts that are made in one go: each may take a search. */
const PARTS_AT_ONCE = 256;

/** Writes parts one after the other, and lets others have a turn after each that is long, and after many. */
const writeAll = async (fd: number, parts: Iterable<Uint8Array>): Promise<void> => {
  let written = 0;
  let made = 0;
  let [waiting, length]: [Uint8Array[], number] = [[], 0];
  const flush = (): void => {
    writeBytes(fd, Buffer.concat(waiting), written);
    written += length;
    [waiting, length] = [[], 0];
  };
  for (const part of parts) {
    waiting.push(part);
    length += part.length;
    made += 1;
    if (length >= AT_ONCE) flush();
    else if (made % PARTS_AT_ONCE !== 0) continue;
    await nextTurn();
  }
  flush();
};

/**
 * Replaces a file by parts that are asked for while it is written, beside the file first. Whoever calls keeps others
 * from writing the same file meanwhile.
 *
 * @param before - is run when the new file is on disk, and before it takes the old one's place
 * @throws storage_full, storage_read_only, what else the file system answers, and what the parts throw: the old file is
 *   there then
 */
export const writeParts = (file: string, parts: Iterable<Uint8Array>, before: () => void): Promise<void> =>
  writingLater(file, async () => {
    const draft = `${file}.next`;
    files().remove(draft);
    const fd = files().open(draft, 'new');
    try {
      await writeAll(fd, parts);
      await files().syncData(fd);
      before();
      files().rename(draft, file);
    } catch (error) {
      files().remove(draft);
      throw error;
    } finally {
      files().close(fd);
    }
    files().syncFolder(dirname(file));
  });

/** {@link writeParts} of one part. */
export const writeWhole = (file: string, content: string | Uint8Array): Promise<void> =>
  writeParts(file, [Buffer.from(content)], () => undefined);

/** Replaces a file that others may be replacing too: one of them stands there in the end, whole. */
export const writeWholeAtOnce = (file: string, text: string): void => {
  const draft = `${file}.${machine().self.pid}.next`;
  files().remove(draft);
  const fd = files().open(draft, 'new');
  try {
    writeBytes(fd, Buffer.from(text), 0);
    files().sync(fd);
    files().rename(draft, file);
  } catch (error) {
    files().remove(draft);
    throw error;
  } finally {
    files().close(fd);
  }
};
