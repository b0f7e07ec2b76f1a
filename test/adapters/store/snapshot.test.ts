/** The snapshot's file: what is read of it and when, what is taken over from one to the next, and what was before it. */
import fs from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { crc32 } from 'node:zlib';
import { decodeEarlier } from '../../../src/adapters/store/earlier-snapshot.js';
import type { JsonStore } from '../../../src/adapters/store/json-store.js';
import { openJsonStore } from '../../../src/adapters/store/json-store.js';
import { TreasuryError } from '../../../src/errors.js';
import { idsOf, makeFolder, note, notes, openNotes, type Note } from './notes.js';

const fileIn = (folder: string): string => path.join(folder, 'treasury.json');
const journalIn = (folder: string): string => path.join(folder, 'treasury.journal');

const put = (store: JsonStore, ...records: readonly Note[]): Promise<void> =>
  store.transaction((writer) => {
    for (const record of records) writer.put(notes, record);
  });

/** A folder whose snapshot holds these notes, closed. */
const folderWith = async (t: ExecutionContext, records: readonly Note[]): Promise<string> => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder);
  await put(store, ...records);
  await store.close();
  return folder;
};

/** Changes the byte in the middle of what stands at `text`. */
const damageAt = (folder: string, text: string): void => {
  const bytes = fs.readFileSync(fileIn(folder));
  const at = bytes.indexOf(text) + (text.length >> 1);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  fs.writeFileSync(fileIn(folder), bytes);
};

const isDamaged = (t: ExecutionContext, read: () => Promise<unknown>, message: RegExp) =>
  t.throwsAsync(read, { instanceOf: TreasuryError, code: 'store_damaged', message });

test('store › when it is opened › nothing is read of the snapshot but its first and its last line', async (t) => {
  const folder = await folderWith(t, [note('a'), note('b')]);
  const bytes = fs.readFileSync(fileIn(folder));
  const [from, to] = [bytes.indexOf(10) + 1, bytes.lastIndexOf('"contents"')];
  fs.writeFileSync(fileIn(folder), bytes.fill('x', from, to));
  const store = await openNotes(t, folder);
  t.is(await store.transaction((writer) => writer.next('label')), 1);
  await isDamaged(t, () => store.get(notes, 'a'), /treasury\.json is damaged at the ids of notes/);
});

test('store › given a damaged document › the others are read, and it is store_damaged when it is asked for', async (t) => {
  const folder = await folderWith(t, [note('a'), note('b', { owner: 'x' }), note('c')]);
  damageAt(folder, '"owner":"x"');
  const store = await openNotes(t, folder);
  t.is((await store.get(notes, 'a'))?.id, 'a');
  t.is((await store.find(notes, { limit: 0 })).total, 3);
  await isDamaged(t, () => store.get(notes, 'b'), /treasury\.json is damaged at document 2 of notes/);
  await isDamaged(t, () => store.find(notes), /document 2 of notes/);
});

test('store › given a damaged index › it is store_damaged when that index is asked, and no other', async (t) => {
  const folder = await folderWith(t, [note('a', { owner: 'x', tags: ['red'] })]);
  damageAt(folder, '["red",[1]]');
  const store = await openNotes(t, folder);
  t.deepEqual(idsOf(await store.find(notes, { where: { owner: 'x' } })), ['a']);
  await isDamaged(t, () => store.find(notes, { where: { tag: 'red' } }), /the index tag of notes/);
});

test('store › given one that verifies, and a damaged document or index › it does not open', async (t) => {
  const well = await folderWith(t, [note('a', { tags: ['red'] })]);
  t.deepEqual(idsOf(await (await openNotes(t, well, { verifies: true })).find(notes)), ['a']);
  for (const text of ['"amount":"1"', '["red",[1]]', '["a",[1]]', '[           1,']) {
    const folder = await folderWith(t, [note('a', { tags: ['red'] })]);
    damageAt(folder, text);
    await isDamaged(t, () => openNotes(t, folder, { verifies: true }), /treasury\.json/);
  }
});

