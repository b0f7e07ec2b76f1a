import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { startChild } from './children/start.js';
import { idsOf, makeFolder, note, notes, openNotes } from './notes.js';

test('two stores of one folder › after refresh › each has what the other committed', async (t) => {
  const folder = makeFolder(t);
  const [one, two] = [await openNotes(t, folder), await openNotes(t, folder)];
  await one.transaction((writer) => {
    writer.put(notes, note('a', { tags: ['red'] }));
  });
  t.is(await two.get(notes, 'a'), null);
  await two.refresh();
  t.deepEqual(idsOf(await two.find(notes, { where: { tag: 'red' } })), ['a']);
});

test('two stores of one folder › without refresh › a transaction runs on the newest state', async (t) => {
  const folder = makeFolder(t);
  const [one, two] = [await openNotes(t, folder), await openNotes(t, folder)];
  await one.transaction((writer) => {
    writer.put(notes, note('a', { amount: 5n }));
  });
  const amount = await two.transaction(async (writer) => (await writer.get(notes, 'a'))?.amount);
  t.is(amount, 5n);
});

test('two stores of one folder › records stand in the order they were put, whoever put them', async (t) => {
  const folder = makeFolder(t);
  const [one, two] = [await openNotes(t, folder), await openNotes(t, folder)];
  for (const [index, store] of [one, two, two, one].entries()) {
    await store.transaction((writer) => {
      writer.put(notes, note(`n${index}`));
    });
  }
  await two.refresh();
  t.deepEqual(
    [idsOf(await one.find(notes)), idsOf(await two.find(notes))],
    [
      ['n3', 'n2', 'n1', 'n0'],
      ['n3', 'n2', 'n1', 'n0'],
    ],
  );
});

test('two stores of one folder › given that one folded what the other has › the other goes on', async (t) => {
  const folder = makeFolder(t);
  const [one, two] = [await openNotes(t, folder), await openNotes(t, folder)];
  await one.transaction((writer) => {
    writer.put(notes, note('a'));
  });
  await two.refresh();
  const held = await two.get(notes, 'a');
  await one.fold();
  await one.transaction((writer) => {
    writer.put(notes, note('b'));
  });
  await two.refresh();
  t.deepEqual(idsOf(await two.find(notes)), ['b', 'a']);
  t.is(await two.get(notes, 'a'), held, 'nothing was loaded again');
});

test('two stores of one folder › given that one folded what the other has not read › the other loads it', async (t) => {
  const folder = makeFolder(t);
  const [one, two] = [await openNotes(t, folder), await openNotes(t, folder)];
  for (const id of ['a', 'b']) {
    await one.transaction((writer) => {
      writer.put(notes, note(id));
    });
  }
  await one.fold();
  await one.transaction((writer) => {
    writer.put(notes, note('c'));
  });
  await two.refresh();
  t.deepEqual(idsOf(await two.find(notes)), ['c', 'b', 'a']);
});

test('store › given that the folder was put back from a backup while it is open › it has the backup', async (t) => {
  const folder = makeFolder(t);
  const backup = makeFolder(t);
  const store = await openNotes(t, folder);
  const put = (id: string) =>
    store.transaction((writer) => {
      writer.put(notes, note(id));
    });
  await put('a');
  fs.cpSync(folder, backup, { recursive: true });
  await put('b');
  await put('c');
  for (const file of ['treasury.json', 'treasury.journal']) {
    fs.copyFileSync(path.join(backup, file), path.join(folder, `${file}.restored`));
    fs.renameSync(path.join(folder, `${file}.restored`), path.join(folder, file));
  }
  await put('d');
  t.deepEqual(idsOf(await store.find(notes)), ['d', 'a']);
  t.deepEqual(idsOf(await (await openNotes(t, folder)).find(notes)), ['d', 'a']);
});

test('several processes › writing at the same time › no number of a counter is lost or drawn twice', async (t) => {
  const folder = makeFolder(t);
  const children = [1, 2, 3].map(() => startChild('count-in-store.js', [folder, '60']));
  t.deepEqual(await Promise.all(children.map(({ ended }) => ended)), [0, 0, 0]);
  const drawn = children.flatMap(({ lines }) => lines().map(Number));
  const all = Array.from({ length: 180 }, (_, index) => index + 1);
  t.deepEqual(
    drawn.toSorted((a, b) => a - b),
    all,
  );
  const store = await openNotes(t, folder);
  t.deepEqual(
    idsOf(await store.find(notes, { order: 'oldest' })),
    all.map((number) => `note-${number}`),
  );
});

test('kill -9 › during a stream of commits › every answered commit is there, whole, and the next writer need not wait', async (t) => {
  const folder = makeFolder(t);
  const answered: string[] = [];
  for (const [round, count] of [40, 75, 111].entries()) {
    const child = startChild('commit-forever.js', [folder, `round${round}`]);
    await child.printed(count);
    child.process.kill('SIGKILL');
    t.is(await child.ended, 'SIGKILL');
    answered.push(...child.lines());
    const store = await openNotes(t, folder, { lockTimeoutMs: 100 });
    t.is(await store.transaction((writer) => writer.next('round')), round + 1);
    const halves = (
      await Promise.all(
        answered.map(async (id) => [
          await store.get(notes, `${id}-first`),
          await store.get(notes, `${id}-second`),
        ]),
      )
    ).flat();
    t.false(halves.includes(null));
    const ids = idsOf(await store.find(notes));
    t.is(ids.filter((id) => id.endsWith('first')).length, ids.filter((id) => id.endsWith('second')).length);
  }
});

// A limit on the size of files refuses writes as a full disk does: the last one is cut short, the next one fails.
const limited = ['sh', '-c', 'ulimit -f 100; exec "$@"', 'sh'];
const limits = spawnSync('sh', ['-c', 'ulimit -f 100']).status === 0 ? test : test.skip; // not every system has them

limits(
  'full disk › the commit is refused, memory is as it was, and what was answered is there',
  async (t) => {
    const folder = makeFolder(t);
    const child = startChild('fill-disk.js', [folder], limited);
    t.is(await child.ended, 0);
    const said = JSON.parse(child.lines()[0] ?? '') as { answered: number; refusal: string; total: number };
    t.is(said.refusal, 'storage_full');
    t.true(said.answered > 0);
    t.is(said.total, said.answered);
    const store = await openNotes(t, folder);
    const expected = Array.from({ length: said.answered }, (_, index) => `long-${index}`);
    t.deepEqual(idsOf(await store.find(notes, { order: 'oldest' })), [...expected, 'short']);
    t.is(await store.transaction((writer) => writer.next('puts')), said.answered + 2);
  },
);
