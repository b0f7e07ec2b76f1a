import fs from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { openJsonStore } from '../../../src/adapters/store/json-store.js';
import { defineCollection, type StoreWriter } from '../../../src/operation/ports/store.js';
import { idsOf, makeFolder, note, notes, openNotes } from './notes.js';

test('store › given an empty folder › there is nothing in it', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  t.is(store.get(notes, 'a'), null);
  t.deepEqual(store.find(notes), { items: [], total: 0 });
});

test('store › given a folder that is not there › it is made, and only its owner may read in it', async (t) => {
  const folder = path.join(makeFolder(t), 'deep', 'home');
  const store = await openNotes(t, folder);
  await store.transaction((writer) => {
    writer.put(notes, note('a'));
  });
  await store.fold();
  const modes = fs.readdirSync(folder).map((file) => fs.statSync(path.join(folder, file)).mode & 0o777);
  t.is(fs.statSync(folder).mode & 0o777, 0o700);
  t.deepEqual([...new Set(modes)], [0o600]);
});

test('transaction › it returns what the change returns', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  t.is(await store.transaction(() => 7), 7);
});

test('transaction › given a put › the record is read decoded', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  const big = 9_007_199_254_740_993n;
  await store.transaction((writer) => {
    writer.put(notes, note('a', { amount: big }));
  });
  t.is(store.get(notes, 'a')?.amount, big);
});

test('transaction › given a put › the journal holds the record encoded', async (t) => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder);
  await store.transaction((writer) => {
    writer.put(notes, note('a', { amount: 9_007_199_254_740_993n }));
  });
  t.regex(fs.readFileSync(path.join(folder, 'treasury.journal'), 'utf8'), /"amount":"9007199254740993"/);
});

test('transaction › inside the change › reads see what was put and removed before them', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  await store.transaction((writer) => {
    writer.put(notes, note('a'));
    writer.put(notes, note('b'));
    writer.remove(notes, 'a');
    t.is(writer.get(notes, 'a'), null);
    t.deepEqual(idsOf(writer.find(notes, { where: { status: 'OPEN' } })), ['b']);
  });
});

test('transaction › until it is on disk › reads outside do not see it', async (t) => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder);
  const ran: string[] = [];
  const written = store.transaction((writer) => {
    writer.put(notes, note('a'));
    ran.push('a');
  });
  while (ran.length === 0) await Promise.resolve();
  t.is(store.get(notes, 'a'), null);
  t.is(store.find(notes, { where: { status: 'OPEN' } }).total, 0);
  await store.refresh();
  t.is(store.get(notes, 'a'), null);
  await written;
  t.is(store.get(notes, 'a')?.id, 'a');
});

test('transaction › given records put by the caller › changing them later changes nothing in the store', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  const mine = note('a', { tags: ['one'] });
  await store.transaction((writer) => {
    writer.put(notes, mine);
  });
  mine.tags.push('two');
  t.deepEqual(store.get(notes, 'a')?.tags, ['one']);
});

test('store › a record that is read › is frozen to its depth', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  await store.transaction((writer) => {
    writer.put(notes, note('a', { tags: ['one'] }));
  });
  t.throws(() => store.get(notes, 'a')?.tags.push('two'), { instanceOf: TypeError });
});

test('transaction › given a change that throws › its error comes through and nothing of it happened', async (t) => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder);
  await store.transaction((writer) => {
    writer.put(notes, note('kept', { tags: ['x'] }));
    writer.next('label');
  });
  const before = fs.readFileSync(path.join(folder, 'treasury.journal'));
  const refused = store.transaction((writer) => {
    writer.put(notes, note('new'));
    writer.put(notes, note('kept', { status: 'DONE', tags: ['y'] }));
    writer.remove(notes, 'kept');
    writer.next('label');
    throw new Error('no');
  });
  await t.throwsAsync(refused, { message: 'no' });
  t.deepEqual(store.find(notes, { where: { tag: 'x', status: 'OPEN' } }).items, [
    note('kept', { tags: ['x'] }),
  ]);
  t.is(store.find(notes).total, 1);
  t.is(store.find(notes, { where: { tag: 'y' } }).total, 0);
  t.is(await store.transaction((writer) => writer.next('label')), 2);
  t.deepEqual(fs.readFileSync(path.join(folder, 'treasury.journal')).subarray(0, before.length), before);
});

