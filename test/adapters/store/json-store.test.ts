import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { openJsonStore } from '../../../src/adapters/store/json-store.js';
import { defineCollection } from '../../../src/operation/ports/store.js';
import { idsOf, makeFolder, note, notes, openNotes } from './notes.js';

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

test('transaction › given a put › the journal holds the record encoded', async (t) => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder);
  await store.transaction((writer) => {
    writer.put(notes, note('a', { amount: 9_007_199_254_740_993n }));
  });
  t.regex(fs.readFileSync(path.join(folder, 'treasury.journal'), 'utf8'), /"amount":"9007199254740993"/);
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
  t.is(await store.get(notes, 'a'), null);
  t.is((await store.find(notes, { where: { status: 'OPEN' } })).total, 0);
  await store.refresh();
  t.is(await store.get(notes, 'a'), null);
  await written;
  t.is((await store.get(notes, 'a'))?.id, 'a');
});

test('transaction › given a change that throws › its error comes through and nothing of it happened', async (t) => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder);
  await store.transaction(async (writer) => {
    writer.put(notes, note('kept', { tags: ['x'] }));
    await writer.next('label');
  });
  const before = fs.readFileSync(path.join(folder, 'treasury.journal'));
  const refused = store.transaction(async (writer) => {
    writer.put(notes, note('new'));
    writer.put(notes, note('kept', { status: 'DONE', tags: ['y'] }));
    writer.remove(notes, 'kept');
    await writer.next('label');
    throw new Error('no');
  });
  await t.throwsAsync(refused, { message: 'no' });
  t.deepEqual((await store.find(notes, { where: { tag: 'x', status: 'OPEN' } })).items, [
    note('kept', { tags: ['x'] }),
  ]);
  t.is((await store.find(notes)).total, 1);
  t.is((await store.find(notes, { where: { tag: 'y' } })).total, 0);
  t.is(await store.transaction((writer) => writer.next('label')), 2);
  t.deepEqual(fs.readFileSync(path.join(folder, 'treasury.journal')).subarray(0, before.length), before);
});

test('transaction › given a change that awaits something else than its writer › it is refused and nothing of it happened', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  const others: (() => Promise<unknown>)[] = [
    () => new Promise((resolve) => setTimeout(resolve, 20)),
    () => fs.promises.stat(os.tmpdir()),
    () => new Promise(() => undefined),
    () => store.get(notes, 'a'),
  ];
  for (const other of others) {
    const refused = store.transaction(async (writer) => {
      writer.put(notes, note('a'));
      await writer.get(notes, 'a');
      await other();
      writer.put(notes, note('b'));
    });
    await t.throwsAsync(refused, { message: /awaits something else/ });
    t.is((await store.find(notes)).total, 0);
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.is((await store.find(notes)).total, 0, 'nor later');
  await store.transaction((writer) => {
    writer.put(notes, note('c'));
  });
  t.deepEqual(idsOf(await store.find(notes)), ['c']);
});

test('transaction › given a change that rests › others have their turn, no other change comes between, and reads wait', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 0);
  t.teardown(() => {
    clearInterval(counting);
  });
  const seen: number[] = [];
  const resting = store.transaction(async (writer) => {
    for (let index = 0; index < 20; index += 1) {
      writer.put(notes, note(`long ${index}`));
      await writer.rest();
      seen.push((await writer.find(notes)).total);
    }
  });
  const next = store.transaction(async (writer) => {
    seen.push((await writer.find(notes)).total);
    writer.put(notes, note('next'));
  });
  while (seen.length < 5) await new Promise((resolve) => setImmediate(resolve));
  await store.refresh();
  t.true([0, 20, 21].includes((await store.find(notes)).total));
  await Promise.all([resting, next]);
  t.true(turns > 0);
  t.deepEqual(seen, [...Array.from({ length: 20 }, (_, index) => index + 1), 20]);
});

test('transaction › given a change that rests, and then awaits something else › it is refused and nothing of it happened', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  const refused = store.transaction(async (writer) => {
    writer.put(notes, note('a'));
    await writer.rest();
    await new Promise((resolve) => setTimeout(resolve, 20));
    writer.put(notes, note('b'));
  });
  await t.throwsAsync(refused, { message: /awaits something else/ });
  t.is((await store.find(notes)).total, 0);
});

