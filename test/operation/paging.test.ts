import test from 'ava';
import fc from 'fast-check';
import { z } from 'zod';
import { pageOf, PageFields, ShortPageFields } from '../../src/operation/paging.js';
import { defineCollection } from '../../src/operation/ports/store.js';
import { openMemoryStore } from './fake-context.js';

fc.configureGlobal({ seed: 20_260_601 });

const notes = defineCollection({
  name: 'notes',
  schema: z.object({ id: z.string(), kind: z.string() }),
  indexes: { kind: ({ kind }) => kind },
});

const storeOf = async (count: number) => {
  const store = openMemoryStore([notes]);
  await store.transaction((writer) => {
    for (let number = 1; number <= count; number += 1) {
      writer.put(notes, { id: String(number), kind: number % 2 === 0 ? 'even' : 'odd' });
    }
  });
  return store;
};

const ids = (items: readonly { readonly id: string }[]): readonly number[] =>
  items.map(({ id }) => Number(id));

test('page › given a middle page › it has its items, newest first, and its figures', async (t) => {
  const { items, ...figures } = await pageOf(await storeOf(7), notes, {}, { page: 2, limit: 3 });
  t.deepEqual(ids(items), [4, 3, 2]);
  t.deepEqual(figures, {
    total: 7,
    page: 2,
    limit: 3,
    totalPages: 3,
    hasNextPage: true,
    hasPreviousPage: true,
  });
});

test('page › given the last page › there is no next one', async (t) => {
  const page = await pageOf(await storeOf(7), notes, {}, { page: 3, limit: 3 });
  t.deepEqual(ids(page.items), [1]);
  t.like(page, { hasNextPage: false, hasPreviousPage: true });
});

test('page › given nothing › it is one empty page of none', async (t) => {
  t.deepEqual(await pageOf(await storeOf(0), notes, {}, { page: 1, limit: 20 }), {
    items: [],
    total: 0,
    page: 1,
    limit: 20,
    totalPages: 0,
    hasNextPage: false,
    hasPreviousPage: false,
  });
});

for (const page of [4, Number.MAX_SAFE_INTEGER]) {
  test(`page › given page ${page}, behind the end › it is empty and there is no next one`, async (t) => {
    const { items, total, hasNextPage } = await pageOf(await storeOf(7), notes, {}, { page, limit: 3 });
    t.deepEqual({ items, total, hasNextPage }, { items: [], total: 7, hasNextPage: false });
  });
}

test('page › given a condition › its figures count what meets it', async (t) => {
  const page = await pageOf(await storeOf(7), notes, { where: { kind: 'even' } }, { page: 1, limit: 2 });
  t.deepEqual(ids(page.items), [6, 4]);
  t.like(page, { total: 3, totalPages: 2 });
});

test('page › property › all pages together are everything, once and in order', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 30 }), fc.integer({ min: 1, max: 12 }), async (count, limit) => {
      const store = await storeOf(count);
      const seen: number[] = [];
      for (let page = 1, more = true; more; page += 1) {
        const found = await pageOf(store, notes, {}, { page, limit });
        seen.push(...ids(found.items));
        more = found.hasNextPage;
      }
      t.deepEqual(
        seen,
        Array.from({ length: count }, (_, index) => count - index),
      );
    }),
    { numRuns: 50 },
  );
});

const fields = [
  ['list', z.object(PageFields), 100],
  ['short list', z.object(ShortPageFields), 20],
] as const;

for (const [name, schema, limit] of fields) {
  test(`page fields › given a ${name} and nothing said › it is page 1 of ${limit}`, (t) => {
    t.deepEqual(schema.parse({}), { page: 1, limit });
  });

  for (const bad of [{ page: 0 }, { page: 1.5 }, { limit: 0 }, { limit: 101 }, { page: '1' }]) {
    test(`page fields › given a ${name} and ${JSON.stringify(bad)} › it is refused`, (t) => {
      t.false(schema.safeParse(bad).success);
    });
  }

  test(`page fields › given a ${name} › its document says what limit and page mean`, (t) => {
    const { properties } = z.toJSONSchema(schema, { io: 'input' });
    t.like(properties, { page: { description: 'From 1' }, limit: { description: 'At most 100' } });
  });
}
