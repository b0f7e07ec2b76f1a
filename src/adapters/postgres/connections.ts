/** The connections of one process to a database. */
import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseAddress } from './database-url.js';
import { databaseFailure, isLost } from './failure.js';
import type { Statement } from './statements.js';

/** A row as it comes: bigints as text. */
export type DatabaseRow = Readonly<Record<string, unknown>>;
/** What a statement came to. */
export type Answer = {
  readonly rows: readonly DatabaseRow[];
  readonly command: string;
  /** Rows that were read or written. */
  readonly count: number;
};

/** One connection. Statements are sent at once, and answered in their order. */
export type Connection = { readonly send: (statement: Statement) => Promise<Answer> };

export type ConnectionOptions = {
  readonly address: DatabaseAddress;
  /** At most; one of them is for counters alone. */
  readonly connections: number;
  /** How long a statement may take, milliseconds; null: as long as it does. */
  readonly statementLimitMs: number | null;
};

export type Connections = {
  /** One statement by itself. It is asked again where the connection was lost, so it must be one that reads. */
  readonly read: (statement: Statement) => Promise<readonly DatabaseRow[]>;
  /** One statement by itself, on a connection that no change waits for. */
  readonly aside: (statement: Statement) => Promise<readonly DatabaseRow[]>;
  /** Lends a connection; one that was lost meanwhile is not used again. @throws what `work` throws */
  readonly hold: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;
  /** What is said to people of an error. */
  readonly explain: (error: unknown) => unknown;
  readonly close: () => Promise<void>;
};

/** What all of some statements came to, once all are answered. @throws what the first that failed was answered */
export const allOf = async (sent: readonly Promise<Answer>[]): Promise<readonly Answer[]> => {
  const settled = await Promise.allSettled(sent);
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
};

/** How often something is tried, and how long the waits between may become, milliseconds. */
export const TRIES = 10;
const LONGEST_WAIT_MS = 1_000;
const CONNECT_LIMIT_MS = 5_000;

/** Waits before another try: longer each time, and nobody as long as the others. */
export const pause = async (tried: number): Promise<void> => {
  const longest = Math.min(LONGEST_WAIT_MS, 10 * 2 ** tried);
  await wait(randomInt(Math.ceil(longest / 2), longest + 1));
};

const toQuery = ({ text, values }: Statement): pg.QueryConfig => ({ text, values: [...values] });

/** Of a text of several statements the last one is answered. */
const answerOf = (result: pg.QueryResult | readonly pg.QueryResult[]): Answer => {
  const last = [result].flat().at(-1);
  return {
    rows: (last?.rows ?? []) as DatabaseRow[],
    command: last?.command ?? '',
    count: last?.rowCount ?? 0,
  };
};

const openPool = ({ address, statementLimitMs }: ConnectionOptions, max: number): pg.Pool => {
  const { host, port, user, password, database, ssl } = address;
  const pool = new pg.Pool({
    host,
    port,
    user,
    database,
    ssl,
    max,
    ...(password === undefined ? {} : { password }),
    ...(statementLimitMs === null ? {} : { query_timeout: statementLimitMs }),
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'treasury',
    // What is sent does not wait for the answer to what was sent before it.
    pipeline: true,
  });
  // One that is lost while nobody uses it: the next who needs one makes a new one.
  pool.on('error', () => undefined);
  // One that is cut says so more than once; whoever has sent something is answered.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
};

/** Opens nothing yet: the first statement connects. */
export const openConnections = (options: ConnectionOptions): Connections => {
  const pool = openPool(options, Math.max(1, options.connections - 1));
  const counters = openPool(options, 1);

  const hold: Connections['hold'] = async (work) => {
    const client = await pool.connect();
    const connection = { isLost: false };
    const onLost = (): void => {
      connection.isLost = true;
    };
    client.on('error', onLost);
    const send: Connection['send'] = async (statement) => {
      try {
        return answerOf(await client.query(toQuery(statement)));
      } catch (error) {
        if (isLost(error)) onLost();
        throw error;
      }
    };
    try {
      return await work({ send });
    } finally {
      client.off('error', onLost);
      client.release(connection.isLost);
    }
  };

  const read = async (from: pg.Pool, statement: Statement): Promise<readonly DatabaseRow[]> => {
    for (let tried = 1; ; tried += 1) {
      try {
        return answerOf(await from.query(toQuery(statement))).rows;
      } catch (error) {
        if (!isLost(error) || tried >= TRIES) throw error;
        await pause(tried);
      }
    }
  };

  return {
    read: (statement) => read(pool, statement),
    aside: (statement) => read(counters, statement),
    hold,
    explain: (error) => databaseFailure(error, options.address.shown),
    close: async () => {
      await Promise.all([pool.end(), counters.end()]);
    },
  };
};
