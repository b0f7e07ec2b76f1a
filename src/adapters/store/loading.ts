/** From files to data: the snapshot and the journal after it, in this version's layout. */
import { join } from 'node:path';
import { TreasuryError } from '../../errors.js';
import { commitsAfter, foldCommits, type Commit, type JournalPart } from './journal-entry.js';
import type { OnBadRecord } from './memory.js';
import { migrate, schemaVersion, type Migrations } from './migrations.js';
import { describeProblem } from './record-row.js';
import { emptySnapshot } from './snapshot.js';
import type { Snapshot } from './store-data.js';
import { RESTORE_REMEDY } from './snapshot-text.js';

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
  readonly snapshot: Snapshot;
  /** The same in an older layout, when that is what stands on disk. */
  readonly outdated: Snapshot | null;
  /** False when there is no snapshot yet, or its layout or the journal's is not this version's. */
  readonly isSettled: boolean;
  readonly commits: readonly Commit[];
};

const refuseNewer = (file: string, found: number, expected: number): void => {
  if (found > expected) throw new TreasuryError('store_too_new', { file, found, expected });
};

/**
 * The data of a snapshot and of the journal that goes on after it.
 * @throws store_too_new, store_damaged when commits are missing between the two
 */
export const joinParts = (
  files: StoreFiles,
  found: Snapshot | null,
  part: JournalPart,
  migrations: Migrations,
): Loaded => {
  const current = schemaVersion(migrations);
  const base = found ?? emptySnapshot(part.heading?.schema ?? current);
  refuseNewer(files.snapshot, base.schema, current);
  refuseNewer(files.journal, part.heading?.schema ?? current, current);
  const commits = commitsAfter(base.sequence, part);
  if (commits === null) {
    const where = `commit ${base.sequence + 1}, which is missing between it and ${files.journal}`;
    throw new TreasuryError('store_damaged', { file: files.snapshot, where, remedy: RESTORE_REMEDY });
  }
  const asWritten = foldCommits(base, commits);
  const isCurrent = base.schema === current;
  return {
    snapshot: isCurrent ? asWritten : migrate(asWritten, migrations),
    outdated: isCurrent ? null : asWritten,
    isSettled: isCurrent && found !== null && part.heading?.schema === current,
    commits,
  };
};

/** `store_damaged` for a record that does not validate: in the journal when a line there put it, else in the snapshot. */
export const refuseRecord =
  (files: StoreFiles, commits: readonly Commit[]): OnBadRecord =>
  (collection, id, problem) => {
    const isInJournal = commits.some(({ changes }) =>
      changes.some((change) => 'put' in change && change.put === collection && change.record.id === id),
    );
    throw new TreasuryError(
      'store_damaged',
      {
        file: isInJournal ? files.journal : files.snapshot,
        where: `${collection} "${id}" (${describeProblem(problem)})`,
        remedy: RESTORE_REMEDY,
      },
      { cause: problem },
    );
  };
