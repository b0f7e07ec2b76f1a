import fs from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { restoreStore } from '../../../src/adapters/store/restore.js';
import type { Restoration } from '../../../src/operation/ports/surroundings.js';
import { append, entriesOf, events, numbered } from './events.js';
import { makeFolder, notes, openNotes } from './notes.js';

const options = { segmentBytes: 200 };

/** A folder with entries 1 to 24: to 20 in segments of some each, four of them in the journal of before the last fold. */
const leave = async (t: ExecutionContext): Promise<string> => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder, options);
  for (let at = 1; at <= 24; at += 1) {
    await append(store, `e${at}`);
    if (at % 4 === 0 && at <= 20) await store.fold();
  }
  const copy = makeFolder(t);
  fs.cpSync(folder, copy, { recursive: true });
  return copy;
};

const segmentsOf = (folder: string): string[] =>
  fs
    .readdirSync(path.join(folder, 'events'))
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => path.join(folder, 'events', name));

const segmentWith = (folder: string, id: string): string =>
  segmentsOf(folder).find((file) => fs.readFileSync(file, 'utf8').includes(`"${id}"`)) ?? '';

/** Flips a bit in the middle of what stands at `text` in a file. */
const flipAt = (file: string, text: string): void => {
  const bytes = fs.readFileSync(file);
  const at = bytes.indexOf(text);
  if (at === -1) throw new Error(`${file} has no ${text}`);
  bytes[at + 1] = (bytes[at + 1] ?? 0) ^ 1;
  fs.writeFileSync(file, bytes);
};

const restore = (folder: string): Promise<Restoration> =>
  restoreStore({ folder, collections: [notes], damagedIn: () => Promise.resolve([]), now: 1_780_272_000 });

/** What the log holds now, all of it checked; and that it goes on, where it was and when it is opened again. */
const goesOn = async (t: ExecutionContext, folder: string): Promise<string[]> => {
  const store = await openNotes(t, folder, { ...options, verifies: true });
  const found = await entriesOf(store);
  for (let at = 25; at <= 33; at += 1) {
    await append(store, `e${at}`);
    if (at % 3 === 0) await store.fold();
  }
  await store.close();
  const again = await openNotes(t, folder, { verifies: true });
  t.deepEqual(await entriesOf(again), [...found, ...numbered(25, 33)]);
  await again.close();
  return found;
};

const without = (...gone: number[]): string[] =>
  numbered(1, 24).filter((entry) => !gone.includes(Number(entry.split(' ')[0])));

test('restore › given sound segments › they are left as they are, and the journal’s entries stand behind them', async (t) => {
  const folder = await leave(t);
  const before = segmentsOf(folder).map((file) => fs.readFileSync(file, 'utf8'));
  t.is((await restore(folder)).lostEntries, 0);
  t.deepEqual(
    segmentsOf(folder)
      .slice(0, before.length)
      .map((file) => fs.readFileSync(file, 'utf8')),
    before,
  );
  t.deepEqual(await goesOn(t, folder), numbered(1, 24));
});

test('restore › given a damaged snapshot › the log is as it was', async (t) => {
  const folder = await leave(t);
  flipAt(path.join(folder, 'treasury.json'), '"contentsChecksum"');
  t.is((await restore(folder)).lostEntries, 0);
  t.deepEqual(await goesOn(t, folder), numbered(1, 24));
});

test('restore › given a damaged entry that a journal has still › nothing is lost', async (t) => {
  const folder = await leave(t);
  const file = segmentWith(folder, 'e18');
  flipAt(file, '"e18"');
  const { kept, lostEntries } = await restore(folder);
  t.is(lostEntries, 0);
  t.true(kept.some((name) => name.startsWith(`${file}.damaged-`)));
  t.deepEqual(await goesOn(t, folder), numbered(1, 24));
});

test('restore › given damaged entries that no journal has › they are lost, it is said, and the others are there', async (t) => {
  const folder = await leave(t);
  for (const id of ['e2', 'e7']) flipAt(segmentWith(folder, id), `"${id}"`);
  t.is((await restore(folder)).lostEntries, 2);
  t.deepEqual(await goesOn(t, folder), without(2, 7));
  t.is((await restore(folder)).lostEntries, 0, 'it is not said twice');
});

test('restore › given a segment that is missing › its entries are lost, or made again of the journals', async (t) => {
  for (const at of [0, 1, -1]) {
    const folder = await leave(t);
    const files = segmentsOf(folder);
    const file = files.at(at) ?? '';
    const gone = [...fs.readFileSync(file, 'utf8').matchAll(/"e(\d+)"/g)].map(([, number]) => Number(number));
    fs.rmSync(file);
    const lost = gone.filter((number) => number <= 16);
    t.is((await restore(folder)).lostEntries, lost.length, `${at}`);
    t.deepEqual(await goesOn(t, folder), without(...lost), `${at}`);
  }
});

test('restore › given that all segments and the journal before are gone › no sequence is given again', async (t) => {
  const folder = await leave(t);
  fs.rmSync(path.join(folder, 'events'), { recursive: true });
  for (const name of ['treasury.json', 'treasury.journal']) fs.rmSync(path.join(folder, `${name}.previous`));
  t.is((await restore(folder)).lostEntries, 20);
  t.deepEqual(await goesOn(t, folder), numbered(21, 24));
});

test('restore › given that what came last is lost › the next sequence is one that was never given', async (t) => {
  const folder = await leave(t);
  fs.writeFileSync(path.join(folder, 'treasury.journal'), '');
  for (const file of segmentsOf(folder).slice(2)) fs.rmSync(file);
  fs.rmSync(path.join(folder, 'treasury.journal.previous'));
  const { lostEntries } = await restore(folder);
  t.true(lostEntries > 0);
  const store = await openNotes(t, folder, { verifies: true });
  t.is((await store.readLog(events, { after: 99, limit: 0 })).last, 20);
  await append(store, 'next');
  t.is((await entriesOf(store)).at(-1), '21 next');
});

test('restore › given that it is cut off after any file, and done again › it comes to the same', async (t) => {
  const folder = await leave(t);
  for (const id of ['e2', 'e18']) flipAt(segmentWith(folder, id), `"${id}"`);
  flipAt(path.join(folder, 'treasury.json'), '"contentsChecksum"');
  const done = makeFolder(t);
  fs.cpSync(folder, done, { recursive: true });
  await restore(done);
  const order = [
    ...segmentsOf(done),
    ...['treasury.json.previous', 'treasury.journal.previous', 'treasury.json', 'treasury.journal'].map(
      (name) => path.join(done, name),
    ),
  ].map((file) => path.relative(done, file));
  for (let written = 1; written < order.length; written += 1) {
    const cut = makeFolder(t);
    fs.cpSync(folder, cut, { recursive: true });
    for (const name of order.slice(0, written)) fs.copyFileSync(path.join(done, name), path.join(cut, name));
    await restore(cut);
    t.deepEqual(await goesOn(t, cut), without(2), `${written}`);
  }
});
