import fs from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { openJsonStore, type JsonStore } from '../../../src/adapters/store/json-store.js';
import type { Migrations } from '../../../src/adapters/store/migrations.js';
import { TreasuryError } from '../../../src/errors.js';
import { defineCollection } from '../../../src/operation/ports/store.js';
import { idsOf, makeFolder, note, notes, openNotes } from './notes.js';

const filesOf = (folder: string) => ({
  snapshot: path.join(folder, 'treasury.json'),
  journal: path.join(folder, 'treasury.journal'),
});

const putOne = (store: JsonStore, id: string): Promise<void> =>
  store.transaction((writer) => {
    writer.put(notes, note(id));
  });

/** A folder whose journal holds one commit for each id, as a crash would leave it. */
const crashedAfter = async (t: ExecutionContext, ids: readonly string[]): Promise<string> => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder);
  for (const id of ids) await putOne(store, id);
  const copy = makeFolder(t);
  fs.cpSync(folder, copy, { recursive: true });
  return copy;
};

const contentsOf = (snapshot: string): Record<string, unknown> =>
  (JSON.parse(fs.readFileSync(snapshot, 'utf8')) as { contents: Record<string, unknown> }).contents;

/** A note as it stands on disk. */
const rawNote = (id: string) => ({ id, status: 'OPEN', amount: '1', tags: [] });

/** Writes a snapshot as version 0.1.0 did. */
const writeUnchecked = (snapshot: string, records: readonly object[]): void => {
  const content = { schema: 1, sequence: 1, counters: {}, collections: { notes: records } };
  fs.writeFileSync(snapshot, `${JSON.stringify(content)}\n`);
};

const refusal = async (t: ExecutionContext, folder: string): Promise<TreasuryError | undefined> =>
  t.throwsAsync(openJsonStore({ folder, collections: [notes] }), { instanceOf: TreasuryError });

test('journal of the store › given a torn last line › the commits before it are there', async (t) => {
  const folder = await crashedAfter(t, ['a', 'b', 'c']);
  const { journal } = filesOf(folder);
  fs.truncateSync(journal, fs.statSync(journal).size - 10);
  t.deepEqual(idsOf(await (await openNotes(t, folder)).find(notes)), ['b', 'a']);
});

test('journal of the store › given a torn last line › commits go on after it', async (t) => {
  const folder = await crashedAfter(t, ['a', 'b']);
  const { journal } = filesOf(folder);
  fs.truncateSync(journal, fs.statSync(journal).size - 10);
  await putOne(await openNotes(t, folder), 'c');
  t.deepEqual(idsOf(await (await openNotes(t, folder)).find(notes)), ['c', 'a']);
});

test('journal of the store › given a damaged middle line › store_damaged names file, line and remedy', async (t) => {
  const folder = await crashedAfter(t, ['a', 'b', 'c']);
  const { journal } = filesOf(folder);
  const lines = fs.readFileSync(journal, 'utf8').split('\n');
  fs.writeFileSync(
    journal,
    [lines[0], lines[1], lines[2]?.replace('OPEN', 'DONE'), ...lines.slice(3)].join('\n'),
  );
  const error = await refusal(t, folder);
  t.like(error, { code: 'store_damaged', details: { file: journal, where: 'line 3' } });
  t.regex(error?.message ?? '', /backup/);
});

test('journal of the store › given that a line is missing › store_damaged', async (t) => {
  const folder = await crashedAfter(t, ['a', 'b', 'c']);
  const { journal } = filesOf(folder);
  const lines = fs.readFileSync(journal, 'utf8').split('\n');
  fs.writeFileSync(journal, lines.toSpliced(2, 1).join('\n'));
  t.is((await refusal(t, folder))?.code, 'store_damaged');
});

