/** Replacing a file in one step: afterwards it is the new one, on disk, or the old one. */
import { renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { writingLater } from '../storage-failure.js';
import { syncFolder } from './journal.js';

/** Lets a draft take the place of a file. It looks at the size before: what a full disk cut short is not taken for whole. */
const replaceWith = async (file: string, draft: string, write: () => Promise<number>, before: () => void) => {
  try {
    const length = await write();
    const { size } = statSync(draft);
    if (size !== length)
      throw Object.assign(new Error(`only ${size} of ${length} bytes of ${file} could be written`), {
        code: 'ENOSPC',
      });
    before();
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
};

/**
 * Writes beside the file first.
 *
 * @throws storage_full, storage_read_only, and what else the file system answers: the old file is there then
 */
export const writeWhole = (file: string, content: string | Uint8Array): Promise<void> =>
  writingLater(file, () => {
    const draft = `${file}.next`;
    const bytes = Buffer.from(content);
    const write = async (): Promise<number> => {
      await writeFileAtomic(draft, bytes, { mode: 0o600 });
      return bytes.length;
    };
    return replaceWith(file, draft, write, () => undefined);
  });

/** Bytes that are written in one go. */
const AT_ONCE = 1 << 20;

/**
 * {@link writeWhole} for what is too long to be held at once: its parts are asked for while it is written.
 *
 * @param before - is run when the new file is on disk, and before it takes the old one's place
 * @throws what `writeWhole` throws, and what the parts throw: the old file is there then
 */
export const writeParts = (file: string, parts: Iterable<Buffer>, before: () => void): Promise<void> =>
  writingLater(file, () => {
    const draft = `${file}.next`;
    const write = async (): Promise<number> => {
      rmSync(draft, { force: true });
      const handle = await open(draft, 'wx', 0o600);
      try {
        let written = 0;
        let [waiting, length]: [Buffer[], number] = [[], 0];
        const flush = async (): Promise<void> => {
          await handle.writeFile(Buffer.concat(waiting));
          written += length;
          [waiting, length] = [[], 0];
        };
        for (const part of parts) {
          waiting.push(part);
          length += part.length;
          if (length >= AT_ONCE) await flush();
        }
        await flush();
        await handle.sync();
        return written;
      } finally {
        await handle.close();
      }
    };
    return replaceWith(file, draft, write, before);
  });