test('transaction › given one that throws among others at the same time › the others happen', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  const put = (id: string, fails: boolean) =>
    store.transaction((writer) => {
      writer.put(notes, note(id));
      if (fails) throw new Error('no');
    });
  const results = await Promise.allSettled([put('a', false), put('b', true), put('c', false)]);
  t.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.deepEqual(idsOf(store.find(notes, { order: 'oldest' })), ['a', 'c']);
});

test('transaction › given many at the same time › each runs on what those before it left', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  const numbers = await Promise.all(
    Array.from({ length: 20 }, () => store.transaction((writer) => writer.next('label'))),
  );
  t.deepEqual(
    numbers,
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

test('transaction › given an asynchronous change › it is refused and nothing of it happened', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  const refused = store.transaction((writer) => {
    writer.put(notes, note('a'));
    return Promise.reject(new Error('unheard'));
  });
  await t.throwsAsync(refused, { instanceOf: TypeError, message: /must be synchronous/ });
  t.is(store.get(notes, 'a'), null);
});

test('transaction › given a writer used after its change › it refuses', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  const kept: StoreWriter[] = [];
  await store.transaction((writer) => kept.push(writer));
  t.throws(() => kept[0]?.put(notes, note('late')), { message: /is over/ });
  t.is(store.get(notes, 'late'), null);
});

test('transaction › given a record that does not validate › an ordinary error names collection, id and issue', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  const refused = store.transaction((writer) => {
    writer.put(notes, note('a', { status: 'LOST' as 'OPEN' }));
  });
  await t.throwsAsync(refused, { name: 'Error', message: /^notes "a" cannot be stored: status: / });
  t.is(store.get(notes, 'a'), null);
});

test('store › given a collection that was not declared › what stands on disk of it is found, in order and by its indexes', async (t) => {
  const folder = makeFolder(t);
  const first = await openNotes(t, folder);
  await first.transaction((writer) => {
    for (const id of ['a', 'b', 'c']) writer.put(notes, note(id, { amount: 9_007_199_254_740_993n }));
    writer.put(notes, note('b', { status: 'DONE' }));
  });
  await first.close();

  const store = await openJsonStore({ folder, collections: [] });
  t.teardown(store.close);
  t.is(store.get(notes, 'a')?.amount, 9_007_199_254_740_993n);
  t.deepEqual(idsOf(store.find(notes, { order: 'oldest' })), ['a', 'b', 'c']);
  t.deepEqual(idsOf(store.find(notes, { where: { status: 'DONE' } })), ['b']);
});

test('store › given a collection that was not declared › it is written as any other, and survives a fold', async (t) => {
  const folder = makeFolder(t);
  const store = await openJsonStore({ folder, collections: [] });
  await store.transaction((writer) => {
    writer.put(notes, note('a'));
  });
  await store.close();
  t.deepEqual(idsOf((await openNotes(t, folder)).find(notes)), ['a']);
});

test('store › given a bad record of a collection that was not declared › other collections are read, and it is store_damaged when it is asked for', async (t) => {
  const folder = makeFolder(t);
  const first = await openNotes(t, folder);
  await first.transaction((writer) => {
    writer.put(notes, note('a'));
  });
  await first.close();
  // As a program without today's schema could have written it.
  const loose = defineCollection({
    name: notes.name,
    schema: z.looseObject({ id: z.string() }),
    indexes: {},
  });
  const careless = await openJsonStore({ folder, collections: [loose] });
  await careless.transaction((writer) => {
    writer.put(loose, { id: 'b', status: 'LOST' });
  });
  await careless.close();

  const other = defineCollection({ name: 'other', schema: z.object({ id: z.string() }), indexes: {} });
  const store = await openJsonStore({ folder, collections: [] });
  t.teardown(store.close);
  t.is(store.get(other, 'a'), null);
  t.throws(() => store.get(notes, 'a'), { code: 'store_damaged', message: /notes "b"/ });
});

test('counters › they begin at 1 and each has its own numbers', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  const drawn = await store.transaction((writer) => [writer.next('a'), writer.next('a'), writer.next('b')]);
  t.deepEqual(drawn, [1, 2, 1]);
});