test('transaction › given reads while it runs › they see what is on disk, and never a part of it', async (t) => {
  const store = await openNotes(t, makeFolder(t));
  await store.transaction((writer) => {
    writer.put(notes, note('before'));
  });
  const seen: string[] = [];
  let isOver = false;
  const changing = store.transaction(async (writer) => {
    for (let index = 0; index < 50; index += 1) {
      writer.put(notes, note(`n${index}`));
      t.is((await writer.find(notes)).total, index + 2, 'it sees its own');
    }
  });
  const reading = async (): Promise<void> => {
    while (!isOver) {
      seen.push(String((await store.find(notes)).total));
      await new Promise((resolve) => setImmediate(resolve));
      for (let turn = 0; turn < 20; turn += 1) {
        await Promise.resolve();
        seen.push(String((await store.find(notes)).total));
        seen.push((await store.get(notes, 'n0')) === null ? '1' : '51');
      }
    }
  };
  const readers = [reading(), reading()];
  await changing;
  isOver = true;
  await Promise.all(readers);
  t.deepEqual([...new Set(seen)].sort(), ['1', '51']);
});

test('transaction › given a store that runs changes twice › what is no function of what it reads is refused', async (t) => {
  const store = await openNotes(t, makeFolder(t), { runsTwice: true });
  const outside = { runs: 0 };
  const refused = store.transaction((writer) => {
    outside.runs += 1;
    writer.put(notes, note('a', { amount: BigInt(outside.runs) }));
  });
  await t.throwsAsync(refused, { message: /wrote something else when it was run again/ });
  t.is(await store.get(notes, 'a'), null);
  const number = await store.transaction(async (writer) => {
    outside.runs += 1;
    const next = await writer.next('label');
    writer.put(notes, note(`n${next}`, { amount: BigInt((await writer.find(notes)).total) }));
    return next;
  });
  t.deepEqual([number, outside.runs], [1, 4], 'what the first run did is undone');
  t.is((await store.get(notes, 'n1'))?.amount, 0n);
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
  t.is((await store.get(notes, 'a'))?.amount, 9_007_199_254_740_993n);
  t.deepEqual(idsOf(await store.find(notes, { order: 'oldest' })), ['a', 'b', 'c']);
  t.deepEqual(idsOf(await store.find(notes, { where: { status: 'DONE' } })), ['b']);
});

test('store › given a collection that was not declared › it is written as any other, and survives a fold', async (t) => {
  const folder = makeFolder(t);
  const store = await openJsonStore({ folder, collections: [] });
  await store.transaction((writer) => {
    writer.put(notes, note('a'));
  });
  await store.close();
  t.deepEqual(idsOf(await (await openNotes(t, folder)).find(notes)), ['a']);
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
  t.is(await store.get(other, 'a'), null);
  await t.throwsAsync(() => store.get(notes, 'a'), { code: 'store_damaged', message: /notes "b"/ });
});

test('store › given a collection by its name alone, before it is declared › its records are read as they stand, and it is declared later', async (t) => {
  const folder = makeFolder(t);
  const first = await openNotes(t, folder);
  await first.transaction((writer) => {
    writer.put(notes, note('a', { amount: 7n }));
  });
  const store = await openJsonStore({ folder, collections: [] });
  t.teardown(store.close);
  const named = { name: notes.name, indexes: {} } as unknown as typeof notes;
  t.deepEqual({ ...(await store.get(named, 'a')) } as unknown, {
    id: 'a',
    status: 'OPEN',
    amount: '7',
    tags: [],
  });
  t.is((await store.get(notes, 'a'))?.amount, 7n);
  t.is((await store.find(notes, { where: { status: 'OPEN' } })).total, 1);
});

for (const fold of [true, false]) {
  const how = fold ? 'closed' : 'left without closing';

  test(`store › given one ${how} › the next holds the same records, order and counters`, async (t) => {
    const folder = makeFolder(t);
    const first = await openNotes(t, folder);
    await first.transaction(async (writer) => {
      for (const id of ['c', 'a', 'b']) writer.put(notes, note(id, { amount: 10n ** 20n }));
      await writer.next('label');
    });
    await first.transaction((writer) => {
      writer.put(notes, note('c', { status: 'DONE' }));
      writer.remove(notes, 'b');
    });
    if (fold) await first.close();
    const second = await openNotes(t, folder);
    t.deepEqual((await second.find(notes, { order: 'oldest' })).items, [
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
  t.is((await (await openNotes(t, folder)).get(notes, 'a'))?.id, 'a');
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
  t.is((await (await openNotes(t, folder)).get(notes, 'same'))?.amount, 39n);
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
  t.deepEqual(await again.get(other, 'x'), { id: 'x', text: 'kept' });
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
  t.deepEqual(idsOf(await (await openNotes(t, folder)).find(notes)), ['b', 'a']);
});