test('store › given one that verifies, and a record that does not validate › it does not open', async (t) => {
  const folder = await folderWith(t, [note('a')]);
  const bytes = fs.readFileSync(fileIn(folder), 'utf8').replaceAll('OPEN', 'LOST');
  const { documents } = JSON.parse(bytes) as { documents: readonly object[] };
  const content = { schema: 1, sequence: 1, counters: {}, collections: { notes: documents } };
  fs.writeFileSync(fileIn(folder), JSON.stringify(content));
  const everyCollection = () => Promise.resolve([notes]);
  const opening = () => openJsonStore({ folder, collections: [], everyCollection, verifies: true });
  await isDamaged(t, opening, /notes "a" \(status: /);
});

test('fold › given a damaged document that nobody has read › it is refused, and the snapshot before stays', async (t) => {
  const folder = await folderWith(t, [note('a', { owner: 'x' }), note('b')]);
  const store = await openNotes(t, folder);
  await put(store, note('c'));
  damageAt(folder, '"owner":"x"');
  const before = fs.readFileSync(fileIn(folder));
  await isDamaged(t, () => store.fold(), /a document of notes/);
  t.deepEqual(fs.readFileSync(fileIn(folder)), before);
  t.is((await store.get(notes, 'c'))?.id, 'c');
  await isDamaged(t, () => put(store, note('a')), /document 1 of notes/);
});

test('store › close › given a snapshot that is large beside what was committed › the journal keeps it', async (t) => {
  const many = Array.from({ length: 100 }, (_, index) => note(`n${index}`));
  const folder = await folderWith(t, many);
  const before = fs.statSync(fileIn(folder)).ino;
  const store = await openJsonStore({ folder, collections: [notes], foldAfterBytes: 10 });
  await put(store, note('late'));
  await store.close();
  t.is(fs.statSync(fileIn(folder)).ino, before);
  t.is((await (await openNotes(t, folder)).find(notes)).total, 101);
});

test('two stores of one folder › given that one folded › the other reads on, and takes the new snapshot when it refreshes', async (t) => {
  const folder = await folderWith(t, [note('a'), note('b')]);
  const [one, two] = [await openNotes(t, folder), await openNotes(t, folder)];
  await put(one, note('c'));
  await one.fold();
  t.deepEqual(idsOf(await two.find(notes)), ['b', 'a'], 'from the file that stood there');
  await one.transaction((writer) => {
    writer.remove(notes, 'a');
  });
  await one.fold();
  await two.refresh();
  t.deepEqual(idsOf(await two.find(notes)), ['c', 'b']);
});

/** What a folder's notes are, by whatever finds them. */
const everythingIn = async (store: JsonStore): Promise<unknown> => {
  const wheres = [{}, { status: 'OPEN' }, { owner: 'x' }, { status: 'DONE', owner: 'x' }, { tag: 'red' }];
  return Promise.all(
    wheres.map(async (where) => {
      const all = await store.find(notes, { where });
      const page = await store.find(notes, { where, offset: 600, limit: 20 });
      const oldest = await store.find(notes, { where, order: 'oldest', offset: 500, limit: 30 });
      return [all.total, idsOf(all), idsOf(page), idsOf(oldest)];
    }),
  );
};

test('fold › given more records than a line of an index holds, changed and removed in between › what is taken over reads as what is written anew', async (t) => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder);
  const many = (index: number, round: number): Note =>
    note(`n${index}`, {
      status: (index * 7 + round) % 3 === 0 ? 'DONE' : 'OPEN',
      tags: index % 2 === round % 2 ? ['red', `tag ${index % 5}`] : [],
      ...((index + round) % 4 === 0 ? {} : { owner: 'x' }),
      label: `label ${index} "${round}"`,
    });
  await put(store, ...Array.from({ length: 1_700 }, (_, index) => many(index, 0)));
  await store.fold();
  for (const round of [1, 2, 3]) {
    await store.transaction((writer) => {
      for (let index = round; index < 1_700; index += 11 * round) writer.put(notes, many(index, round));
      for (let index = round; index < 1_700; index += 97) writer.remove(notes, `n${index}`);
      writer.put(notes, many(10_000 + round, round));
      writer.put(notes, many(round, round));
    });
    const before = await everythingIn(store);
    await store.fold();
    t.deepEqual(await everythingIn(store), before, `round ${round}`);
  }
  // The same records, written into a new folder one after the other.
  const { items } = await store.find(notes, { order: 'oldest' });
  const anew = await openNotes(t, makeFolder(t));
  await put(anew, ...items);
  t.deepEqual(await everythingIn(store), await everythingIn(anew));
  for (const { id, label } of items.slice(0, 50)) {
    t.is((await store.get(notes, id))?.id, id);
    t.deepEqual(idsOf(await store.find(notes, { where: { label } })), [id]);
  }
});

