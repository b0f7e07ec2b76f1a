/** The store of a home: its files, or the database that the settings name. Each is loaded when it is used. */
import type { Network } from '../../bch/network.js';
import type { Log } from '../../operation/context.js';
import type { AnyCollection, StorePort } from '../../operation/ports/store.js';
import type { DatabaseSettings } from '../../settings/database.js';

export type StoreChoice = {
  /** Where the files are. */
  readonly folder: string;
  readonly network: Network;
  /** Null: the records are files. */
  readonly database: DatabaseSettings | null;
  readonly everyCollection: () => Promise<readonly AnyCollection[]>;
  /** True: the indexes of all collections are looked at when it is opened. */
  readonly isWhole: boolean;
  readonly runsTwice: boolean;
  /** True: everything is read before it opens. */
  readonly verifies: boolean;
  readonly log: Log;
  /** Wall clock in unix seconds; for tests. Default: the system's. */
  readonly wall: (() => number) | undefined;
};

/** @throws store_damaged, store_too_new, store_locked; store_unreachable, database_refused, store_not_migrated */
export const openStoreOf = async ({
  folder,
  network,
  database,
  everyCollection,
  isWhole,
  runsTwice,
  verifies,
  log,
  wall,
}: StoreChoice): Promise<StorePort> => {
  if (database !== null) {
    const { openPostgresStore, schemaOf } = await import('../postgres/postgres-store.js');
    return openPostgresStore({ ...database, schema: schemaOf(network) });
  }
  const [{ openJsonStore }, collections] = await Promise.all([
    import('./json-store.js'),
    isWhole ? everyCollection() : [],
  ]);
  const onFoldFailure = (error: unknown) => {
    log.warn({ error: String(error) }, 'the journal could not be folded; nothing is lost');
  };
  const clock = wall === undefined ? {} : { now: () => wall() * 1_000 };
  return openJsonStore({
    folder,
    collections,
    everyCollection,
    runsTwice,
    onFoldFailure,
    verifies,
    ...clock,
  });
};
