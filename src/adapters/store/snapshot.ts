/** The snapshot's file: the whole store as of one commit, held by lowdb and replaced in one step. */
import { Low, LowSync, type Adapter, type SyncAdapter } from 'lowdb';
import { keepFile } from '../journal.js';
import { files } from '../machine.js';
import { writeParts } from '../whole-file.js';
import type { Memory } from './memory.js';
import { openSnapshot, wholeSnapshot, type Found } from './snapshot-file.js';
import { snapshotParts } from './snapshot-writer.js';
import type { Snapshot } from './store-data.js';

/**
 * Opens what stands at a path. That is synchronous, so that no other work of this process meets a half-loaded store;
 * writing is not, so that requests go on being answered meanwhile.
 *
 * @throws store_damaged
 */
export const readSnapshot = (path: string): Found => {
  const adapter: SyncAdapter<Found> = {
    read: () => openSnapshot(path),
    write: () => {
      throw new Error('snapshots are written asynchronously');
    },
  };
  const low = new LowSync<Found>(adapter, null);
  low.read();
  return low.data;
};

/** All that stands at a path, whatever wrote it, and every part of it checked. Null when there is none. @throws store_damaged */
export const readWhole = (path: string): Snapshot | null => {
  const found = readSnapshot(path);
  if (found?.form !== 'today') return found?.snapshot ?? null;
  try {
    return wholeSnapshot(found.file);
  } finally {
    found.file.close();
  }
};

/**
 * Writes a store as the snapshot at a path. Resolves when it is on disk; when it fails, the one before is still there.
 * With `keepAs` the one before goes on to stand there.
 *
 * @throws store_damaged when what it takes over from the snapshot before is damaged, storage_full, storage_read_only
 */
export const writeSnapshot = (
  path: string,
  memory: Memory,
  schema: number,
  keepAs?: string,
): Promise<void> => {
  const adapter: Adapter<Memory> = {
    read: () => Promise.resolve(null),
    write: (data) =>
      writeParts(path, snapshotParts(data, schema, path), () => {
        if (keepAs !== undefined && files().exists(path)) keepFile(path, keepAs);
      }),
  };
  return new Low(adapter, memory).write();
};
