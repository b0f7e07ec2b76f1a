/** The store on PostgreSQL: a table for each collection and log, the documents as JSON, nothing kept but caches with limits. */
import type { AnyCollection, Query, StorePort } from '../../operation/ports/store.js';
import { openConnections, type Connections } from './connections.js';
import { readDatabaseUrl } from './database-url.js';
import { createGets } from './gets.js';
import { createRows } from './kept-rows.js';
import { indexOfConstraint, namespaceOf, type Namespace } from './layout.js';
import { readLogPage } from './logs.js';
import { createPages } from './pages.js';
import { createPositions } from './positions.js';
import { recordReader, textOf } from './reader.js';
import { createKeptTotals } from './totals.js';
import { createTransactor, requireReadable, requireWritable, stateStatement } from './transactions.js';

export type PostgresStoreOptions = {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** The schema of the database that holds the tables. */
  readonly schema: string;
  /** Connections at most. Default 10. */
  readonly connections?: number;
};

const DEFAULT_CONNECTIONS = 10;
const STATEMENT_LIMIT_MS = 60_000;
/** How often this process looks for numbers of commits that nobody will ask for any more, milliseconds. */
const TIDY_MS = 60_000;

/** The schema that holds a network's tables. */
export const schemaOf = (network: string): string => `treasury_${network}`;

/** What a broken constraint says: `notes label "one"`. */
const describeTaken =
  (space: Namespace, seen: ReadonlyMap<string, AnyCollection>) =>
  (constraint: string, detail: string): string => {
    for (const collection of seen.values()) {
      const index = indexOfConstraint(space.tableOf(collection), constraint);
      const [, value = ''] = /\)=\((.*)\) already/.exec(detail) ?? [];
      if (index !== null) return `${collection.name} ${index} "${value}"`;
    }
    return 'The store';
  };

/** Forgets the numbers of commits of an hour ago: nobody has waited as long for what became of one. */
const createTidying = (connections: Connections, space: Namespace) => {
  let at = Date.now();
  return (): void => {
    if (Date.now() - at < TIDY_MS) return;
    at = Date.now();
    const text = `delete from ${space.commits} where at < now() - interval '1 hour'`;
    connections.aside({ text, values: [] }).catch(() => undefined);
  };
};

/** Collections as they come by: constraints are named after them. */
const remembering = (space: Namespace, seen: Map<string, AnyCollection>): Namespace => ({
  ...space,
  tableOf: (collection) => {
    seen.set(collection.name, collection);
    return space.tableOf(collection);
  },
});

/** What a store stands in, once its connections are there. */
const createParts = ({ url, schema, connections: most = DEFAULT_CONNECTIONS }: PostgresStoreOptions) => {
  const address = readDatabaseUrl(url);
  const { shown } = address;
  const connections = openConnections({ address, connections: most, statementLimitMs: STATEMENT_LIMIT_MS });
  const seen = new Map<string, AnyCollection>();
  const space = remembering(namespaceOf(schema), seen);
  const rows = createRows();
  const saying = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw connections.explain(error) as Error;
    }
  };
  const readLog: StorePort['readLog'] = (log, range) =>
    saying(async () => (await readLogPage({ connections, space, shown }, log, range)) as never);
  const reading = { space, rows, shown, run: connections.read, totals: createKeptTotals() };
  return {
    connections,
    shown,
    space,
    saying,
    readLog,
    reader: recordReader(reading),
    get: createGets({ ...reading, explain: connections.explain }),
    page: createPages({ ...reading, explain: connections.explain }),
    transact: createTransactor({
      connections,
      space,
      rows,
      positions: createPositions(),
      shown,
      readLog,
      describeTaken: describeTaken(space, seen),
    }),
    readState: async () => (await connections.read(stateStatement(space)))[0],
  };
};

/**
 * Opens the store of a schema of a database. The tables are made by `treasury database migrate`.
 *
 * Reads see what is committed. A change is a serialisable transaction: one that meets another is run again, ten times at
 * most. It must await nothing but its writer, which here is not noticed.
 *
 * @throws invalid_setting, store_unreachable, database_refused, store_not_migrated
 */
export const openPostgresStore = async (options: PostgresStoreOptions): Promise<StorePort> => {
  const { connections, shown, space, saying, readLog, reader, get, page, transact, readState } =
    createParts(options);
  const tidy = createTidying(connections, space);
  const under = new Set<Promise<unknown>>();
  let closing: Promise<void> | null = null;
  const refuseClosed = (): void => {
    if (closing !== null) throw new Error(`the store in ${shown} is closed`);
  };
  const close = async (): Promise<void> => {
    await Promise.allSettled(under);
    await connections.close();
  };

  try {
    await saying(async () => {
      requireReadable(await readState(), shown);
    });
  } catch (error) {
    await connections.close();
    throw error;
  }
  return {
    get: (collection, id) => get(collection, id) as Promise<never>,
    find: (collection, query = {}) =>
      (page(collection, query as Query<unknown>) ?? saying(() => reader.find(collection, query))) as never,
    readLog,
    refresh: async () => {
      refuseClosed();
      return Promise.resolve();
    },
    transaction: async (change) => {
      refuseClosed();
      const running = saying(() => transact(change));
      under.add(running);
      try {
        return await running;
      } finally {
        under.delete(running);
        tidy();
      }
    },
    probe: () =>
      saying(async () => {
        refuseClosed();
        requireWritable(await readState(), shown);
        const text = `insert into ${space.commits} (id) values ('probe') on conflict (id) do update set at = now()`;
        await connections.aside({ text, values: [] });
      }),
    close: () => (closing ??= close()),
    time: () => saying(async () => Math.floor(Number(textOf(await readState(), 'now')) / 1_000)),
    isShared: true,
  };
};
