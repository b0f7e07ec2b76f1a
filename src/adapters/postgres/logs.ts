/**
 * Logs. A commit adds entries without a sequence, so that commits do not queue; whoever reads gives numbers first to what
 * is committed and has none, in a transaction of its own. So numbers are in the order in which entries could be seen,
 * without gaps, and who has seen one never finds a lower one later.
 */
import { z } from 'zod';
import { TreasuryError } from '../../errors.js';
import type { Log, LogPage, LogRange } from '../../operation/ports/store.js';
import { describeProblem, freezeDeep } from '../store/record-row.js';
import { allOf, pause, TRIES, type Connections, type DatabaseRow } from './connections.js';
import { isConflict, isLost, isReadOnly } from './failure.js';
import type { Namespace } from './layout.js';
import { textOf } from './reader.js';
import { fromStoredJson, toStoredJson } from './stored-text.js';
import type { Statement } from './statements.js';

/** An entry as it is written, and nothing that the caller can still change. @throws Error: a defect of the caller */
export const writtenEntry = (log: Log, entry: object): string => {
  try {
    const json = JSON.stringify(z.encode(log.schema, entry));
    z.decode(log.schema, JSON.parse(json));
    return toStoredJson(json);
  } catch (error) {
    throw new Error(`an entry of ${log.name} cannot be stored: ${describeProblem(error)}`, { cause: error });
  }
};

/** Entries that are numbered in one transaction. */
const AT_ONCE = 5_000;
/** A limit that PostgreSQL takes, and no page has. */
const MOST = 2_000_000_000;

const lockStatement = ({ logs }: Namespace, { name }: Pick<Log, 'name'>): Statement => ({
  text: `select last from ${logs} where name = $1 for update`,
  values: [name],
});

const numberStatements = (space: Namespace, log: Pick<Log, 'name'>, last: number): readonly Statement[] => {
  const table = space.logTable(log);
  return [
    {
      text: `update ${table} l set sequence = n.sequence from (select position, $1::bigint + row_number() over (order by position) as sequence from (select position from ${table} where sequence is null order by position limit ${AT_ONCE}) u) n where l.position = n.position`,
      values: [last],
    },
    {
      text: `update ${space.logs} set last = greatest(last, coalesce((select max(sequence) from ${table}), 0)) where name = $1`,
      values: [log.name],
    },
    { text: 'commit', values: [] },
  ];
};

/**
 * Numbers what is committed and has no number. Whoever does so holds the row of the log: one at a time.
 *
 * @returns how many
 */
const numberOnce = (connections: Connections, space: Namespace, log: Pick<Log, 'name'>): Promise<number> =>
  connections.hold(async ({ send }) => {
    const begun = send({ text: 'begin isolation level read committed', values: [] });
    const locked = send(lockStatement(space, log));
    begun.catch(() => undefined);
    let isOver = false;
    try {
      // Only what is read after the lock was taken sees all that others have numbered.
      const { rows } = await locked;
      await begun;
      const sent = numberStatements(space, log, Number(textOf(rows[0], 'last'))).map(send);
      isOver = true;
      const [numbered] = await allOf(sent);
      return numbered?.count ?? 0;
    } catch (error) {
      if (!isOver) await send({ text: 'rollback', values: [] }).catch(() => undefined);
      throw error;
    }
  });

/** Numbers all that was committed when this was called. */
export const numberEntries = async (
  connections: Connections,
  space: Namespace,
  log: Pick<Log, 'name'>,
): Promise<void> => {
  for (let tried = 1; ;) {
    try {
      if ((await numberOnce(connections, space, log)) < AT_ONCE) return;
    } catch (error) {
      if (!(isConflict(error) || isLost(error)) || tried >= TRIES) throw error;
      await pause(tried);
      tried += 1;
    }
  }
};

const rangeStatement = (space: Namespace, log: Pick<Log, 'name'>, { after, limit }: LogRange): Statement => ({
  text: `select sequence, entry::text as entry from ${space.logTable(log)} where sequence > $1 order by sequence limit $2`,
  values: [after, Math.min(limit, MOST)],
});

const stateStatement = (space: Namespace, log: Pick<Log, 'name'>): Statement => ({
  text: `select last, exists (select 1 from ${space.logTable(log)} where sequence is null) as pending from ${space.logs} where name = $1`,
  values: [log.name],
});

/** An entry as its readers have it: decoded, with its sequence, frozen. @throws store_damaged */
const decodedEntry = (log: Log, row: DatabaseRow, shown: string): object => {
  const sequence = Number(textOf(row, 'sequence'));
  try {
    const raw = JSON.parse(fromStoredJson(textOf(row, 'entry'))) as object;
    const read = { sequence, ...z.decode(log.schema, raw) };
    freezeDeep(read);
    return read;
  } catch (error) {
    const where = `${log.name} ${sequence} (${describeProblem(error)})`;
    const remedy = 'put the database back from a backup';
    throw new TreasuryError('store_damaged', { file: shown, where, remedy }, { cause: error });
  }
};

export type LogReading = {
  readonly connections: Connections;
  readonly space: Namespace;
  readonly shown: string;
};

/**
 * Numbers what has none yet, then reads. A database that may not be written to shows what is numbered.
 *
 * @throws store_damaged, and what the database answers
 */
export const readLogPage = async (
  { connections, space, shown }: LogReading,
  log: Log,
  range: LogRange,
): Promise<LogPage<object>> => {
  const readState = async () => (await connections.read(stateStatement(space, log)))[0];
  let state = await readState();
  if (state?.['pending'] === true) {
    try {
      await numberEntries(connections, space, log);
    } catch (error) {
      if (!isReadOnly(error)) throw error;
    }
    state = await readState();
  }
  const last = Number(textOf(state, 'last'));
  if (range.limit <= 0 || range.after >= last) return { entries: [], last };
  const rows = await connections.read(rangeStatement(space, log, range));
  const entries = rows.map((row) => decodedEntry(log, row, shown)) as LogPage<object>['entries'];
  return { entries, last: Math.max(last, entries.at(-1)?.sequence ?? 0) };
};
