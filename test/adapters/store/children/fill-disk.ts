/** Commits until the disk refuses (its files may not grow beyond a limit), and says what the store holds then. */
import { writeSync } from 'node:fs';
import { openJsonStore } from '../../../../src/adapters/store/json-store.js';
import { note, notes } from '../notes.js';

// Else the system ends the process instead of refusing the write.
process.on('SIGXFSZ', () => undefined);
const [, , folder = ''] = process.argv;
const store = await openJsonStore({ folder, collections: [notes], foldAfterBytes: 2 ** 30 });
const put = (id: string, length: number) =>
  store.transaction(async (writer) => {
    await writer.next('puts');
    writer.put(notes, note(id, { owner: 'o'.repeat(length) }));
  });

let answered = 0;
let refusal: unknown = null;
while (refusal === null) {
  try {
    // Two at a time: they are written together, so both or none must be there.
    await Promise.all([put(`long-${answered}`, 5_000), put(`long-${answered + 1}`, 5_000)]);
    answered += 2;
  } catch (error) {
    refusal = (error as NodeJS.ErrnoException).code;
  }
}
const { total } = await store.find(notes);
await put('short', 1);
writeSync(1, `${JSON.stringify({ answered, refusal, total })}\n`);
// The files are left as a crash would leave them.
process.exit(0);