test('snapshot › given text that is no JSON › store_damaged names the file', async (t) => {
  const folder = await crashedAfter(t, ['a']);
  const { snapshot } = filesOf(folder);
  fs.writeFileSync(snapshot, '{"schema":1,');
  t.like(await refusal(t, folder), { code: 'store_damaged', details: { file: snapshot } });
});

test('snapshot › given a record that does not validate › store_damaged names file, record and issue', async (t) => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder);
  await putOne(store, 'a');
  await store.close();
  const { snapshot } = filesOf(folder);
  writeUnchecked(snapshot, [{ ...rawNote('a'), status: 'LOST' }]);
  const error = await refusal(t, folder);
  t.like(error, { code: 'store_damaged', details: { file: snapshot } });
  t.regex(String(error?.details['where']), /^notes "a" \(status: /);
});

test('snapshot › given one without checksums, of version 0.1.0 › it opens, and has them after the next fold', async (t) => {
  const folder = makeFolder(t);
  const { snapshot } = filesOf(folder);
  writeUnchecked(snapshot, [rawNote('a'), rawNote('b')]);
  const store = await openNotes(t, folder);
  t.deepEqual(idsOf(await store.find(notes)), ['b', 'a']);
  await putOne(store, 'c');
  await store.close();
  t.like(contentsOf(snapshot), { schema: 1, sequence: 2 });
  t.deepEqual(idsOf(await (await openNotes(t, folder)).find(notes)), ['c', 'b', 'a']);
});

test('snapshot › it is JSON, with a line for each document', async (t) => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder);
  await putOne(store, 'a');
  await putOne(store, 'b');
  await store.close();
  const text = fs.readFileSync(filesOf(folder).snapshot, 'utf8');
  t.deepEqual((JSON.parse(text) as { documents: unknown[] }).documents, [rawNote('a'), rawNote('b')]);
  const lines = text.split('\n').filter((line) => line.startsWith('{"id":'));
  t.deepEqual(lines, [`${JSON.stringify(rawNote('a'))},`, JSON.stringify(rawNote('b'))]);
});

test('fold › the snapshot before and the journal since it are kept', async (t) => {
  const folder = makeFolder(t);
  const { snapshot, journal } = filesOf(folder);
  const store = await openNotes(t, folder);
  await putOne(store, 'a');
  await store.fold();
  await putOne(store, 'b');
  const before = [fs.readFileSync(snapshot, 'utf8'), fs.readFileSync(journal, 'utf8')];
  await store.fold();
  t.deepEqual(
    [fs.readFileSync(`${snapshot}.previous`, 'utf8'), fs.readFileSync(`${journal}.previous`, 'utf8')],
    before,
  );
});

test('journal of the store › given a record that does not validate › store_damaged names the journal', async (t) => {
  const folder = makeFolder(t);
  const loose = defineCollection({
    name: 'notes',
    schema: z.object({ id: z.string(), status: z.string() }),
    indexes: {},
  });
  const store = await openJsonStore({ folder, collections: [loose] });
  await store.transaction((writer) => {
    writer.put(loose, { id: 'a', status: 'LOST' });
  });
  t.like(await refusal(t, folder), { code: 'store_damaged', details: { file: filesOf(folder).journal } });
  await store.close();
});

test('fold › given a crash between the snapshot and the new journal › nothing happens twice', async (t) => {
  const folder = makeFolder(t);
  const { journal } = filesOf(folder);
  const store = await openNotes(t, folder);
  await putOne(store, 'a');
  await putOne(store, 'b');
  const oldJournal = fs.readFileSync(journal);
  await store.transaction(async (writer) => {
    writer.remove(notes, 'a');
    await writer.next('label');
  });
  await store.close();
  fs.writeFileSync(journal, oldJournal);
  const again = await openNotes(t, folder);
  t.deepEqual(idsOf(await again.find(notes)), ['b']);
  t.is(await again.transaction((writer) => writer.next('label')), 2);
});

