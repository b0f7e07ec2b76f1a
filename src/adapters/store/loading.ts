/** From files to a store: the snapshot and the journal after it, in this version's layout. */
import { join } from 'node:path';
import { TreasuryError } from '../../errors.js';
import type { Migrations } from './migrations.js';
import { migrate, schemaVersion } from './migrations.js';
import type { Segments } from './log-segments.js';
import { commitsAfter, foldCommits, type Commit, type JournalPart } from './journal-entry.js';
import { applyCommits, memoryOf, memoryOver, type Memory } from './memory.js';
import { describeProblem, type OnBadRecord, type RowReader } from './record-row.js';
import { wholeSnapshot, type Found, type SnapshotFile } from './snapshot-file.js';
import { damaged, emptySnapshot, type Snapshot } from './store-data.js';

/** Paths. Beside them stand the snapshot before, and the journal between it and the present one. */
export type StoreFiles = { readonly snapshot: string; readonly journal: string };

/** The files of the store in a folder. */
export const storeFiles = (folder: string): StoreFiles => ({
  snapshot: join(folder, 'treasury.json'),
  journal: join(folder, 'treasury.journal'),
});

/** The files as they were before the last fold. */
export const previousFiles = ({ snapshot, journal }: StoreFiles): StoreFiles => ({
  snapshot: `${snapshot}.previous`,
  journal: `${journal}.previous`,
});

/** What was read from disk, in this version's layout. */
export type Loaded = {
  readonly memory: Memory;
  /** The same in an older layout, when that is what stands on disk. */
  readonly outdated: Snapshot | null;
  /** False when there is no snapshot yet, or its layout or the journal's is not this version's. */
  readonly isSettled: boolean;
};

const refuseNewer = (file: string, found: number, expected: number): void => {
  if (found > expected) throw new TreasuryError('store_too_new', { file, found, expected });
};

/** `store_damaged` for a record that does not validate: in the journal when a line there put it, else in the snapshot. */
const refuseRecord =
  (
    files: StoreFiles,
    isInJournal: (collection: string, id: string, isChanged: boolean) => boolean,
  ): OnBadRecord =>
  (collection, id, problem, isChanged) => {
    const file = isInJournal(collection, id, isChanged) ? files.journal : files.snapshot;
    throw damaged(file, `${collection} "${id}" (${describeProblem(problem)})`, problem);
  };

/** The same where the snapshot and the commits were read into one. */
export const refuseRecordOf = (files: StoreFiles, commits: readonly Commit[]): OnBadRecord => {
  const put = new Set(
    commits.flatMap(({ changes }) =>
      changes.flatMap((change) => {
        if ('append' in change) return [`${change.append} ${change.sequence}`];
        return 'put' in change ? [`${change.put} ${change.record.id}`] : [];
      }),
    ),
  );
  return refuseRecord(files, (collection, id) => put.has(`${collection} ${id}`));
};

const commitsOn = (files: StoreFiles, sequence: number, part: JournalPart): readonly Commit[] => {
  const commits = commitsAfter(sequence, part);
  if (commits !== null) return commits;
  throw damaged(files.snapshot, `commit ${sequence + 1}, which is missing between it and ${files.journal}`);
};

/** Opens the file of this version's layout, and reads nothing of it but what it holds. */
const overFile = (
  files: StoreFiles,
  file: SnapshotFile,
  part: JournalPart,
  { rows, segments }: LoadOptions,
): Memory => {
  const onBadRecord = refuseRecord(files, (_collection, _id, isChanged) => isChanged);
  const memory = memoryOver(file, { onBadRecord, rows, segments });
  applyCommits(memory, commitsOn(files, memory.sequence, part));
  return memory;
};

/** What must be read whole, since it was written by an earlier version, in another layout, or not at all yet. */
const readAll = (
  files: StoreFiles,
  found: Snapshot | null,
  part: JournalPart,
  { migrations, rows, segments }: LoadOptions,
): Omit<Loaded, 'isSettled'> => {
  const current = schemaVersion(migrations);
  const base = found ?? emptySnapshot(part.heading?.schema ?? current);
  const commits = commitsOn(files, base.sequence, part);
  const asWritten = foldCommits(base, commits);
  const isCurrent = base.schema === current;
  const snapshot = isCurrent ? asWritten : migrate(asWritten, migrations);
  const memory = memoryOf(snapshot, { onBadRecord: refuseRecordOf(files, commits), rows, segments });
  return { memory, outdated: isCurrent ? null : asWritten };
};

export type LoadOptions = {
  readonly migrations: Migrations;
  readonly rows: RowReader;
  readonly segments: Segments;
};

/**
 * The data of a snapshot and of the journal that goes on after it.
 * @throws store_too_new, store_damaged when commits are missing between the two
 */
export const joinParts = (
  files: StoreFiles,
  found: Found,
  part: JournalPart,
  options: LoadOptions,
): Loaded => {
  const current = schemaVersion(options.migrations);
  const file = found?.form === 'today' ? found.file : null;
  const earlier = found?.form === 'earlier' ? found.snapshot : null;
  const schema = file?.contents.schema ?? earlier?.schema ?? part.heading?.schema ?? current;
  let isKept = false;
  try {
    refuseNewer(files.snapshot, schema, current);
    refuseNewer(files.journal, part.heading?.schema ?? current, current);
    const isSettled = schema === current && found !== null && part.heading?.schema === current;
    if (file === null || schema !== current)
      return { ...readAll(files, file === null ? earlier : wholeSnapshot(file), part, options), isSettled };
    const memory = overFile(files, file, part, options);
    isKept = true;
    return { memory, outdated: null, isSettled };
  } finally {
    if (!isKept) file?.close();
  }
};
