/** Replacing a file in one step: afterwards it is the new one, on disk, or the old one. */
import { renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { writingLater } from '../storage-failure.js';
import { syncFolder } from './journal.js';

/**
 * Writes beside the file first and looks at the size before renaming: when the disk is full, write-file-atomic
 * takes a write that was cut short for a whole one.
 *
 * @param before - is run when the new file is on disk, and before it takes the old one's place
 * @throws storage_full, storage_read_only, and what else the file system answers: the old file is there then
 */
export const writeWhole = (
  file: string,
  content: string | Uint8Array,
  before: () => void = () => undefined,
): Promise<void> =>
  writingLater(file, async () => {
    const draft = `${file}.next`;
    const bytes = Buffer.from(content);
    try {
      await writeFileAtomic(draft, bytes, { mode: 0o600 });
      const { size } = statSync(draft);
      if (size !== bytes.length)
        throw Object.assign(new Error(`only ${size} of ${bytes.length} bytes of ${file} could be written`), {
          code: 'ENOSPC',
        });
      before();
      renameSync(draft, file);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
    syncFolder(dirname(file));
  });
