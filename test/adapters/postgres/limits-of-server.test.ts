/** What a server refuses for reasons of its own: each has a name, and nothing was stored. */
import type { ExecutionContext } from 'ava';
import { databaseFailure } from '../../../src/adapters/postgres/failure.js';
import { openDatabase } from '../../../src/adapters/postgres/database.js';
import { openPostgresStore } from '../../../src/adapters/postgres/postgres-store.js';
import { TreasuryError } from '../../../src/errors.js';
import type { StorePort } from '../../../src/operation/ports/store.js';
import { makeSchema, onPostgres } from '../store/each-store.js';
import { events } from '../store/events.js';
import { note, notes } from '../store/notes.js';
import { runSql, testServer } from '../../postgres/server.js';

const server = await testServer();

/** A store for a role that has a setting of its own. */
const openAs = async (
  t: ExecutionContext,
  url: string,
  schema: string,
  setting: string,
): Promise<StorePort> => {
  const role = `limited_${Math.random().toString(36).slice(2, 10)}`;
  await runSql(url, `create role ${role} login superuser`);
  await runSql(url, `alter role ${role} set ${setting}`);
  const theirs = new URL(url);
  theirs.username = role;
  const store = await openPostgresStore({ url: theirs.href, schema, connections: 3 });
  t.teardown(async () => {
    await store.close();
    await runSql(url, `drop role ${role}`);
  });
  return store;
};

for (const setting of ["statement_timeout = '100ms'", "lock_timeout = '100ms'"])
  onPostgres(
    `transaction › given ${setting} and somebody who holds the row › store_unreachable, and it may be tried again`,
    async (t) => {
      const { url, schema } = await makeSchema();
      const store = await openAs(t, url, schema, setting);
      const other = await openPostgresStore({ url, schema, connections: 3 });
      t.teardown(() => other.close());
      let letGo: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => (letGo = resolve));
      let holding: Promise<void> = Promise.resolve();
      await new Promise<void>((isHeld) => {
        holding = other.transaction(async (writer) => {
          writer.put(notes, note('a', { amount: 7n }));
          await writer.find(notes);
          isHeld();
          await gate;
        });
      });
      const error = await t.throwsAsync(
        store.transaction((writer) => {
          writer.put(notes, note('a'));
        }),
        { instanceOf: TreasuryError, code: 'store_unreachable' },
      );
      t.true(error.retryable);
      letGo();
      await holding;
      t.is((await store.get(notes, 'a'))?.amount, 7n);
    },
  );

onPostgres('failure › of a standby, which takes no serialisable transaction › storage_read_only', (t) => {
  const answered = Object.assign(new Error('cannot use serializable mode in a hot standby'), {
    code: '0A000',
    severity: 'ERROR',
  });
  t.like(databaseFailure(answered, 'postgres://x:1/t'), { code: 'storage_read_only' });
  return Promise.resolve();
});

onPostgres(
  'migrate › given a database that cannot keep every character › it is refused, and nothing is made',
  async (t) => {
    if ('missing' in server) throw new Error(server.missing);
    const name = `latin_${Math.random().toString(36).slice(2, 10)}`;
    await runSql(server.url, `create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    t.teardown(() => runSql(server.url, `drop database if exists ${name} with (force)`));
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    const tools = openDatabase({
      url: url.href,
      network: 'local',
      connections: 2,
      collections: [notes],
      logs: [events],
    });
    t.teardown(tools.close);
    await t.throwsAsync(tools.migrate(), { code: 'database_refused', message: /UTF8/ });
    t.is((await tools.status()).version, null);
  },
);
