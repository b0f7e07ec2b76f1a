/** What `treasury database` does: tables, copies, checks, and how a URL is read. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { openDatabase } from '../../../src/adapters/postgres/database.js';
import { readDatabaseUrl } from '../../../src/adapters/postgres/database-url.js';
import { openPostgresStore } from '../../../src/adapters/postgres/postgres-store.js';
import { openJsonStore } from '../../../src/adapters/store/json-store.js';
import type { StorePort } from '../../../src/operation/ports/store.js';
import { makeSchema, onPostgres } from '../store/each-store.js';
import { append, entriesOf, events } from '../store/events.js';
import { makeFolder, note, notes } from '../store/notes.js';
import { runSql } from '../../postgres/server.js';

const KINDS = { collections: [notes], logs: [events] };

onPostgres(
  'migrate › done again › makes nothing, and an index of another revision is worked out for what is there',
  async (t) => {
    const place = await makeSchema();
    const tools = openDatabase({ ...place, ...KINDS, connections: 2 });
    t.teardown(tools.close);
    t.deepEqual((await tools.migrate()).made, []);
    t.like(await tools.status(), { version: 1, expected: 1, missing: [] });
    const store = await openPostgresStore({ ...place, connections: 4 });
    t.teardown(() => store.close());
    await store.transaction((writer) => {
      writer.put(notes, note('a', { owner: 'x', tags: ['red'] }));
    });
    const shouting = {
      ...notes,
      revision: 2,
      indexes: {
        ...notes.indexes,
        owner: ({ owner }: { readonly owner?: string | undefined }) => owner?.toUpperCase() ?? null,
        tag: ({ tags }: { readonly tags: readonly string[] }) => tags.map((tag) => tag.toUpperCase()),
      },
    };
    const newer = openDatabase({ ...place, connections: 2, collections: [shouting], logs: [events] });
    t.teardown(newer.close);
    t.true((await newer.status()).missing.length > 0);
    await newer.migrate();
    t.is((await store.find(shouting, { where: { owner: 'X', tag: 'RED' } })).total, 1);
    t.is(
      (await store.find(notes, { where: { owner: 'x', tag: 'red' } })).total,
      1,
      'who knows the one before reads on',
    );
    t.deepEqual((await newer.check()).faults, []);
  },
);

onPostgres(
  'check › given columns, tables beside them and a log that say otherwise › each is named',
  async (t) => {
    const place = await makeSchema();
    const tools = openDatabase({ ...place, ...KINDS, connections: 2 });
    t.teardown(tools.close);
    const store = await openPostgresStore({ ...place, connections: 4 });
    t.teardown(() => store.close());
    await store.transaction((writer) => {
      for (const id of ['a', 'b', 'c', 'd'])
        writer.put(notes, note(id, { owner: id, tags: [`tag of ${id}`], label: `label of ${id}` }));
    });
    await append(store, 'e1', 'e2', 'e3');
    await entriesOf(store);
    t.deepEqual(await tools.check(), { records: 4, entries: 3, faults: [] });
    const { schema } = place;
    for (const text of [
      `update ${schema}.notes set i_owner = 'somebody' where id = 'a'`,
      `delete from ${schema}.notes__tag where id = 'b'`,
      `delete from ${schema}.notes where id = 'c'`,
      `update ${schema}.notes set doc = jsonb_set(doc, '{status}', '"LOST"') where id = 'd'`,
      `delete from ${schema}.events_log where sequence = 2`,
    ])
      await runSql(place.url, text);
    const { faults } = await tools.check();
    const all = faults.join('\n');
    for (const words of [
      /notes "a" is found by owner "somebody", and its document says "a"/,
      /notes: tag lacks .*"b"/,
      /notes: tag "tag of c" leads to "c", which is not there/,
      /notes "d" does not read: status/,
      /events: after 1 comes 3/,
    ])
      t.regex(all, words);
    t.is(faults.length, 5, all);
  },
);

onPostgres(
  'copy › from a home and back › both hold the same, and a side that holds anything is left alone',
  async (t) => {
    const place = await makeSchema();
    const tools = openDatabase({ ...place, ...KINDS, connections: 3 });
    t.teardown(tools.close);
    const from = makeFolder(t);
    const home = await openJsonStore({ folder: from, collections: [notes] });
    await home.transaction(async (writer) => {
      for (let index = 0; index < 1_203; index += 1)
        writer.put(
          notes,
          note(`n${1_203 - index}`, { amount: 10n ** 20n, owner: `o${index % 7}`, tags: ['x', `y${index}`] }),
        );
      await writer.next('label', 41);
      await writer.next('other \0 one');
    });
    await home.transaction((writer) => {
      writer.remove(notes, 'n7');
      writer.put(notes, note('n9', { status: 'DONE', label: 'one' }));
    });
    for (const id of ['a', 'b', 'c']) await append(home, id);
    await home.close();
    t.deepEqual(await tools.copy('from', from), { records: 1_202, entries: 3, counters: 2 });
    t.deepEqual((await tools.check()).faults, []);
    await t.throwsAsync(tools.copy('from', from), { code: 'copy_target_used' });

    const store = await openPostgresStore({ ...place, connections: 4 });
    t.teardown(() => store.close());
    await append(store, 'd');
    t.deepEqual(await entriesOf(store), ['1 a', '2 b', '3 c', '4 d']);
    t.is(await store.transaction((writer) => writer.next('label')), 42);

    const back = makeFolder(t);
    t.deepEqual(await tools.copy('to', back), { records: 1_202, entries: 4, counters: 2 });
    const again = await openJsonStore({ folder: back, collections: [notes] });
    t.teardown(() => again.close());
    t.deepEqual(
      (await again.find(notes, { order: 'oldest' })).items,
      (await store.find(notes, { order: 'oldest' })).items,
    );
    t.is(await again.transaction((writer) => writer.next('label')), 43);
  },
);

onPostgres(
  'copy › given a home with what this version does not know › it is refused, and nothing is copied',
  async (t) => {
    const place = await makeSchema();
    const other = { ...notes, name: 'others' };
    const folder = makeFolder(t);
    const home = await openJsonStore({ folder, collections: [notes, other] });
    await home.transaction((writer) => {
      writer.put(other, note('a'));
    });
    await home.close();
    const tools = openDatabase({ ...place, ...KINDS, connections: 3 });
    t.teardown(tools.close);
    await t.throwsAsync(tools.copy('from', folder), { code: 'copy_differs', message: /others/ });
  },
);

onPostgres(
  'copy › given a home of before, whose keeper had a lease of its own › all that is worth keeping is copied',
  async (t) => {
    const place = await makeSchema();
    const earlier = { ...notes, name: 'keeper_leases' };
    const folder = makeFolder(t);
    const home = await openJsonStore({ folder, collections: [notes, earlier] });
    await home.transaction((writer) => {
      writer.put(notes, note('a'));
      writer.put(earlier, note('keeper'));
    });
    await home.close();
    const tools = openDatabase({ ...place, ...KINDS, connections: 3 });
    t.teardown(tools.close);
    t.like(await tools.copy('from', folder), { records: 1 });
  },
);

onPostgres(
  'copy › given one that was stopped half-way › the error says how what it left is removed, and then it goes on',
  async (t) => {
    const place = await makeSchema();
    const tools = openDatabase({ ...place, ...KINDS, connections: 3 });
    t.teardown(tools.close);
    const folder = makeFolder(t);
    const home = await openJsonStore({ folder, collections: [notes] });
    await home.transaction((writer) => {
      for (const id of ['a', 'b']) writer.put(notes, note(id));
    });
    await home.close();
    const store = await openPostgresStore({ ...place, connections: 2 });
    await store.transaction((writer) => {
      writer.put(notes, note('a'));
    });
    await store.close();
    const { message } = await t.throwsAsync(tools.copy('from', folder), { code: 'copy_target_used' });
    const [, command = ''] = /`(drop schema .*? cascade)`/.exec(message) ?? [];
    t.regex(message, /treasury database migrate/);
    await runSql(place.url, command);
    await tools.migrate();
    t.like(await tools.copy('from', folder), { records: 2 });
    await t.throwsAsync(tools.copy('to', folder), {
      code: 'copy_target_used',
      message: /put treasury\.json, treasury\.journal and events\/ of .* away/,
    });
    for (const name of ['treasury.json', 'treasury.journal', 'events'])
      fs.rmSync(path.join(folder, name), { recursive: true, force: true });
    t.like(await tools.copy('to', folder), { records: 2 });
  },
);

onPostgres('copy › given somebody at work where it copies from › it is refused, and says who', async (t) => {
  const place = await makeSchema();
  const [busy, folder] = [{ home: true, database: true }, makeFolder(t)];
  const atWork = ({ isShared }: StorePort) =>
    Promise.resolve((isShared ? busy.database : busy.home) ? ['a daemon (process 12)'] : []);
  const tools = openDatabase({ ...place, ...KINDS, connections: 3, atWork });
  t.teardown(tools.close);
  const refused = { code: 'store_in_use', message: /a daemon \(process 12\)/ };
  await t.throwsAsync(tools.copy('from', folder), refused);
  await t.throwsAsync(tools.copy('to', folder), refused);
  busy.home = false;
  t.like(await tools.copy('from', folder), { records: 0 });
  busy.database = false;
  t.like(await tools.copy('to', folder), { records: 0 });
});

test('URL › beyond this machine › TLS with verification, unless it says otherwise', (t) => {
  t.like(readDatabaseUrl('postgres://me:p%40ss@db.example.org/treasury'), {
    host: 'db.example.org',
    port: 5432,
    user: 'me',
    password: 'p@ss',
    database: 'treasury',
    ssl: { rejectUnauthorized: true },
    shown: 'postgres://db.example.org:5432/treasury',
  });
  for (const url of [
    'postgres://me@localhost/t',
    'postgres://me@[::1]/t',
    'postgres://me@127.0.0.1:1/t',
    'postgres://me@db.example.org/t?sslmode=disable',
    'postgresql://me@x/t?host=/run/postgresql',
  ])
    t.false(readDatabaseUrl(url).ssl);
});

test('URL › given one that cannot be used › it says what was expected, and shows nothing of it', (t) => {
  for (const url of [
    'http://me:hidden@x/t',
    'postgres://me:hidden@x',
    'postgres://:hidden@x/t',
    'postgres://me:hidden@x/t?sslmode=prefer',
    'postgres://me:hidden@x/t?sslrootcert=/no/such/file',
    'postgres://me:hidden@x/t?options=-csearch_path',
    'postgres://me:hid%den@x/t',
    'postgres://me%:hidden@x/t',
    // The password is 12?hidden.
    'postgres://me:12?hidden@x/t',
  ]) {
    const error = t.throws(() => readDatabaseUrl(url), { code: 'invalid_setting' });
    t.false(JSON.stringify([error.message, error]).includes('hidden'), url);
  }
});

test('layout › of what this version keeps › is the one that is written down for its version', async (t) => {
  const [{ collections }, { eventLog }, layout] = await Promise.all([
    import('../../../src/collections.js'),
    import('../../../src/record/event-log.js'),
    import('../../../src/adapters/postgres/layout.js'),
  ]);
  const space = layout.namespaceOf('s');
  const parts = [
    ...collections.flatMap((collection) => layout.partsOf(space, collection)),
    layout.partOfLog(space, eventLog),
  ].map(({ name }) => name);
  const file = path.resolve('fixtures/database-layout.json');
  const written = { version: layout.DATABASE_VERSION, parts: parts.sort() };
  if (process.env['WRITE_LAYOUT'] === '1') fs.writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
  t.deepEqual(
    JSON.parse(fs.readFileSync(file, 'utf8')),
    written,
    'the tables are others: once released, raise DATABASE_VERSION (and OLDEST_WRITER where a program before may not write); then WRITE_LAYOUT=1',
  );
});

test('indexes › of every collection › those under many values are declared', async (t) => {
  const { collections } = await import('../../../src/collections.js');
  const HOME = new URL('../../../fixtures/home-0.1.0/local', import.meta.url).pathname;
  const folder = makeFolder(t);
  execFileSync('cp', ['-r', `${HOME}/.`, folder]);
  const home = await openJsonStore({ folder, collections });
  t.teardown(() => home.close());
  for (const collection of collections)
    for (const name of collection.many ?? [])
      t.true(name in collection.indexes, `${collection.name} ${name}`);
  for (const collection of collections) {
    for (const record of (await home.find(collection)).items)
      for (const [index, valuesOf] of Object.entries(collection.indexes)) {
        const values = new Set([valuesOf(record) ?? []].flat());
        t.true(values.size < 2 || collection.many?.includes(index), `${collection.name} ${index}`);
      }
  }
});
