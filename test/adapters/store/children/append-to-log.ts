/** Appends entries to a log, and folds every now and then; says which. */
import { writeSync } from 'node:fs';
import { openJsonStore } from '../../../../src/adapters/store/json-store.js';
import { append } from '../events.js';
import { notes } from '../notes.js';

const [, , folder = '', times = ''] = process.argv;
const store = await openJsonStore({
  folder,
  collections: [notes],
  foldAfterBytes: 1_000,
  segmentBytes: 2_000,
});
for (let round = 0; round < Number(times); round += 1) {
  const id = `${process.pid}-${round}`;
  await append(store, id);
  writeSync(1, `${id}\n`);
}
await store.close();
