/**
 * Changes as serialisable transactions. One that meets another is run again, whole, from what the other has left. When the
 * connection is lost while a commit is under way, its number, which is written with it, tells what has become of it.
 */
import { randomUUID } from 'node:crypto';
import { TreasuryError } from '../../errors.js';
import type { Awaitable, StoreReader, StoreWriter } from '../../operation/ports/store.js';
import { runningChange, type RunningChange } from './change.js';
import { allOf, pause, TRIES, type Connection, type Connections, type DatabaseRow } from './connections.js';
import { constraintOf, isConflict, isLost, isTaken } from './failure.js';
import type { Rows } from './kept-rows.js';
import { DATABASE_VERSION, type Namespace } from './layout.js';
import type { Positions } from './positions.js';
import { textOf } from './reader.js';
import { counterStatement, type Statement } from './statements.js';
import { piece } from './writes.js';

export type Transacting = {
  readonly connections: Connections;
  readonly space: Namespace;
  readonly rows: Rows;
  readonly positions: Positions;
  readonly shown: string;
  readonly readLog: StoreReader['readLog'];
  /** Says of which record and value a broken constraint is. */
  readonly describeTaken: (constraint: string, detail: string) => string;
};

type Change<T> = (writer: StoreWriter) => Awaitable<T>;

const sql = (text: string): Statement => ({ text, values: [] });
const COMMIT = sql('commit');
const ROLLBACK = sql('rollback');

/** What every change reads first: whether it may write, and what time it is. */
export const stateStatement = ({ meta }: Namespace): Statement =>
  sql(
    `select version, oldest_writer, floor(extract(epoch from clock_timestamp()) * 1000000)::bigint as now from ${meta}`,
  );

/** Begins a change: one message, which answers as {@link stateStatement} does. */
const beginStatement = (space: Namespace): Statement =>
  sql(`begin isolation level serializable; ${stateStatement(space).text}`);

/** @throws store_not_migrated for one that an earlier version made */
export const requireReadable = (state: DatabaseRow | undefined, shown: string): void => {
  if (state === undefined || Number(state['version']) < DATABASE_VERSION)
    throw new TreasuryError('store_not_migrated', { database: shown });
};

/** @throws store_too_new where a newer version keeps what this one does not know */
export const requireWritable = (state: DatabaseRow | undefined, shown: string): void => {
  requireReadable(state, shown);
  const found = Number(state?.['version']);
  if (Number(state?.['oldest_writer']) > DATABASE_VERSION)
    throw new TreasuryError('store_too_new', { file: shown, found, expected: DATABASE_VERSION });
};

/** Writes the number of a commit. */
const commitText = ({ commits }: Namespace, place: string): string =>
  `insert into ${commits} (id) values (${place})`;

/** Numbers of commits are kept for an hour: what was begun before that can't be looked up. Microseconds. */
const LOOKED_UP_WITHIN = 50 * 60_000_000;

type Lost = {
  readonly id: string;
  readonly value: unknown;
  /** Microseconds since 1970 in the database. */
  readonly begunAt: number;
  readonly cause: unknown;
};

/** The connection was lost after the commit was sent. */
class CommitLost extends Error {
  readonly id: string;
  readonly value: unknown;
  readonly begunAt: number;
  constructor({ id, value, begunAt, cause }: Lost) {
    super('the connection was lost during a commit', { cause });
    [this.id, this.value, this.begunAt] = [id, value, begunAt];
  }
}

/**
 * Writes what is left, and with it the number of the commit.
 *
 * @returns what commits. @throws CommitLost (what it returns does) when nobody answered
 */
const prepareCommit = async (
  { space }: Transacting,
  { send }: Connection,
  running: RunningChange,
  time: () => Promise<number>,
): Promise<(value: unknown) => Promise<void>> => {
  const id = running.hasWritten() ? randomUUID() : null;
  const number = id === null ? [] : [piece(space.commits, (place) => commitText(space, place(id)))];
  const { answers: sent } = await running.flush(number);
  return async (value) => {
    try {
      const answers = await allOf([...sent, send(COMMIT)]);
      if (answers.at(-1)?.command !== 'COMMIT') throw new Error('the commit was rolled back');
    } catch (error) {
      if (id !== null && isLost(error))
        throw new CommitLost({ id, value, begunAt: await time(), cause: error });
      throw error;
    }
  };
};

/** Numbers that a change has taken: each run takes the same ones again. */
const takenNumbers = ({ connections, space }: Transacting) => {
  const taken = new Map<string, number[]>();
  /** For one run. */
  return () => {
    const used = new Map<string, number>();
    return async (counter: string, least: number): Promise<number> => {
      const numbers = taken.get(counter) ?? [];
      taken.set(counter, numbers);
      let at = used.get(counter) ?? 0;
      while (at < numbers.length && (numbers[at] ?? 0) < least) at += 1;
      if (at >= numbers.length) {
        const [row] = await connections.aside(counterStatement(space, counter, least));
        numbers.push(Number(textOf(row, 'value')));
        at = numbers.length - 1;
      }
      used.set(counter, at + 1);
      return numbers[at] ?? least;
    };
  };
};

