/** How a change on PostgreSQL writes: few statements, none of which touches a table twice, and what they come to. */
import test, { type ExecutionContext } from 'ava';
import { namespaceOf } from '../../../src/adapters/postgres/layout.js';
import { openPostgresStore } from '../../../src/adapters/postgres/postgres-store.js';
import {
  appendEntries,
  insertRecord,
  pack,
  removeRecord,
  updateRecord,
  upsertRecord,
  type Packed,
} from '../../../src/adapters/postgres/writes.js';
import { TreasuryError } from '../../../src/errors.js';
import type { StorePort } from '../../../src/operation/ports/store.js';
import { runSql } from '../../postgres/server.js';
import { makeSchema, onPostgres } from '../store/each-store.js';
import { append, entriesOf, events, numbered } from '../store/events.js';
import { idsOf, note, notes } from '../store/notes.js';

const space = namespaceOf('treasury_test');
const layout = space.tableOf(notes);
const written = (id: string, tags: readonly string[]) => ({
  id,
  position: `at ${id}`,
  json: '{}',
  keys: new Map([
    ['status', ['OPEN']],
    ['tag', tags],
  ]),
});

/** The tables that a statement changes, each as often as it does. */
const changedBy = ({ text }: Packed): readonly string[] =>
  [...text.matchAll(/(?:insert into|update|delete from) "treasury_test"\."(\w+)"/g)].map(
    ([, table = '']) => table,
  );

test('pack › writes of different tables › are one statement', (t) => {
  const [one, ...others] = pack([
    ...appendEntries(space, events, [
      { position: '1', json: '{}' },
      { position: '2', json: '{}' },
    ]),
    insertRecord(layout, written('a', ['x', 'y'])),
  ]);
  t.deepEqual(others, []);
  t.deepEqual(one === undefined ? [] : changedBy(one).toSorted(), ['events_log', 'notes', 'notes__tag']);
});

test('pack › whatever is written › no statement changes a table twice, and the order of each table stays', (t) => {
  const before = written('b', ['x', 'y']).keys;
  const all = pack([
    insertRecord(layout, written('a', ['x'])),
    ...updateRecord(layout, written('b', ['y', 'z']), before),
    upsertRecord(layout, written('c', ['x'])),
    upsertRecord(layout, written('d', [])),
    ...removeRecord(layout, 'e'),
    ...appendEntries(space, events, [{ position: '1', json: '{}' }]),
  ]);
  for (const packed of [...all, ...pack(all.flatMap(({ ifThere }) => ifThere))]) {
    const tables = changedBy(packed);
    t.deepEqual(tables, [...new Set(tables)], packed.text);
  }
  const ofNotes = all.map(
    ({ text }) => /(insert into|update|delete from) "treasury_test"\."notes"/.exec(text)?.[1],
  );
  t.deepEqual(
    ofNotes.filter((one) => one !== undefined),
    ['insert into', 'update', 'insert into', 'insert into', 'delete from'],
  );
});

test('update › given what a record stood under › only what differs is written', (t) => {
  const before = written('a', ['x', 'y']).keys;
  const same = pack(updateRecord(layout, written('a', ['y', 'x']), before));
  t.deepEqual(same.map(changedBy), [['notes']]);
  t.notRegex(same[0]?.text ?? '', /i_status|i_owner|i_label/);
});

const open = async (
  t: ExecutionContext,
  place: Awaited<ReturnType<typeof makeSchema>>,
): Promise<StorePort> => {
  const store = await openPostgresStore({ ...place, connections: 4 });
  t.teardown(() => store.close());
  return store;
};

