/** Commits from four sides at once and says of each commit when it is done, until it is killed. */
import { writeSync } from 'node:fs';
import { openJsonStore } from '../../../../src/adapters/store/json-store.js';
import { note, notes } from '../notes.js';

const [, , folder = '', name = ''] = process.argv;
const store = await openJsonStore({ folder, collections: [notes], foldAfterBytes: 3_000 });
const commitOn = async (side: number): Promise<void> => {
  for (let round = 0; ; round += 1) {
    const id = `${name}-${side}-${round}`;
    await store.transaction((writer) => {
      writer.put(notes, note(`${id}-first`));
      writer.put(notes, note(`${id}-second`));
    });
    writeSync(1, `${id}\n`);
  }
};
await Promise.all([0, 1, 2, 3].map(commitOn));
