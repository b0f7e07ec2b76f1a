/** Registers the tests of what every store does: on files, and on a real PostgreSQL, from one source. */
import test, { type ExecutionContext } from 'ava';
import { openDatabase } from '../../../src/adapters/postgres/database.js';
import { openPostgresStore, schemaOf } from '../../../src/adapters/postgres/postgres-store.js';
import { openJsonStore } from '../../../src/adapters/store/json-store.js';
import type { StorePort } from '../../../src/operation/ports/store.js';
import { makeDatabase, testServer } from '../../postgres/server.js';
import { events } from './events.js';
import { makeFolder, notes } from './notes.js';

/** Where a store is: whoever opens it again has what others left there. */
export type Place = { readonly open: () => Promise<StorePort>; readonly kind: 'files' | 'PostgreSQL' };

const server = await testServer();

/** One database for a file of tests. */
let database: Promise<string> | null = null;
let places = 0;
const ends: (() => unknown)[] = [];
let hasEnd = false;
/** Declared with the first test: AVA takes no test in a later turn than the first of them. */
const declareEnd = (): void => {
  if (hasEnd) return;
  hasEnd = true;
  test.after.always(async () => {
    for (const end of ends) await end();
  });
};

const openEach = (t: ExecutionContext, open: () => Promise<StorePort>): Place['open'] => {
  return async () => {
    const store = await open();
    t.teardown(() => store.close());
    return store;
  };
};

/** A folder. */
export const inFiles = (t: ExecutionContext): Place => {
  const folder = makeFolder(t);
  return { kind: 'files', open: openEach(t, () => openJsonStore({ folder, collections: [notes] })) };
};

/** A schema of a database, with its tables, and where it is. */
export const makeSchema = async (
  collections: Parameters<typeof openDatabase>[0]['collections'] = [notes],
): Promise<{ readonly url: string; readonly schema: string; readonly network: string }> => {
  if ('missing' in server) throw new Error(server.missing);
  database ??= makeDatabase({ teardown: (end) => void ends.push(end) }, server.url);
  places += 1;
  const network = `test${places}`;
  const url = await database;
  const migrating = openDatabase({ url, network, connections: 2, collections, logs: [events] });
  await migrating.migrate();
  await migrating.close();
  return { url, network, schema: schemaOf(network) };
};

/** A schema of a database. */
export const inDatabase = async (t: ExecutionContext): Promise<Place> => {
  const { url, schema } = await makeSchema();
  return { kind: 'PostgreSQL', open: openEach(t, () => openPostgresStore({ url, schema, connections: 8 })) };
};

type StoreTest = (t: ExecutionContext, place: Place) => Promise<void>;

/** A test on PostgreSQL alone; where there is none, it is skipped and says why. */
export const onPostgres = (title: string, body: (t: ExecutionContext) => Promise<void>): void => {
  declareEnd();
  if ('missing' in server) test.skip(`${title} (skipped: ${server.missing})`, () => undefined);
  else test(title, body);
};

/** The same where nothing else of the file may be at work. */
export const onPostgresAlone = (title: string, body: (t: ExecutionContext) => Promise<void>): void => {
  declareEnd();
  if ('missing' in server) test.skip(`${title} (skipped: ${server.missing})`, () => undefined);
  else test.serial(title, body);
};

/** A test on every store. */
export const onEachStore = (title: string, body: StoreTest): void => {
  declareEnd();
  test(`files › ${title}`, (t) => body(t, inFiles(t)));
  onPostgres(`PostgreSQL › ${title}`, async (t) => body(t, await inDatabase(t)));
};