onPostgres(
  'put › given a record that is there and was not looked at › it stands under its new values alone, in the same change too',
  async (t) => {
    const store = await open(t, await makeSchema());
    await store.transaction((writer) => {
      writer.put(notes, note('a', { tags: ['x', 'y'], owner: 'me' }));
      writer.put(notes, note('b', { tags: ['x'] }));
    });
    const byTag = async (reader: Pick<StorePort, 'find'>, tag: string) =>
      idsOf(await reader.find(notes, { where: { tag }, order: 'oldest' }));
    await store.transaction(async (writer) => {
      writer.put(notes, note('a', { tags: ['y', 'z'] }));
      const found = await Promise.all(['x', 'y', 'z'].map((tag) => byTag(writer, tag)));
      t.deepEqual(found, [['b'], ['a'], ['a']]);
      writer.put(notes, note('a', { tags: ['x'] }));
      writer.append(events, { id: 'e1' });
    });
    t.deepEqual(await Promise.all(['x', 'y', 'z'].map((tag) => byTag(store, tag))), [['a', 'b'], [], []]);
    t.deepEqual(idsOf(await store.find(notes, { where: { owner: 'me' } })), []);
    t.deepEqual(await entriesOf(store), ['1 e1']);
  },
);

onPostgres(
  'transactions › given a record that one finds missing while another puts it unseen › the one is run again',
  async (t) => {
    const place = await makeSchema();
    const [one, other] = [await open(t, place), await open(t, place)];
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      let runs = 0;
      await one.transaction(async (writer) => {
        runs += 1;
        const before = await writer.get(notes, id);
        if (runs === 1)
          await other.transaction((its) => {
            its.put(notes, note(id, { amount: 10n }));
          });
        writer.put(notes, note(id, { amount: (before?.amount ?? 0n) + 1n }));
      });
      t.is(runs, 2);
      t.is((await one.get(notes, id))?.amount, 11n);
    }
  },
);

onPostgres('append › given more entries than one statement takes › they keep their order', async (t) => {
  const store = await open(t, await makeSchema());
  await append(store, ...numbered(1, 250).map((one) => one.replace(/^\d+ /, '')));
  t.deepEqual(await entriesOf(store), numbered(1, 250));
});

onPostgres(
  'get › given records that are asked for at once › each is answered by itself: found, missing and damaged',
  async (t) => {
    const place = await makeSchema();
    const store = await open(t, place);
    await store.transaction((writer) => {
      for (const id of ['a', 'b', 'c\0']) writer.put(notes, note(id));
    });
    await runSql(place.url, `update ${place.schema}.notes set doc = doc || '{"amount": 5}' where id = 'b'`);
    const asked = ['a', 'b', 'c\0', 'none'].map((id) => store.get(notes, id));
    const [a, b, c, none] = await Promise.allSettled(asked);
    t.like(a, { value: note('a') });
    t.like(c, { value: note('c\0') });
    t.like(none, { status: 'fulfilled', value: null });
    t.true(
      b?.status === 'rejected' && b.reason instanceof TreasuryError && b.reason.code === 'store_damaged',
    );
  },
);

onPostgres(
  'get › however often records were read › one that is damaged later is found to be so, and one that is changed is read anew',
  async (t) => {
    const place = await makeSchema();
    const store = await open(t, place);
    await store.transaction((writer) => {
      for (let index = 0; index < 150; index += 1) writer.put(notes, note(`n${index}`, { tags: ['all'] }));
    });
    for (let turn = 0; turn < 4; turn += 1)
      t.is((await store.find(notes, { where: { tag: 'all' } })).items.length, 150);
    await runSql(place.url, `update ${place.schema}.notes set doc = doc || '{"amount": 5}' where id = 'n7'`);
    await runSql(
      place.url,
      `update ${place.schema}.notes set doc = doc || '{"amount": "5"}' where id = 'n8'`,
    );
    await t.throwsAsync(store.find(notes), { code: 'store_damaged', message: /"n7" \(amount: / });
    t.is((await store.get(notes, 'n8'))?.amount, 5n);
    t.true(Object.isFrozen(await store.get(notes, 'n9')));
  },
);
