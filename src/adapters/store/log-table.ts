/** A log in memory: how far its segments reach, and the entries since. */
import type { LogData, LogEnd, LogEntry } from './store-data.js';

export type LogTable = {
  readonly name: string;
  /** Null: no segment holds anything. */
  kept: LogEnd | null;
  /** Ascending, all above what is kept. */
  tail: LogEntry[];
  /** How far the segments were found to reach; undefined: nobody has looked. */
  found?: LogEnd | null;
};

/** What is added to a log, and how it came to reach further than was known. */
export type LogStep =
  | { readonly log: LogTable; readonly added: LogEntry }
  | { readonly log: LogTable; readonly reaches: LogEnd; readonly was: Pick<LogTable, 'kept' | 'tail'> };

/** The same as the journal has it. */
export type LogChange =
  | { readonly append: string; readonly sequence: number; readonly entry: object }
  | { readonly log: string; readonly reaches: LogEnd };

export const createLogTable = (name: string, { kept, tail }: LogData): LogTable => ({
  name,
  kept,
  tail: [...tail],
});

/** The log of a name. */
export const logOf = (logs: Map<string, LogTable>, name: string): LogTable => {
  const table = logs.get(name) ?? createLogTable(name, { kept: null, tail: [] });
  logs.set(name, table);
  return table;
};

/** The newest sequence; 0 without any. */
export const lastOf = ({ kept, tail }: LogData): number => tail.at(-1)?.sequence ?? kept?.last ?? 0;

export const doLogStep = (step: LogStep): void => {
  const { log } = step;
  if ('added' in step) log.tail.push(step.added);
  else [log.kept, log.tail] = [step.reaches, []];
};

export const undoLogStep = (step: LogStep): void => {
  const { log } = step;
  if ('added' in step) log.tail.pop();
  else [log.kept, log.tail] = [step.was.kept, step.was.tail];
};

/** The step by which a log reaches as far as its segments do. */
export const reachStep = (log: LogTable, reaches: LogEnd): LogStep => ({
  log,
  reaches,
  was: { kept: log.kept, tail: log.tail },
});

export const changeOfLog = (step: LogStep): LogChange =>
  'added' in step ? { append: step.log.name, ...step.added } : { log: step.log.name, reaches: step.reaches };

/** The step of a change that was written; null when the log has it already. */
export const stepOfLog = (logs: Map<string, LogTable>, change: LogChange): LogStep | null => {
  if ('log' in change) return reachStep(logOf(logs, change.log), change.reaches);
  const { append, sequence, entry } = change;
  const log = logOf(logs, append);
  return sequence > lastOf(log) ? { log, added: { sequence, entry } } : null;
};

/** At most `limit` entries of the tail above a sequence. */
export const tailAfter = ({ tail }: LogTable, after: number, limit: number): readonly LogEntry[] => {
  let [from, to] = [0, tail.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if ((tail[middle]?.sequence ?? 0) > after) to = middle;
    else from = middle + 1;
  }
  return tail.slice(from, from + limit);
};