type Next = ReturnType<ReturnType<typeof takenNumbers>>;

/** Runs a change once. */
const runOnce = <T>(env: Transacting, change: Change<T>, next: Next): Promise<T> =>
  env.connections.hold(async (connection) => {
    const { send } = connection;
    const asked = send(beginStatement(env.space));
    const time = async () => Number(textOf((await asked).rows[0], 'now'));
    asked.catch(() => undefined);
    let positions: (() => string) | null = null;
    const running = runningChange({
      ...env,
      connection,
      time,
      next,
      position: async () => (positions ??= env.positions.begin(await time())),
    });
    let isEnding = false;
    try {
      const value = await change(running.writer);
      running.requireSound();
      if (running.hasWritten()) requireWritable((await asked).rows[0], env.shown);
      else await asked;
      const commit = await prepareCommit(env, connection, running, time);
      isEnding = true;
      await commit(value);
      return value;
    } catch (error) {
      // Whatever its statements were answered: it may have been made.
      if (error instanceof CommitLost) throw error;
      if (!isEnding) await send(ROLLBACK).catch(() => undefined);
      // Whatever the change made of it: what its transaction failed with is why.
      running.requireSound();
      throw error;
    } finally {
      running.end();
    }
  });

/**
 * Whether a commit was made whose answer was lost. Its number is written here: either it is there already, or it never
 * will be, since the commit would have to write it too.
 *
 * @throws commit_unknown when the database does not come back
 */
const wasCommitted = async (
  { connections, space, shown }: Transacting,
  { id, begunAt, cause }: CommitLost,
): Promise<boolean> => {
  try {
    // Of a day to come: so it is told from the commit's own, also where the answer to this is lost and it is asked again.
    const text = `insert into ${space.commits} as c (id, at) values ($1, now() + interval '1 day') on conflict (id) do update set id = c.id returning c.at > now() + interval '12 hours' as is_ours, floor(extract(epoch from clock_timestamp()) * 1000000)::bigint as now`;
    for (let tried = 1; ; tried += 1) {
      try {
        const { rows } = await connections.hold(({ send }) => send({ text, values: [id] }));
        if (rows[0]?.['is_ours'] === false) return true;
        // Numbers of so long ago are forgotten: this process stood still meanwhile.
        if (Number(textOf(rows[0], 'now')) - begunAt > LOOKED_UP_WITHIN)
          throw new Error('too long ago to be looked up', { cause });
        return false;
      } catch (error) {
        if (!(isLost(error) || isConflict(error)) || tried >= 2 * TRIES) throw error;
        await pause(tried);
      }
    }
  } catch {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TreasuryError('commit_unknown', { database: shown, reason }, { cause });
  }
};

/** A unique value that another has: it may have come between, so the change is run once more before it is said. */
const TRIES_OF_TAKEN = 2;

type Attempt = { readonly tried: number; readonly taken: number };

/** @throws the error for good when the change is not to be run again */
const requireAgain = (env: Transacting, error: unknown, { tried, taken }: Attempt): void => {
  if (isTaken(error) && taken >= TRIES_OF_TAKEN) {
    const { detail = '' } = error as { readonly detail?: string };
    const label = env.describeTaken(constraintOf(error), detail);
    throw new TreasuryError('store_conflict', { label }, { cause: error });
  }
  const isOften = tried >= TRIES;
  if (isConflict(error) && isOften)
    throw new TreasuryError('store_conflict', { label: 'The store' }, { cause: error });
  if (!(isConflict(error) || isLost(error) || isTaken(error)) || isOften) throw error;
};

/** Runs changes of one process. */
export const createTransactor = (env: Transacting) => {
  /** Those that have met another go one after the other: they would only meet again. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const running = last.then(work);
    last = running.catch(() => undefined);
    return running;
  };

  return async <T>(change: Change<T>): Promise<T> => {
    const numbers = takenNumbers(env);
    const run = () => runOnce(env, change, numbers());
    for (let tried = 1, taken = 0; ; tried += 1) {
      try {
        return await (tried === 1 ? run() : inTurn(run));
      } catch (error) {
        let met: unknown = error;
        if (met instanceof CommitLost) {
          if (await wasCommitted(env, met)) return met.value as T;
          met = met.cause;
        }
        if (isTaken(met)) taken += 1;
        requireAgain(env, met, { tried, taken });
        await pause(tried);
      }
    }
  };
};
