import fs from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { openJournal, type Journal } from '../../src/adapters/journal.js';
import { TreasuryError } from '../../src/errors.js';
import { makeFolder } from './store/notes.js';

const pathIn = (t: ExecutionContext): string => path.join(makeFolder(t), 'a.journal');

const open = (t: ExecutionContext, file: string): Journal => {
  const journal = openJournal(file);
  t.teardown(journal.close);
  return journal;
};

/** A journal that holds these entries and is read to its end. */
const written = async (
  t: ExecutionContext,
  entries: readonly unknown[],
): Promise<{ file: string; journal: Journal }> => {
  const file = pathIn(t);
  const journal = open(t, file);
  journal.readNew();
  await journal.append(entries);
  return { file, journal };
};

const damage = (file: string, at: number): void => {
  const bytes = fs.readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  fs.writeFileSync(file, bytes);
};

test('journal › given no file › it begins empty, readable by its owner alone', (t) => {
  const file = pathIn(t);
  t.deepEqual(open(t, file).readNew(), []);
  t.is(fs.statSync(file).mode & 0o777, 0o600);
});

test('journal › given a file with entries › the first read gives all of them in order', async (t) => {
  const { file } = await written(t, [{ a: 1 }, ['zwei', null], 'drei']);
  t.deepEqual(open(t, file).readNew(), [{ a: 1 }, ['zwei', null], 'drei']);
});

test('journal › given entries of its own › they are not read again', async (t) => {
  const { journal } = await written(t, [1, 2]);
  t.deepEqual(journal.readNew(), []);
});

test('journal › while an append is under way › its entries are not read', async (t) => {
  const { journal } = await written(t, [1]);
  const appended = journal.append([2]);
  t.deepEqual(journal.readNew(), []);
  await appended;
  t.deepEqual(journal.readNew(), []);
});

test('journal › given entries of another process › each is read once', async (t) => {
  const { file, journal } = await written(t, [1]);
  const other = open(t, file);
  other.readNew();
  await other.append([2, 3]);
  t.deepEqual([journal.readNew(), journal.readNew()], [[2, 3], []]);
});

test('journal › size › it counts what was read and appended', async (t) => {
  const { file, journal } = await written(t, [{ text: 'ä' }]);
  t.is(journal.size, fs.statSync(file).size);
});

test('journal › given a torn last line › the lines before it are given', async (t) => {
  const { file } = await written(t, [1, 2, 3]);
  fs.truncateSync(file, fs.statSync(file).size - 1);
  t.deepEqual(open(t, file).readNew(), [1, 2]);
});

test('journal › given a torn last line › the next append takes its place', async (t) => {
  const { file } = await written(t, [1, { long: 'x'.repeat(100) }]);
  fs.truncateSync(file, fs.statSync(file).size - 5);
  const journal = open(t, file);
  journal.readNew();
  await journal.append([3]);
  t.deepEqual(open(t, file).readNew(), [1, 3]);
});

for (const [what, from, to] of [
  ['its beginning', 0, 100],
  ['a part of it', 300, 812],
  ['all but its line feed', 0, 1_020],
] as const) {
  test(`journal › given a last line of which a power cut lost ${what} and kept the end › it was never there`, async (t) => {
    const { file, journal } = await written(t, [1, 2]);
    const { size } = journal;
    await journal.append([{ text: 'x'.repeat(1_000) }]);
    const bytes = fs.readFileSync(file);
    fs.writeFileSync(file, bytes.fill(0, size + from, size + to));
    const next = open(t, file);
    t.deepEqual(next.readNew(), [1, 2]);
    // The next append takes its place.
    await next.append([3]);
    t.deepEqual(open(t, file).readNew(), [1, 2, 3]);
  });
}

test('journal › given zeros within a line that another follows › it is damaged', async (t) => {
  const { file } = await written(t, [{ text: 'x'.repeat(1_000) }, 2]);
  fs.writeFileSync(file, fs.readFileSync(file).fill(0, 100, 612));
  t.throws(() => open(t, file).readNew(), { code: 'store_damaged' });
});

test('journal › given a line that is still being written › it is read once it ends', async (t) => {
  const { file, journal } = await written(t, [1]);
  const copy = `${file}.copy`;
  fs.copyFileSync(file, copy);
  const other = open(t, copy);
  other.readNew();
  await other.append([2]);
  const line = fs.readFileSync(copy).subarray(journal.size);
  fs.appendFileSync(file, line.subarray(0, 6));
  t.deepEqual(journal.readNew(), []);
  fs.appendFileSync(file, line.subarray(6));
  t.deepEqual(journal.readNew(), [2]);
});

test('journal › given any cut of the file › what is read is a first part of what was written', async (t) => {
  const entries = [{ a: 1 }, 'two', [3, 'ü'], null];
  const { file } = await written(t, entries);
  const bytes = fs.readFileSync(file);
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: bytes.length }), async (length) => {
      fs.writeFileSync(file, bytes.subarray(0, length));
      const journal = openJournal(file);
      const whole = bytes.subarray(0, length).toString('latin1').split('\n').length - 1;
      t.deepEqual(journal.readNew(), entries.slice(0, whole));
      await journal.append(['next']);
      journal.rewind();
      t.deepEqual(journal.readNew(), [...entries.slice(0, whole), 'next']);
      journal.close();
    }),
  );
});

