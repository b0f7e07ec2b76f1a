import test from 'ava';
import type { Row } from '../../../src/adapters/store/record-row.js';
import { createTable, findInTable, setEntry } from '../../../src/adapters/store/table.js';
import type { Query, StorePort } from '../../../src/operation/ports/store.js';
import { onEachStore, type Place } from './each-store.js';
import { idsOf, note, notes, type Note } from './notes.js';

const storeWith = async (place: Place, records: readonly Note[]): Promise<StorePort> => {
  const store = await place.open();
  await store.transaction((writer) => {
    for (const record of records) writer.put(notes, record);
  });
  return store;
};

const five = ['a', 'b', 'c', 'd', 'e'].map((id) => note(id));

onEachStore('find › by default › the last put comes first', async (t, place) => {
  const store = await storeWith(place, five);
  t.deepEqual(idsOf(await store.find(notes)), ['e', 'd', 'c', 'b', 'a']);
});

onEachStore('find › given order oldest › the first put comes first', async (t, place) => {
  const store = await storeWith(place, five);
  t.deepEqual(idsOf(await store.find(notes, { order: 'oldest' })), ['a', 'b', 'c', 'd', 'e']);
});

onEachStore('find › given offset and limit › it gives that part, and the total of all', async (t, place) => {
  const store = await storeWith(place, five);
  const page = await store.find(notes, { offset: 1, limit: 2 });
  t.deepEqual([idsOf(page), page.total], [['d', 'c'], 5]);
});

onEachStore(
  'find › given an offset past the end › the page is empty and the total is of all',
  async (t, place) => {
    const store = await storeWith(place, five);
    t.deepEqual(await store.find(notes, { offset: 5, limit: 2 }), { items: [], total: 5 });
  },
);

onEachStore('find › given limit 0 › it only counts', async (t, place) => {
  const store = await storeWith(place, five);
  t.deepEqual(await store.find(notes, { limit: 0 }), { items: [], total: 5 });
});

onEachStore('find › given a record that changed › it keeps the place of its first put', async (t, place) => {
  const store = await storeWith(place, five);
  await store.transaction((writer) => {
    writer.put(notes, note('b', { amount: 2n }));
  });
  t.deepEqual(idsOf(await store.find(notes)), ['e', 'd', 'c', 'b', 'a']);
});

onEachStore(
  'find › given an indexed value that went and came back › the record keeps its place under it',
  async (t, place) => {
    const store = await storeWith(place, five);
    for (const status of ['DONE', 'OPEN'] as const) {
      await store.transaction((writer) => {
        writer.put(notes, note('b', { status }));
      });
    }
    t.deepEqual(idsOf(await store.find(notes, { where: { status: 'OPEN' } })), ['e', 'd', 'c', 'b', 'a']);
  },
);

onEachStore('find › given a record that was removed and put again › it comes last', async (t, place) => {
  const store = await storeWith(place, five);
  await store.transaction((writer) => {
    writer.remove(notes, 'b');
    writer.put(notes, note('b'));
  });
  t.deepEqual(idsOf(await store.find(notes)), ['b', 'e', 'd', 'c', 'a']);
});

onEachStore('find › given a value of an index › it gives the records under it alone', async (t, place) => {
  const store = await storeWith(place, [
    note('a', { owner: 'x' }),
    note('b', { owner: 'y' }),
    note('c', { owner: 'x' }),
  ]);
  t.deepEqual(idsOf(await store.find(notes, { where: { owner: 'x' } })), ['c', 'a']);
});

onEachStore(
  'find › given a value that changed › the record is no more under the old one',
  async (t, place) => {
    const store = await storeWith(place, [note('a', { owner: 'x' })]);
    await store.transaction((writer) => {
      writer.put(notes, note('a', { owner: 'y' }));
    });
    t.deepEqual(
      [
        (await store.find(notes, { where: { owner: 'x' } })).total,
        (await store.find(notes, { where: { owner: 'y' } })).total,
      ],
      [0, 1],
    );
  },
);

onEachStore(
  'find › given an index of several values › the record stands once under each',
  async (t, place) => {
    const store = await storeWith(place, [note('a', { tags: ['red', 'blue', 'red'] })]);
    t.deepEqual(
      await Promise.all(
        ['red', 'blue', 'green'].map(async (tag) => idsOf(await store.find(notes, { where: { tag } }))),
      ),
      [['a'], ['a'], []],
    );
  },
);

onEachStore('find › given an index that answers null › the record stands under none', async (t, place) => {
  const store = await storeWith(place, [note('a')]);
  t.is((await store.find(notes, { where: { owner: 'undefined' } })).total, 0);
});

onEachStore('find › given several conditions › all of them must hold', async (t, place) => {
  const store = await storeWith(place, [
    note('a', { owner: 'x', status: 'DONE' }),
    note('b', { owner: 'x' }),
    note('c', { owner: 'y', status: 'DONE' }),
    note('d', { owner: 'x', status: 'DONE' }),
  ]);
  const page = await store.find(notes, { where: { owner: 'x', status: 'DONE' }, limit: 1 });
  t.deepEqual([idsOf(page), page.total], [['d'], 2]);
});

onEachStore('find › given a filter › page and total are of the records it lets through', async (t, place) => {
  const store = await storeWith(
    place,
    five.map((record, index) => ({ ...record, amount: BigInt(index) })),
  );
  const page = await store.find(notes, { filter: ({ amount }) => amount % 2n === 0n, offset: 1, limit: 1 });
  t.deepEqual([idsOf(page), page.total], [['c'], 3]);
});

/** A table of a thousand notes, and how often it has read one and looked at the keys of one. */
const countingTable = (ownerOf: (order: number) => string) => {
  const table = createTable('notes', ['status', 'owner']);
  const looks = { keys: 0, records: 0 };
  for (let order = 1; order <= 1_000; order += 1) {
    const id = `n${order}`;
    const keys = { status: ['OPEN'], owner: [ownerOf(order)] };
    const row: Row = { id, text: id, keys };
    setEntry(table, null, { id, order, row, base: null });
    Object.defineProperty(row, 'keys', { get: () => ((looks.keys += 1), keys) });
  }
  const find = (query: Query<unknown>) =>
    findInTable(table, notes, query, (source) => {
      const id = typeof source === 'string' ? source : source.id;
      looks.records += 1;
      return { id, text: id, keys: {}, record: note(id) };
    });
  return { find, looks };
};

test('find › given several conditions › only the records under the smallest index are looked at', (t) => {
  const { find, looks } = countingTable((order) => (order % 100 === 0 ? 'rare' : 'common'));
  t.is(find({ where: { status: 'OPEN', owner: 'rare' }, limit: 0 }).total, 10);
  t.deepEqual(looks, { keys: 10, records: 0 }, 'ten records, the other condition of each');
});

test('find › given one condition and no filter › no record is looked at to count and page them', (t) => {
  const { find, looks } = countingTable(() => 'x');
  t.is(find({ where: { status: 'OPEN' }, offset: 600, limit: 3 }).total, 1_000);
  t.deepEqual(looks, { keys: 0, records: 3 }, 'those of the page');
});

onEachStore('find › given an index that does not exist › it is refused', async (t, place) => {
  const store = await storeWith(place, five);
  // @ts-expect-error -- by its type, too
  await t.throwsAsync(() => store.find(notes, { where: { colour: 'red' } }), {
    message: /notes has no index "colour"/,
  });
});