test('store › given another revision of a collection › its indexes are worked out anew, and the next fold keeps them', async (t) => {
  const folder = await folderWith(t, [note('a', { owner: 'x' }), note('b', { owner: 'y' })]);
  const louder = {
    ...notes,
    revision: 2,
    indexes: { ...notes.indexes, owner: ({ owner }: Note) => owner?.toUpperCase() ?? null },
  };
  const store = await openJsonStore({ folder, collections: [louder] });
  t.deepEqual(idsOf(await store.find(louder, { where: { owner: 'X' } })), ['a']);
  await store.transaction((writer) => {
    writer.put(louder, note('c', { owner: 'z' }));
  });
  await store.close();
  const { contents } = JSON.parse(fs.readFileSync(fileIn(folder), 'utf8')) as {
    contents: { collections: { notes: { indexes: object } } };
  };
  t.true('owner@2' in contents.collections.notes.indexes);
  t.deepEqual(idsOf(await (await openNotes(t, folder)).find(notes, { where: { owner: 'x' } })), ['a']);
});

test('store › given a commit of a program with another revision › whoever asks next has the indexes worked out', async (t) => {
  const folder = await folderWith(t, [note('a', { owner: 'x' })]);
  const store = await openNotes(t, folder);
  const newer = { ...notes, revision: 2 };
  const other = await openJsonStore({ folder, collections: [newer] });
  t.teardown(other.close);
  await other.transaction((writer) => {
    writer.put(newer, note('b', { owner: 'x' }));
    writer.put(newer, note('a', { owner: 'y' }));
  });
  await store.refresh();
  t.deepEqual(idsOf(await store.find(notes, { where: { owner: 'x' } })), ['b']);
  t.deepEqual(idsOf(await store.find(notes, { where: { owner: 'y' } })), ['a']);
});

test('store › a record that is read again › is the same one until somebody puts it, with the same content too', async (t) => {
  const folder = await folderWith(t, [note('a'), note('b')]);
  const store = await openNotes(t, folder, { runsTwice: true });
  const held = await store.get(notes, 'a');
  t.is(await store.get(notes, 'a'), held);
  const refused = store.transaction((writer) => {
    writer.put(notes, note('a'));
    throw new Error('no');
  });
  await t.throwsAsync(refused, { message: 'no' });
  t.is(await store.get(notes, 'a'), held, 'nobody has put it');
  const isHeld = await store.transaction(async (writer) => {
    const found = await writer.get(notes, 'a');
    writer.put(notes, note('a'));
    return found === held;
  });
  t.true(isHeld);
  t.not(await store.get(notes, 'a'), held);
  await put(store, note('a', { owner: 'x' }));
  const changed = await store.get(notes, 'a');
  await store.fold();
  t.is(await store.get(notes, 'a'), changed, 'a fold changes nothing');
});

test('fold › given a crash before the new journal, and one that still reads the snapshot before › both go on as one', async (t) => {
  const folder = await folderWith(t, [note('a', { owner: 'x' }), note('b', { owner: 'x' }), note('c')]);
  const early = await openNotes(t, folder);
  await put(early, note('a', { owner: 'y' }), note('d', { owner: 'x' }));
  // Somebody folds, and is killed when the new snapshot stands there.
  const elsewhere = makeFolder(t);
  fs.cpSync(folder, elsewhere, { recursive: true });
  await (await openNotes(t, elsewhere)).fold();
  fs.copyFileSync(fileIn(elsewhere), `${fileIn(folder)}.made`);
  fs.renameSync(`${fileIn(folder)}.made`, fileIn(folder));
  const late = await openNotes(t, folder);
  await put(late, note('b', { owner: 'z' }), note('a', { owner: 'x' }), note('e', { owner: 'x' }));
  await put(early, note('d', { owner: 'z' }), note('c', { owner: 'x' }));
  await late.transaction((writer) => {
    writer.remove(notes, 'a');
    writer.put(notes, note('c', { owner: 'y' }));
  });
  for (const store of [early, late, await openNotes(t, folder)]) {
    await store.refresh();
    const by = async (owner: string) => idsOf(await store.find(notes, { where: { owner } }));
    t.deepEqual(idsOf(await store.find(notes)), ['e', 'd', 'c', 'b']);
    t.deepEqual([await by('x'), await by('y'), await by('z')], [['e'], ['c'], ['d', 'b']]);
    t.is((await store.find(notes, { limit: 0 })).total, 4);
  }
});

