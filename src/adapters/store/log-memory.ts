/** Reading the logs of a memory, and adding to them. */
import { z } from 'zod';
import type { Log, LogPage, LogRange } from '../../operation/ports/store.js';
import { lastOf, logOf, reachStep, tailAfter, type LogStep, type LogTable } from './log-table.js';
import type { Segments } from './log-segments.js';
import { describeProblem, freezeDeep, type OnBadRecord } from './record-row.js';
import type { LogEntry } from './store-data.js';

/** What of a memory the logs stand in. */
export type LogMemory = {
  readonly logs: Map<string, LogTable>;
  /** Null: of a store that has no files. */
  readonly segments: Segments | null;
  readonly onBadRecord: OnBadRecord;
};

/** The entry as its readers have it: decoded, with its sequence, frozen. */
const decoded = (log: Log, { sequence, entry }: LogEntry): object => {
  const read = { sequence, ...z.decode(log.schema, entry) };
  freezeDeep(read);
  return read;
};

/** What is asked for of a log. @throws store_damaged */
export const readLogIn = (memory: LogMemory, log: Log, { after, limit }: LogRange): LogPage<object> => {
  const table = logOf(memory.logs, log.name);
  const { kept } = table;
  const older =
    kept === null || after >= kept.last
      ? []
      : (memory.segments?.read(log.name, kept, { after, limit }) ?? []);
  const newer = tailAfter(table, after, limit - older.length);
  const read = (one: LogEntry, isInTail: boolean) => {
    try {
      return decoded(log, one);
    } catch (error) {
      return memory.onBadRecord(log.name, String(one.sequence), error, isInTail);
    }
  };
  const entries = [...older.map((one) => read(one, false)), ...newer.map((one) => read(one, true))];
  return { entries: entries as LogPage<object>['entries'], last: lastOf(table) };
};

/** An entry as it stands on disk, and nothing that the caller can still change. @throws Error: a defect of the caller */
const encoded = (log: Log, entry: object): object => {
  try {
    const raw = JSON.parse(JSON.stringify(z.encode(log.schema, entry))) as object;
    freezeDeep(raw);
    z.decode(log.schema, raw);
    return raw;
  } catch (error) {
    throw new Error(`an entry of ${log.name} cannot be stored: ${describeProblem(error)}`, { cause: error });
  }
};

/**
 * The steps that add an entry, under the lock. Where a backup was put back, the segments may hold more than the store
 * knows of: what follows then goes on after them, so that no sequence is given twice.
 */
export const appendSteps = (memory: LogMemory, log: Log, entry: object): readonly LogStep[] => {
  const table = logOf(memory.logs, log.name);
  if (table.found === undefined) table.found = memory.segments?.end(log.name) ?? null;
  const { found } = table;
  const last = lastOf(table);
  const added = { sequence: Math.max(last, found?.last ?? 0) + 1, entry: encoded(log, entry) };
  const step: LogStep = { log: table, added };
  return found !== null && found.last > last ? [reachStep(table, found), step] : [step];
};
