/** The snapshot file: the whole store as of one commit, written through lowdb and replaced in one step. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { Low, LowSync, type Adapter, type SyncAdapter } from 'lowdb';
import { keepFile } from '../journal.js';
import { writeWhole } from '../whole-file.js';
import { decodeSnapshot, encodeSnapshot } from './snapshot-text.js';
import type { Snapshot } from './store-data.js';

export type SnapshotFile = {
  /** Null when there is none. @throws store_damaged */
  readonly read: () => Snapshot | null;
  /**
   * Resolves when the snapshot is on disk; when it fails, the one before is still there. With `keepAs` the one before
   * goes on to stand there.
   */
  readonly write: (snapshot: Snapshot, keepAs?: string) => Promise<void>;
  /** Bytes of the file, 0 when there is none. */
  readonly size: () => number;
};

/** The snapshot of a store that holds nothing. */
export const emptySnapshot = (schema: number): Snapshot => ({
  schema,
  sequence: 0,
  counters: {},
  collections: {},
});

const readSnapshot = (file: string): Snapshot | null => {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  return decodeSnapshot(file, bytes);
};

/**
 * The snapshot at a path. Reading is synchronous, so that no other work of this process meets a half-loaded store;
 * writing is not, so that requests go on being answered meanwhile.
 */
export const snapshotFile = (file: string): SnapshotFile => {
  const reader: SyncAdapter<Snapshot | null> = {
    read: () => readSnapshot(file),
    write: () => {
      throw new Error('snapshots are written asynchronously');
    },
  };
  const writer = (keepAs: string | undefined): Adapter<Snapshot> => ({
    read: () => Promise.resolve(readSnapshot(file)),
    write: (snapshot) =>
      writeWhole(file, encodeSnapshot(snapshot), () => {
        if (keepAs !== undefined && existsSync(file)) keepFile(file, keepAs);
      }),
  });
  return {
    read: () => {
      const low = new LowSync<Snapshot | null>(reader, null);
      low.read();
      return low.data;
    },
    write: (snapshot, keepAs) => new Low(writer(keepAs), snapshot).write(),
    size: () => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
  };
};
