/** What `treasury database` does. */
import { TreasuryError } from '../../errors.js';
import type { StorePort } from '../../operation/ports/store.js';
import { openJsonStore, type JsonStore } from '../store/json-store.js';
import { checkDatabase, type DatabaseCheck } from './check.js';
import { openConnections } from './connections.js';
import { copySide, databaseSide, homeSide, type Copied, type Kinds } from './copy.js';
import { readDatabaseUrl } from './database-url.js';
import { namespaceOf } from './layout.js';
import {
  migrateDatabase,
  readDatabaseState,
  type DatabaseState,
  type Migrating,
  type Migration,
} from './migrate.js';
import { openPostgresStore, schemaOf } from './postgres-store.js';

export type DatabaseOptions = Kinds & {
  readonly url: string;
  readonly network: string;
  readonly connections: number;
  /** What is at work on a store now, for people: `process 12`. Default: nothing. */
  readonly atWork?: (store: StorePort) => Promise<readonly string[]>;
};

/** A database, with its tables or without. */
export type Database = {
  /** For people: without its password. */
  readonly shown: string;
  readonly schema: string;
  readonly status: () => Promise<DatabaseState>;
  readonly migrate: () => Promise<Migration>;
  readonly check: () => Promise<DatabaseCheck>;
  /** Copies the files of a folder into the database (`from`) or all of it into the folder (`to`). */
  readonly copy: (direction: 'from' | 'to', folder: string) => Promise<Copied>;
  readonly close: () => Promise<void>;
};

/** Of versions before this one: in their place are others, and nothing of them is worth keeping. */
const GONE: readonly string[] = ['keeper_leases'];

/** @throws copy_differs where a newer version has left what this one does not know */
const requireKnown = (files: JsonStore, folder: string, { collections, logs }: Kinds): void => {
  const known = [...GONE, ...[...collections, ...logs].map(({ name }) => name)];
  const unknown = files.names().filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new TreasuryError('copy_differs', {
      reason: `${folder} holds ${unknown.join(', ')}, which this version does not know`,
      remedy: 'Nothing was copied: upgrade treasury to the version that wrote it',
    });
};

/** What is written while it is copied would look like a fault. @throws store_in_use */
const requireIdle = async (
  place: string,
  store: StorePort,
  { atWork }: Pick<DatabaseOptions, 'atWork'>,
): Promise<void> => {
  const processes = (await atWork?.(store)) ?? [];
  if (processes.length > 0)
    throw new TreasuryError('store_in_use', { place, processes: processes.join(', ') });
};

const copyFolder = async (
  migrating: Migrating & Kinds,
  options: DatabaseOptions,
  { direction, folder }: { readonly direction: 'from' | 'to'; readonly folder: string },
): Promise<Copied> => {
  const { collections, shown } = migrating;
  const { url, connections } = options;
  const files = await openJsonStore({ folder, collections });
  try {
    if (direction === 'from') requireKnown(files, folder, migrating);
    const store = await openPostgresStore({ url, schema: migrating.space.name, connections });
    try {
      await (direction === 'from' ? requireIdle(folder, files, options) : requireIdle(shown, store, options));
      const [home, database] = [homeSide(files, folder), databaseSide(migrating, store)];
      return await (direction === 'from'
        ? copySide(home, database, migrating)
        : copySide(database, home, migrating));
    } finally {
      await store.close();
    }
  } finally {
    await files.close();
  }
};

/** A database to look after. Nothing is connected to yet. @throws invalid_setting */
export const openDatabase = (options: DatabaseOptions): Database => {
  const { url, network, collections, logs } = options;
  const address = readDatabaseUrl(url);
  const connections = openConnections({ address, connections: options.connections, statementLimitMs: null });
  const { shown } = address;
  const schema = schemaOf(network);
  const migrating = { connections, space: namespaceOf(schema), shown, collections, logs };
  const saying = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw connections.explain(error) as Error;
    }
  };
  return {
    shown,
    schema,
    status: () => saying(() => readDatabaseState(migrating)),
    migrate: () => saying(() => migrateDatabase(migrating)),
    check: () => saying(() => checkDatabase(migrating)),
    copy: (direction, folder) => saying(() => copyFolder(migrating, options, { direction, folder })),
    close: connections.close,
  };
};
