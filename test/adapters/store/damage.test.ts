/**
 * What a damaged disk does to the files of a home: everything that is read is what was written, or is refused.
 *
 * The files are those of a real home: a campaign, a stream, a payment and a vault, some of it folded and some not.
 */
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import test, { type ExecutionContext } from 'ava';
import { openStoreState, type StoreState } from '../../../src/adapters/store/store-state.js';
import { readerOf } from '../../../src/adapters/store/change.js';
import { getRow, wholeOf } from '../../../src/adapters/store/memory.js';
import { collections } from '../../../src/collections.js';
import { TreasuryError } from '../../../src/errors.js';
import type { Page } from '../../../src/operation/ports/store.js';
import { createCampaign } from '../../products/rewards/campaign.js';
import { openTreasury } from '../../treasury.js';
import { makeFolder } from './notes.js';

/** Flipped bits of each file. */
const FLIPS = 1_500;

const NAMES = ['treasury.json', 'treasury.journal'] as const;
type Files = Readonly<Record<(typeof NAMES)[number], Buffer>>;

const readFiles = (folder: string): Files =>
  Object.fromEntries(NAMES.map((name) => [name, fs.readFileSync(path.join(folder, name))])) as Files;

/** The files of a home whose snapshot and whose journal both hold something. */
const filesOfHome = async (t: ExecutionContext): Promise<Files> => {
  const treasury = await openTreasury(t);
  const { alice, bob } = treasury.people;
  const recipient = treasury.addressOf(bob).text;
  const { store } = treasury.app.context;
  for (let index = 0; index < 3; index += 1)
    await treasury.ask(alice, 'streams.create', {
      recipient,
      totalAmount: '0.01',
      scheduleTemplate: 'linear-cliff',
    });
  await createCampaign(treasury);
  if (!('fold' in store)) throw new Error('the store has no fold');
  await (store.fold as () => Promise<void>)();
  await treasury.ask(alice, 'payments.create', { recipient, amountPerPeriod: '0.001', interval: 'MONTHLY' });
  await createCampaign(treasury, { title: 'Second' });
  return readFiles(path.join(treasury.home, 'local'));
};

/** What every index of every collection finds. */
const foundBy = async (state: StoreState): Promise<unknown[]> => {
  const reader = readerOf(() => state.memory);
  const found: unknown[] = [];
  for (const collection of collections) {
    const { items } = (await reader.find(collection)) as Page<{ readonly id: string }>;
    found.push(collection.name, items);
    const rows = items.map(({ id }) => getRow(state.memory, collection, id));
    for (const index of Object.keys(collection.indexes)) {
      for (const value of new Set(rows.flatMap((row) => row?.keys[index] ?? []))) {
        const where = { [index]: value };
        const page = (await reader.find(collection, { where })) as Page<{ readonly id: string }>;
        found.push([index, value, page.total, page.items.map(({ id }) => id)]);
      }
    }
  }
  return found;
};

const inText = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/** Everything that a store reads from files: records in their order, by each index, counters, and the last commit. */
const contentOf = async (folder: string): Promise<string> => {
  const file = (name: (typeof NAMES)[number]) => path.join(folder, name);
  const state = openStoreState(
    { snapshot: file('treasury.json'), journal: file('treasury.journal') },
    { collections, everyCollection: () => Promise.resolve(collections), migrations: {} },
  );
  try {
    return JSON.stringify([wholeOf(state.memory, 1), await foundBy(state)], inText);
  } finally {
    state.close();
  }
};

/** What becomes of a store whose file has other bytes: refused as damaged, the same as before, or something else. */
const judge = async (
  folder: string,
  name: string,
  bytes: Buffer,
  expected: string,
): Promise<'refused' | 'same' | 'other'> => {
  fs.writeFileSync(path.join(folder, name), bytes);
  try {
    return (await contentOf(folder)) === expected ? 'same' : 'other';
  } catch (error) {
    return error instanceof TreasuryError && error.code === 'store_damaged' ? 'refused' : 'other';
  }
};

const layOut = (t: ExecutionContext, files: Files): string => {
  const folder = makeFolder(t);
  for (const name of NAMES) fs.writeFileSync(path.join(folder, name), files[name]);
  return folder;
};

for (const name of NAMES) {
  test(`${name} of a home › given any one flipped bit › it is refused as damaged, or reads the same`, async (t) => {
    const files = await filesOfHome(t);
    const folder = layOut(t, files);
    const expected = await contentOf(folder);
    const bits = files[name].length * 8;
    // The first and the last bytes all of them: that is where the frame of the file stands.
    const edges = Array.from({ length: 64 * 8 }, (_, bit) => [bit, bits - 1 - bit]).flat();
    const sampled = fc.sample(fc.noBias(fc.integer({ min: 0, max: bits - 1 })), FLIPS);
    const wrong: number[] = [];
    let refused = 0;
    for (const bit of [...edges, ...sampled]) {
      const bytes = Buffer.from(files[name]);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const verdict = await judge(folder, name, bytes, expected);
      if (verdict === 'other') wrong.push(bit);
      if (verdict === 'refused') refused += 1;
    }
    t.deepEqual(wrong, [], `${wrong.length} of ${edges.length + FLIPS} flips opened with other content`);
    t.true(refused > FLIPS / 2);
  });
}

test('treasury.json of a home › given a line that is missing, doubled or moved › it is refused as damaged', async (t) => {
  const files = await filesOfHome(t);
  const folder = layOut(t, files);
  const expected = await contentOf(folder);
  const lines = files['treasury.json'].toString('utf8').trimEnd().split('\n');
  t.true(lines.length > 10, 'a document has a line of its own');
  for (let index = 1; index < lines.length - 2; index += 1) {
    const line = lines[index] ?? '';
    const next = lines[index + 1] ?? '';
    const changed = [
      lines.toSpliced(index, 1),
      lines.toSpliced(index, 0, line),
      // Two indexes may end and begin with the same line.
      ...(next === line ? [] : [lines.toSpliced(index, 2, next, line)]),
    ];
    for (const made of changed) {
      const bytes = Buffer.from(`${made.join('\n')}\n`);
      t.is(await judge(folder, 'treasury.json', bytes, expected), 'refused', line);
    }
  }
});
