/** The snapshot file: the whole store as of one commit, written through lowdb and replaced in one step. */
import { readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Low, LowSync, type Adapter, type SyncAdapter } from 'lowdb';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { TreasuryError } from '../../errors.js';
import { syncFolder } from '../journal.js';
import type { RawRecord } from './record-row.js';

/** What a store holds, as it stands on disk. Records of a collection are in the order of their first put. */
export type StoreData = {
  readonly counters: Readonly<Record<string, number>>;
  readonly collections: Readonly<Record<string, readonly RawRecord[]>>;
};

export type Snapshot = StoreData & {
  /** Version of the layout of the records. */
  readonly schema: number;
  /** The last commit that is folded in; journal lines up to this one are skipped. */
  readonly sequence: number;
};

export type SnapshotFile = {
  /** Null when there is none. @throws store_damaged */
  readonly read: () => Snapshot | null;
  /** Resolves when the snapshot is on disk; when it fails, the one before is still there. */
  readonly write: (snapshot: Snapshot) => Promise<void>;
  /** Bytes of the file, 0 when there is none. */
  readonly size: () => number;
};

const Snapshot = z.object({
  schema: z.int().positive(),
  sequence: z.int().nonnegative(),
  counters: z.record(z.string(), z.int().nonnegative()),
  collections: z.record(
    z.string(),
    z.array(z.custom<RawRecord>((value) => typeof (value as RawRecord | null)?.id === 'string')),
  ),
});

/** The snapshot of a store that holds nothing. */
export const emptySnapshot = (schema: number): Snapshot => ({
  schema,
  sequence: 0,
  counters: {},
  collections: {},
});

const damaged = (file: string, where: string, cause: unknown): TreasuryError =>
  new TreasuryError(
    'store_damaged',
    { file, where, remedy: 'put the folder back from a backup, or mend that place by hand' },
    { cause },
  );

const parseSnapshot = (file: string, text: string): Snapshot => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw damaged(file, error instanceof Error ? error.message : 'its JSON', error);
  }
  const result = Snapshot.safeParse(json);
  if (result.success) return result.data;
  throw damaged(file, result.error.issues[0]?.path.join('.') || 'its beginning', result.error);
};

const readSnapshot = (file: string): Snapshot | null => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  return parseSnapshot(file, text);
};

/**
 * Writes beside the file first and looks at the size before renaming: when the disk is full, write-file-atomic
 * takes a write that was cut short for a whole one.
 */
const writeSnapshot = async (file: string, snapshot: Snapshot): Promise<void> => {
  const draft = `${file}.next`;
  const bytes = Buffer.from(`${JSON.stringify(snapshot)}\n`);
  try {
    await writeFileAtomic(draft, bytes, { mode: 0o600 });
    const { size } = statSync(draft);
    if (size !== bytes.length)
      throw new Error(`only ${size} of ${bytes.length} bytes of ${file} could be written`);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
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
  const writer: Adapter<Snapshot> = {
    read: () => Promise.resolve(readSnapshot(file)),
    write: (snapshot) => writeSnapshot(file, snapshot),
  };
  return {
    read: () => {
      const low = new LowSync<Snapshot | null>(reader, null);
      low.read();
      return low.data;
    },
    write: (snapshot) => new Low(writer, snapshot).write(),
    size: () => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
  };
};
