/** Draws numbers of a counter and keeps each in a note; says which it drew. */
import { writeSync } from 'node:fs';
import { openJsonStore } from '../../../../src/adapters/store/json-store.js';
import { note, notes } from '../notes.js';

const [, , folder = '', times = ''] = process.argv;
const store = await openJsonStore({ folder, collections: [notes], foldAfterBytes: 2_000 });
for (let round = 0; round < Number(times); round += 1) {
  const drawn = await store.transaction(async (writer) => {
    const number = await writer.next('note');
    writer.put(notes, note(`note-${number}`, { owner: String(process.pid) }));
    return number;
  });
  writeSync(1, `${drawn}\n`);
}
await store.close();
