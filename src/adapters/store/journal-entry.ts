/** What the lines of the store's journal say. */
import { z } from 'zod';
import type { Keys, RawRecord } from './record-row.js';
import { createLogTable, doLogStep, stepOfLog, type LogTable } from './log-table.js';
import { damaged, LogEnd, type Snapshot } from './store-data.js';

// What the checksum of a line vouches for is not looked at value by value.
const AnyKeys = z.custom<Keys>((value) => typeof value === 'object' && value !== null);

/** A folder is called so. */
const LogName = z.string().regex(/^[a-z]+$/);

/**
 * `order`: the number of the record's first put. `keys`: under what it is found. `was`: those of before that differ; none
 * when there was no such record before. Beside a snapshot of an earlier form there are none of the three.
 */
const Change = z.union([
  z.object({
    put: z.string(),
    order: z.int().positive().optional(),
    keys: AnyKeys.optional(),
    was: AnyKeys.optional(),
    record: z.custom<RawRecord>((value) => typeof (value as RawRecord | null)?.id === 'string'),
  }),
  z.object({
    remove: z.string(),
    id: z.string(),
    order: z.int().positive().optional(),
    was: AnyKeys.optional(),
  }),
  z.object({ counter: z.string(), value: z.int() }),
  z.object({
    append: LogName,
    sequence: z.int().positive(),
    entry: z.custom<object>((value) => typeof value === 'object' && value !== null),
  }),
  // What was found in the segments of a log, beyond what the store knew of: it was put back from a backup.
  z.object({ log: LogName, reaches: LogEnd }),
]);

/** The first line: which layout the records have, and the commit after which this journal goes on. */
const Heading = z.object({ schema: z.int().positive(), after: z.int().nonnegative() });
/** Every other line: one committed transaction. */
const Commit = z.object({ sequence: z.int().positive(), changes: z.array(Change) });

export type Change = z.infer<typeof Change>;
export type Heading = z.infer<typeof Heading>;
export type Commit = z.infer<typeof Commit>;

/** The lines of a journal; `heading` is null when they are not from its beginning, or it is empty. */
export type JournalPart = { readonly heading: Heading | null; readonly commits: readonly Commit[] };

/** Reads lines. @throws store_damaged when one is sound but not of the store */
export const parseEntries = (file: string, entries: readonly unknown[]): JournalPart => {
  const heading = Heading.safeParse(entries[0]);
  const commits = heading.success ? entries.slice(1) : entries;
  const result = z.array(Commit).safeParse(commits);
  if (result.success) return { heading: heading.success ? heading.data : null, commits: result.data };
  throw damaged(file, `entry ${String(result.error.issues[0]?.path[0])}`, result.error);
};

/** The commits that are newer than `sequence`, or null when one is missing between. */
export const commitsAfter = (
  sequence: number,
  { heading, commits }: JournalPart,
): readonly Commit[] | null => {
  if (heading !== null && heading.after > sequence) return null;
  const newer = commits.filter((commit) => commit.sequence > sequence);
  return newer.every((commit, index) => commit.sequence === sequence + index + 1) ? newer : null;
};

/** A snapshot while commits are folded in. */
type Folding = {
  readonly collections: Map<string, Map<string, RawRecord>>;
  readonly counters: Map<string, number>;
  readonly logs: Map<string, LogTable>;
};

const applyToRaw = ({ collections, counters, logs }: Folding, change: Change): void => {
  if ('counter' in change) {
    counters.set(change.counter, change.value);
    return;
  }
  if ('append' in change || 'log' in change) {
    const step = stepOfLog(logs, change);
    if (step !== null) doLogStep(step);
    return;
  }
  const name = 'put' in change ? change.put : change.remove;
  const records = collections.get(name) ?? new Map<string, RawRecord>();
  collections.set(name, records);
  // A Map keeps the place of a key that is set again, which is the order of first puts.
  if ('put' in change) records.set(change.record.id, change.record);
  else records.delete(change.id);
};

/** The snapshot with newer commits folded in, still in the layout they were written in. */
export const foldCommits = (snapshot: Snapshot, commits: readonly Commit[]): Snapshot => {
  if (commits.length === 0) return snapshot;
  const collections = new Map(
    Object.entries(snapshot.collections).map(([name, records]) => [
      name,
      new Map(records.map((record) => [record.id, record])),
    ]),
  );
  const counters = new Map(Object.entries(snapshot.counters));
  const logs = new Map(
    Object.entries(snapshot.logs ?? {}).map(([name, log]) => [name, createLogTable(name, log)]),
  );
  const folding: Folding = { collections, counters, logs };
  for (const { changes } of commits) for (const change of changes) applyToRaw(folding, change);
  return {
    schema: snapshot.schema,
    sequence: commits.at(-1)?.sequence ?? snapshot.sequence,
    counters: Object.fromEntries(counters),
    collections: Object.fromEntries([...collections].map(([name, records]) => [name, [...records.values()]])),
    logs: Object.fromEntries(logs),
  };
};