for (const fold of [true, false]) {
  const how = fold ? 'closed' : 'left without closing';

  test(`store › given one ${how} › the next holds the same records, order and counters`, async (t) => {
    const folder = makeFolder(t);
    const first = await openNotes(t, folder);
    await first.transaction((writer) => {
      for (const id of ['c', 'a', 'b']) writer.put(notes, note(id, { amount: 10n ** 20n }));
      writer.next('label');
    });
    await first.transaction((writer) => {
      writer.put(notes, note('c', { status: 'DONE' }));
      writer.remove(notes, 'b');
    });
    if (fold) await first.close();
    const second = await openNotes(t, folder);
    t.deepEqual(second.find(notes, { order: 'oldest' }).items, [
      note('c', { status: 'DONE' }),
      note('a', { amount: 10n ** 20n }),
    ]);
    t.is(await second.transaction((writer) => writer.next('label')), 2);
  });
}

test('store › close › given commits › all of them are in the snapshot', async (t) => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder);
  await store.transaction((writer) => {
    writer.put(notes, note('a'));
  });
  await store.close();
  fs.rmSync(path.join(folder, 'treasury.journal'));
  t.is((await openNotes(t, folder)).get(notes, 'a')?.id, 'a');
});

test('store › close › given transactions that still run › they are on disk', async (t) => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder);
  const running = store.transaction((writer) => {
    writer.put(notes, note('a'));
  });
  await store.close();
  await running;
  t.is((await openNotes(t, folder)).get(notes, 'a')?.id, 'a');
});

test('store › after close › transactions are refused', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  await store.close();
  await t.throwsAsync(
    store.transaction(() => 1),
    { message: /is closed/ },
  );
});

test('store › given a process that only read › close leaves the files alone', async (t) => {
  const folder = makeFolder(t);
  const first = await openNotes(t, folder);
  await first.transaction((writer) => {
    writer.put(notes, note('a'));
  });
  const files = () =>
    ['treasury.json', 'treasury.journal'].map((file) => {
      const { ino, mtimeNs } = fs.statSync(path.join(folder, file), { bigint: true });
      return { ino, mtimeNs };
    });
  const before = files();
  const second = await openJsonStore({ folder, collections: [notes] });
  await second.close();
  t.deepEqual(files(), before);
});

test('store › given a journal past its limit › it is folded into the snapshot', async (t) => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder, { foldAfterBytes: 1_000 });
  for (let index = 0; index < 40; index += 1) {
    await store.transaction((writer) => {
      writer.put(notes, note('same', { amount: BigInt(index) }));
    });
  }
  await store.transaction(() => null);
  t.true(fs.statSync(path.join(folder, 'treasury.journal')).size < 1_300);
  t.is((await openNotes(t, folder)).get(notes, 'same')?.amount, 39n);
});

test('store › given a collection that this version does not know › it is kept', async (t) => {
  const folder = makeFolder(t);
  const other = defineCollection({
    name: 'other',
    schema: z.object({ id: z.string(), text: z.string() }),
    indexes: {},
  });
  const newer = await openJsonStore({ folder, collections: [notes, other] });
  await newer.transaction((writer) => {
    writer.put(other, { id: 'x', text: 'kept' });
  });
  await newer.close();
  const older = await openNotes(t, folder);
  await older.transaction((writer) => {
    writer.put(notes, note('a'));
  });
  await older.close();
  const again = await openJsonStore({ folder, collections: [notes, other] });
  t.deepEqual(again.get(other, 'x'), { id: 'x', text: 'kept' });
  await again.close();
});

test('store › given a fold that fails › the commit stands and the failure is told', async (t) => {
  const folder = makeFolder(t);
  const failures: unknown[] = [];
  const store = await openNotes(t, folder, {
    foldAfterBytes: 10,
    onFoldFailure: (error) => failures.push(error),
  });
  fs.mkdirSync(path.join(folder, 'treasury.json.next'));
  for (const id of ['a', 'b']) {
    await store.transaction((writer) => {
      writer.put(notes, note(id));
    });
  }
  await store.close();
  fs.rmSync(path.join(folder, 'treasury.json.next'), { recursive: true });
  t.true(failures.length > 0);
  t.deepEqual(idsOf((await openNotes(t, folder)).find(notes)), ['b', 'a']);
});
