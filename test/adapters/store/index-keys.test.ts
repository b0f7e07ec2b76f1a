/**
 * What is stored under an index is not worked out anew when a program is replaced by a newer one. So whoever changes what
 * an index function answers raises the collection's revision; this test tells when somebody has not.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { openSnapshot } from '../../../src/adapters/store/snapshot-file.js';
import { openJsonStore } from '../../../src/adapters/store/json-store.js';
import { collections } from '../../../src/collections.js';
import { makeFolder } from './notes.js';

const HOME = new URL('../../../fixtures/home-0.1.0/local', import.meta.url).pathname;
const KNOWN = new URL('../../../fixtures/index-keys.json', import.meta.url).pathname;

/** Of every index of a home that version 0.1.0 left, a hash of what stands under it. */
const hashesOfHome = async (folder: string): Promise<Record<string, string>> => {
  fs.cpSync(HOME, folder, { recursive: true });
  const store = await openJsonStore({ folder, collections });
  await store.fold();
  await store.close();
  const found = openSnapshot(path.join(folder, 'treasury.json'));
  if (found?.form !== 'today') throw new Error('the home was not written anew');
  const hashes = [...found.file.tables].flatMap(([name, table]) =>
    (table.names ?? []).map((index) => {
      const lines = table.lines(index);
      const hash = createHash('sha256').update(lines).digest('hex').slice(0, 16);
      return lines.length === 0 ? [] : [`${name} ${index}`, hash];
    }),
  );
  found.file.close();
  return Object.fromEntries(hashes.filter((entry) => entry.length === 2)) as Record<string, string>;
};

test('indexes › of every collection › find in an old home what they found, or are another revision', async (t) => {
  const hashes = await hashesOfHome(makeFolder(t));
  const known = JSON.parse(fs.readFileSync(KNOWN, 'utf8')) as Record<string, string>;
  t.deepEqual(
    hashes,
    known,
    'an index function answers otherwise: raise the `revision` of its collection, then write fixtures/index-keys.json anew',
  );
});
