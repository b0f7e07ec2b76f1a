/** What a store on PostgreSQL does beside what every store does: races, lost connections, numbering, versions. */
import test, { type ExecutionContext } from 'ava';
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgresStore } from '../../../src/adapters/postgres/postgres-store.js';
import { openDatabase } from '../../../src/adapters/postgres/database.js';
import { TreasuryError } from '../../../src/errors.js';
import type { StorePort } from '../../../src/operation/ports/store.js';
import { makeSchema, onPostgres, onPostgresAlone } from '../store/each-store.js';
import { append, entriesOf, events } from '../store/events.js';
import { idsOf, note, notes } from '../store/notes.js';
import { ownServer, runSql } from '../../postgres/server.js';

const open = async (
  t: ExecutionContext,
  { url, schema }: { readonly url: string; readonly schema: string },
  connections = 6,
): Promise<StorePort> => {
  const store = await openPostgresStore({ url, schema, connections });
  t.teardown(() => store.close());
  return store;
};

/** Cuts every connection of treasury to the database of a URL. */
const cutAll = (url: string) =>
  runSql(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'treasury' and datname = current_database()`,
  );

onPostgresAlone(
  'transaction › given that its connection is cut in between › it runs again, and happens once',
  async (t) => {
    const place = await makeSchema();
    const store = await open(t, place);
    let runs = 0;
    await store.transaction(async (writer) => {
      runs += 1;
      writer.put(notes, note('a'));
      writer.append(events, { id: 'a' });
      t.is((await writer.find(notes)).total, 1);
      if (runs === 1) await cutAll(place.url);
      await writer.find(notes);
    });
    t.is(runs, 2);
    t.deepEqual(await entriesOf(store), ['1 a']);
  },
);

onPostgresAlone(
  'transactions › given that connections are cut all the time › what was answered is there once, and nothing else',
  async (t) => {
    const place = await makeSchema();
    const [store, looker] = [await open(t, place), await open(t, place)];
    const flag = { isOver: false };
    const cutting = (async () => {
      while (!flag.isOver) {
        await cutAll(place.url);
        await wait(15);
      }
    })();
    const answered: string[] = [];
    const failed: string[] = [];
    await Promise.all(
      Array.from({ length: 4 }, async (_, worker) => {
        for (let index = 0; index < 15; index += 1) {
          const id = `w${worker} ${index}`;
          try {
            await store.transaction(async (writer) => {
              const before = (await writer.get(notes, id))?.amount ?? 0n;
              writer.put(notes, note(id, { amount: before + 1n }));
              writer.append(events, { id });
            });
            answered.push(id);
          } catch (error) {
            t.true(error instanceof TreasuryError, String(error));
            failed.push(id);
          }
        }
      }),
    );
    flag.isOver = true;
    await cutting;
    const { items } = await looker.find(notes);
    t.deepEqual(
      items.filter(({ amount }) => amount !== 1n),
      [],
      'none happened twice',
    );
    t.deepEqual(
      answered.filter((id) => !items.some((item) => item.id === id)),
      [],
      'all that was answered is there',
    );
    const told = (await entriesOf(looker)).map((entry) => entry.replace(/^\d+ /, '')).sort();
    t.deepEqual(told, idsOf({ items }).sort(), 'each record was told once');
    t.true(answered.length > 0);
  },
);

onPostgres(
  'log › given many who append and read at the same time › numbers have no gap, and none comes below one that was seen',
  async (t) => {
    const place = await makeSchema();
    const stores = await Promise.all([open(t, place), open(t, place), open(t, place)]);
    let isOver = false;
    const writing = Promise.all(
      stores.flatMap((store, index) =>
        [0, 1].map(async (half) => {
          for (let entry = 0; entry < 20; entry += 1) await append(store, `${index}-${half}-${entry}`);
        }),
      ),
    ).then(() => (isOver = true));
    const follow = async (store: StorePort): Promise<string[]> => {
      const seen: string[] = [];
      for (let after = 0, isLast = false; !isLast;) {
        isLast = isOver;
        const { entries } = await store.readLog(events, { after, limit: 7 });
        for (const { sequence, id } of entries) {
          t.is(sequence, after + 1);
          after = sequence;
          seen.push(id);
        }
        if (entries.length > 0) isLast = false;
      }
      return seen;
    };
    const [one = [], ...others] = await Promise.all(stores.map(follow));
    await writing;
    t.is(new Set(one).size, 120);
    for (const other of others) t.deepEqual(other, one);
  },
);

onPostgres(
  'counters › given many changes at the same time, and runs that are repeated › no number is drawn twice, and none is left out',
  async (t) => {
    const place = await makeSchema();
    const stores = [await open(t, place), await open(t, place)];
    const drawn = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (stores[index % 2] as StorePort).transaction(async (writer) => {
          const shared = (await writer.get(notes, 'shared'))?.amount ?? 0n;
          const number = await writer.next('label');
          writer.put(notes, note('shared', { amount: shared + 1n }));
          return number;
        }),
      ),
    );
    t.deepEqual(
      drawn.toSorted((a, b) => a - b),
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
    t.is((await stores[0]?.get(notes, 'shared'))?.amount, 30n);
  },
);

onPostgres(
  'transaction › given a change that reads what another writes, and the other way round › one of them is run again',
  async (t) => {
    const place = await makeSchema();
    const store = await open(t, place);
    await store.transaction((writer) => {
      for (const id of ['a', 'b']) writer.put(notes, note(id));
    });
    // Each closes one note as long as the other is open: by turns, one stays open.
    const close = (id: string, other: string) =>
      store.transaction(async (writer) => {
        const there = await writer.get(notes, other);
        await wait(20);
        if (there?.status === 'OPEN') writer.put(notes, note(id, { status: 'DONE' }));
      });
    await Promise.all([close('a', 'b'), close('b', 'a')]);
    t.is((await store.find(notes, { where: { status: 'OPEN' } })).total, 1);
  },
);

onPostgres('database › given no tables › store_not_migrated says which command makes them', async (t) => {
  const { url } = await makeSchema();
  const refused = openPostgresStore({ url, schema: 'treasury_nothing' });
  await t.throwsAsync(refused, { code: 'store_not_migrated', message: /treasury database migrate/ });
});

onPostgres(
  'database › given one that a newer version has › it is read, and nothing is written',
  async (t) => {
    const place = await makeSchema();
    const store = await open(t, place);
    await store.transaction((writer) => {
      writer.put(notes, note('a'));
    });
    await runSql(place.url, `update ${place.schema}.treasury_schema set version = 2, oldest_writer = 2`);
    const refused = store.transaction((writer) => {
      writer.put(notes, note('b'));
    });
    await t.throwsAsync(refused, { code: 'store_too_new' });
    await t.throwsAsync(store.probe(), { code: 'store_too_new' });
    t.deepEqual(idsOf(await (await open(t, place)).find(notes)), ['a']);
    await runSql(place.url, `update ${place.schema}.treasury_schema set version = 2, oldest_writer = 1`);
    await store.transaction((writer) => {
      writer.put(notes, note('c'));
    });
    const tools = openDatabase({ ...place, connections: 2, collections: [notes], logs: [events] });
    t.teardown(tools.close);
    await t.throwsAsync(tools.migrate(), { code: 'store_too_new' });
  },
);

onPostgres(
  'database › given a role that may make no tables › daemons work with it, and migrating is refused',
  async (t) => {
    const place = await makeSchema();
    const role = `daemon_${Math.random().toString(36).slice(2, 10)}`;
    for (const text of [
      `create role ${role} login password 'secret'`,
      `grant usage on schema ${place.schema} to ${role}`,
      `grant select, insert, update, delete on all tables in schema ${place.schema} to ${role}`,
    ])
      await runSql(place.url, text);
    t.teardown(async () => {
      await runSql(place.url, `drop owned by ${role}`);
      await runSql(place.url, `drop role ${role}`);
    });
    const url = new URL(place.url);
    url.username = role;
    url.password = 'secret';
    const store = await open(t, { url: url.href, schema: place.schema });
    await append(store, 'a');
    await store.transaction((writer) => {
      writer.put(notes, note('a'));
    });
    t.deepEqual(await entriesOf(store), ['1 a']);
    const tools = openDatabase({
      url: url.href,
      network: 'other',
      connections: 2,
      collections: [notes],
      logs: [events],
    });
    t.teardown(tools.close);
    await t.throwsAsync(tools.migrate(), { code: 'database_refused' });
  },
);

test('database › given one that is not there › store_unreachable, which may be tried again, without the password', async (t) => {
  const refused = openPostgresStore({
    url: 'postgres://me:hidden@127.0.0.1:1/none',
    schema: 'treasury_local',
  });
  const error = await t.throwsAsync(refused, { instanceOf: TreasuryError, code: 'store_unreachable' });
  t.true(error.retryable);
  t.is(error.exit, 7);
  t.false(JSON.stringify([error.message, error.details]).includes('hidden'));
});

onPostgresAlone('server › restarted while clients write › what was answered is there once', async (t) => {
  const mine = await ownServer(t);
  const network = 'local';
  const tools = openDatabase({
    url: mine.url,
    network,
    connections: 2,
    collections: [notes],
    logs: [events],
  });
  await tools.migrate();
  await tools.close();
  const store = await open(t, { url: mine.url, schema: 'treasury_local' });
  const answered: string[] = [];
  const flag = { isOver: false };
  const writing = (async () => {
    for (let index = 0; !flag.isOver; index += 1) {
      const id = `n${index}`;
      try {
        await store.transaction(async (writer) => {
          const before = (await writer.get(notes, id))?.amount ?? 0n;
          writer.put(notes, note(id, { amount: before + 1n }));
        });
        answered.push(id);
      } catch (error) {
        t.true(error instanceof TreasuryError && error.retryable, String(error));
      }
    }
  })();
  await wait(200);
  const before = answered.length;
  // Its clients are sent away in order, as a service manager does it.
  await mine.stop('SIGINT');
  await mine.start();
  while (answered.length < before + 20) await wait(20);
  flag.isOver = true;
  await writing;
  const { items } = await store.find(notes);
  t.deepEqual(
    items.filter(({ amount }) => amount !== 1n),
    [],
  );
  t.deepEqual(
    answered.filter((id) => !items.some((item) => item.id === id)),
    [],
  );
});