const listed = (records: readonly object[]): [number, string][] =>
  records.map((record) => {
    const line = JSON.stringify(record);
    return [Buffer.byteLength(line), crc32(line).toString(16).padStart(8, '0')];
  });

/** A snapshot and its journal in the form before: `a` and `b` folded, `b` changed and `c` put since. */
const leaveAsBefore = (folder: string): void => {
  const raw = (id: string, status = 'OPEN') => ({ id, status, amount: '1', tags: [] });
  const folded = [raw('a'), raw('b')];
  const header = JSON.stringify({
    schema: 1,
    sequence: 2,
    counters: { label: 5 },
    documents: { notes: listed(folded) },
  });
  const sum = (json: string): string => crc32(json).toString(16).padStart(8, '0');
  const lines = folded.map((record) => JSON.stringify(record)).join(',\n');
  fs.writeFileSync(
    fileIn(folder),
    `{"header":${header},"checksum":"${sum(header)}","documents":[\n${lines}\n]}\n`,
  );
  const entries = [
    { schema: 1, after: 2 },
    { sequence: 3, changes: [{ put: 'notes', record: raw('b', 'DONE') }] },
    {
      sequence: 4,
      changes: [
        { put: 'notes', record: raw('c') },
        { counter: 'label', value: 6 },
      ],
    },
  ].map((entry) => JSON.stringify(entry));
  fs.writeFileSync(journalIn(folder), entries.map((json) => `${sum(json)} ${json}\n`).join(''));
};

test('a snapshot of the form before › whoever only reads it › leaves its files alone', async (t) => {
  const folder = makeFolder(t);
  leaveAsBefore(folder);
  const before = fs.readFileSync(fileIn(folder));
  const store = await openJsonStore({ folder, collections: [] });
  t.deepEqual(idsOf(await store.find(notes)), ['c', 'b', 'a']);
  t.deepEqual(idsOf(await store.find(notes, { where: { status: 'DONE' } })), ['b']);
  await store.close();
  t.deepEqual(fs.readFileSync(fileIn(folder)), before);
});

test('a snapshot of the form before › after the first change › it is in the form of today, and what was before is kept', async (t) => {
  const folder = makeFolder(t);
  leaveAsBefore(folder);
  const before = [fs.readFileSync(fileIn(folder)), fs.readFileSync(journalIn(folder))] as const;
  const store = await openJsonStore({
    folder,
    collections: [],
    // A snapshot of this size would wait for a larger journal.
    foldAfterBytes: 2 ** 30,
    everyCollection: () => Promise.resolve([notes]),
  });
  t.is(await store.transaction((writer) => writer.next('label')), 7);
  t.is(await store.transaction((writer) => writer.next('label')), 8);
  const { contents } = JSON.parse(fs.readFileSync(fileIn(folder), 'utf8')) as {
    contents: { collections: { notes: { count: number; indexes: object | null } } };
  };
  t.is(contents.collections.notes.count, 3);
  t.deepEqual(Object.keys(contents.collections.notes.indexes ?? {}), ['status', 'owner', 'tag', 'label']);
  t.deepEqual(fs.readFileSync(`${fileIn(folder)}.previous`), before[0]);
  t.deepEqual(fs.readFileSync(`${journalIn(folder)}.previous`).subarray(0, before[1].length), before[1]);
  t.deepEqual(idsOf(await store.find(notes, { where: { status: 'OPEN' } })), ['c', 'a']);
  await store.close();
});

test('a snapshot of the form before › given a crash between the new snapshot and the new journal › nothing is lost, and nothing happens twice', async (t) => {
  const folder = makeFolder(t);
  leaveAsBefore(folder);
  const store = await openNotes(t, folder);
  await put(store, note('d'));
  await store.close();
  fs.copyFileSync(`${journalIn(folder)}.previous`, journalIn(folder));
  const again = await openNotes(t, folder);
  t.deepEqual(idsOf(await again.find(notes)), ['d', 'c', 'b', 'a']);
  await put(again, note('e'), note('b', { status: 'OPEN' }));
  t.deepEqual(idsOf(await again.find(notes, { where: { status: 'OPEN' } })), ['e', 'd', 'c', 'b', 'a']);
});

test('a snapshot of today › to who knows the form before alone › is newer', async (t) => {
  const folder = await folderWith(t, [note('a')]);
  t.like(decodeEarlier(fileIn(folder), fs.readFileSync(fileIn(folder))), { schema: 2 });
});