for (const [which, at] of [
  ['a middle line', 14],
  ['the last line', 26],
] as const) {
  test(`journal › given a changed byte in ${which} › store_damaged names the file and the line`, async (t) => {
    const { file } = await written(t, [10, 20, 30]);
    damage(file, at);
    const error = t.throws(() => open(t, file).readNew(), { instanceOf: TreasuryError });
    t.like(error, { code: 'store_damaged', details: { file, where: `line ${Math.floor(at / 12) + 1}` } });
  });
}

test('journal › given a damaged file › every read says so', async (t) => {
  const { file } = await written(t, [10, 20]);
  damage(file, 2);
  const journal = open(t, file);
  t.throws(() => journal.readNew(), { instanceOf: TreasuryError });
  t.throws(() => journal.readNew(), { instanceOf: TreasuryError });
});

test('journal › given that another process replaced the file › the generation goes up and the new file is given', async (t) => {
  const { file, journal } = await written(t, [1, 2]);
  const other = open(t, file);
  other.readNew();
  await other.replace(['new']);
  await other.append(['newer']);
  t.deepEqual(journal.readNew(), ['new', 'newer']);
  t.is(journal.generation, 1);
});

test('journal › given that another process deleted the file › the generation goes up and a new one begins', async (t) => {
  const { file, journal } = await written(t, [1, 2]);
  fs.rmSync(file);
  t.deepEqual(journal.readNew(), []);
  t.is(journal.generation, 1);
  await journal.append([3]);
  t.deepEqual(open(t, file).readNew(), [3]);
});

test('journal › given that the file was cut short › the generation goes up and what is left is given', async (t) => {
  const { file, journal } = await written(t, [10, 20]);
  fs.truncateSync(file, 12);
  t.deepEqual(journal.readNew(), [10]);
  t.is(journal.generation, 1);
});

test('journal › given that the file was cut and grew again › the generation goes up and all of it is given', async (t) => {
  const { file, journal } = await written(t, [10, 20]);
  fs.truncateSync(file, 12);
  const other = open(t, file);
  other.readNew();
  await other.append([{ longer: 'than before' }]);
  t.deepEqual(journal.readNew(), [10, { longer: 'than before' }]);
  t.is(journal.generation, 1);
});

test('journal › given that it replaced the file itself › it reads on in the new one', async (t) => {
  const { file, journal } = await written(t, [1, 2]);
  await journal.replace(['new']);
  t.deepEqual(journal.readNew(), []);
  t.is(journal.generation, 0);
  t.deepEqual(open(t, file).readNew(), ['new']);
});

test('journal › given that it was read to the end › nothing is read until something is appended', async (t) => {
  const { journal } = await written(t, [1]);
  journal.rewind();
  t.deepEqual([journal.readNew(), journal.readNew()], [[1], []]);
});

test('journal › append › given entries it has not read › it refuses and loses none of them', async (t) => {
  const { file, journal } = await written(t, [1]);
  const other = open(t, file);
  other.readNew();
  await other.append([2]);
  await t.throwsAsync(journal.append([3]), { message: /without readNew/ });
  t.deepEqual(open(t, file).readNew(), [1, 2]);
});

test('journal › append › given no entries › nothing is written', async (t) => {
  const { file, journal } = await written(t, [1]);
  const before = fs.readFileSync(file);
  await journal.append([]);
  t.deepEqual(fs.readFileSync(file), before);
});

test('journal › after close › an append fails and the file is as it was', async (t) => {
  const { file, journal } = await written(t, [1]);
  journal.close();
  await t.throwsAsync(journal.append([2]), { message: /is closed/ });
  t.deepEqual(open(t, file).readNew(), [1]);
});

test('journal › a glance › what another process wrote is seen in the next turn, what this one wrote at once', async (t) => {
  const { file, journal } = await written(t, [1]);
  t.deepEqual(journal.glance(), []);
  const [line = ''] = fs.readFileSync(file, 'utf8').split('\n');
  // As another process does it: this one knows nothing of that.
  fs.appendFileSync(file, `${line}\n`);
  t.deepEqual(journal.glance(), []);
  await new Promise(setImmediate);
  t.deepEqual(journal.glance(), [1]);

  const here = open(t, file);
  here.readNew();
  await here.append([2]);
  t.deepEqual(journal.glance(), [2]);
});

test('journal › readNew after a glance › it looks at the file itself', async (t) => {
  const { file, journal } = await written(t, [1]);
  journal.glance();
  const [line = ''] = fs.readFileSync(file, 'utf8').split('\n');
  fs.appendFileSync(file, `${line}\n`);
  t.deepEqual(journal.readNew(), [1]);
});