test('fold › given a crash between the snapshot and the new journal › commits go on', async (t) => {
  const folder = makeFolder(t);
  const { journal } = filesOf(folder);
  const store = await openNotes(t, folder);
  await putOne(store, 'a');
  const oldJournal = fs.readFileSync(journal);
  await store.close();
  fs.writeFileSync(journal, oldJournal);
  await putOne(await openNotes(t, folder), 'b');
  t.deepEqual(idsOf(await (await openNotes(t, folder)).find(notes)), ['b', 'a']);
});

test('snapshot › given one older than the journal’s beginning › store_damaged', async (t) => {
  const folder = makeFolder(t);
  const { snapshot } = filesOf(folder);
  const store = await openNotes(t, folder);
  const oldSnapshot = fs.readFileSync(snapshot);
  await putOne(store, 'a');
  await store.close();
  fs.writeFileSync(snapshot, oldSnapshot);
  t.like(await refusal(t, folder), { code: 'store_damaged', details: { file: snapshot } });
});

const newNotes = defineCollection({
  name: 'notes',
  schema: z.object({ id: z.string(), state: z.enum(['open', 'done']) }),
  indexes: { state: ({ state }) => state },
});

/** Version 2 calls the status state, in lower case. */
const migrations: Migrations = {
  1: ({ counters, collections }) => ({
    counters,
    collections: {
      ...collections,
      notes: (collections['notes'] ?? []).map(({ id, status }) => ({
        id,
        state: String(status).toLowerCase(),
      })),
    },
  }),
};

const openNew = async (t: ExecutionContext, folder: string): Promise<JsonStore> => {
  const store = await openJsonStore({ folder, collections: [newNotes], migrations });
  t.teardown(() => store.close());
  return store;
};

test('migration › given a store of the version before › its records are in the new layout', async (t) => {
  const folder = await crashedAfter(t, ['a', 'b']);
  const store = await openNew(t, folder);
  t.deepEqual((await store.find(newNotes, { where: { state: 'open' } })).items, [
    { id: 'b', state: 'open' },
    { id: 'a', state: 'open' },
  ]);
});

test('migration › it happens once', async (t) => {
  const folder = await crashedAfter(t, ['a']);
  await (await openNew(t, folder)).close();
  t.deepEqual((await (await openNew(t, folder)).find(newNotes)).items, [{ id: 'a', state: 'open' }]);
  t.like(contentsOf(filesOf(folder).snapshot), { schema: 2 });
});

test('migration › the old file, with all commits, is kept beside the new one', async (t) => {
  const folder = await crashedAfter(t, ['a', 'b']);
  await openNew(t, folder);
  const restored = makeFolder(t);
  fs.copyFileSync(`${filesOf(folder).snapshot}.v1`, filesOf(restored).snapshot);
  t.deepEqual(idsOf(await (await openNotes(t, restored)).find(notes)), ['b', 'a']);
});

test('migration › given a crash before the new journal › the old lines are not read again', async (t) => {
  const folder = await crashedAfter(t, ['a']);
  const { journal } = filesOf(folder);
  const oldJournal = fs.readFileSync(journal);
  await (await openNew(t, folder)).close();
  fs.writeFileSync(journal, oldJournal);
  t.deepEqual((await (await openNew(t, folder)).find(newNotes)).items, [{ id: 'a', state: 'open' }]);
});

test('schema › given a newer store › store_too_new', async (t) => {
  const folder = makeFolder(t);
  await (await openNew(t, folder)).close();
  t.like(await refusal(t, folder), { code: 'store_too_new', details: { found: 2, expected: 1 } });
});

test('schema › given that a newer program migrated an open store › its next commit is refused', async (t) => {
  const folder = makeFolder(t);
  const store = await openNotes(t, folder);
  await putOne(store, 'a');
  await openNew(t, folder);
  await t.throwsAsync(putOne(store, 'b'), { instanceOf: TreasuryError, code: 'store_too_new' });
});
