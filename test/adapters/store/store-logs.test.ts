/** What the logs of every store do. */
import { onEachStore } from './each-store.js';
import { append, entriesOf, events } from './events.js';
import { note, notes } from './notes.js';

onEachStore('log › entries come in the order of commits, decoded, with their sequence', async (t, place) => {
  const store = await place.open();
  await store.transaction((writer) => {
    writer.append(events, { id: 'a', amount: 9_007_199_254_740_993n });
  });
  await append(store, 'b', 'c');
  const page = await store.readLog(events, { after: 0, limit: 2 });
  t.deepEqual(page, {
    entries: [
      { sequence: 1, id: 'a', amount: 9_007_199_254_740_993n },
      { sequence: 2, id: 'b' },
    ],
    last: 3,
  });
  t.true(Object.isFrozen(page.entries[0]));
  t.deepEqual(await entriesOf(store, 1), ['2 b', '3 c']);
  t.deepEqual(await entriesOf(store, 3), []);
  t.deepEqual(await entriesOf(store, 99), []);
});

onEachStore('append › until it is on disk › reads outside do not see it', async (t, place) => {
  const store = await place.open();
  const read = () => store.readLog(events, { after: 0, limit: 9 });
  const nothing = { entries: [], last: 0 };
  const hasRun: string[] = [];
  const written = store.transaction(async (writer) => {
    writer.append(events, { id: 'a' });
    // A database may have it by the time that others ask.
    if (place.kind === 'PostgreSQL') t.deepEqual(await read(), nothing);
    hasRun.push('a');
  });
  if (place.kind === 'files') {
    while (hasRun.length === 0) await Promise.resolve();
    t.deepEqual(await read(), nothing);
  }
  await written;
  t.deepEqual(await entriesOf(store), ['1 a']);
});

onEachStore(
  'append › given an entry that does not validate › it is a defect, and nothing of the commit happens',
  async (t, place) => {
    const store = await place.open();
    const bad = store.transaction((writer) => {
      writer.put(notes, note('a'));
      writer.append(events, { id: 7 } as never);
    });
    await t.throwsAsync(bad, { message: /an entry of events cannot be stored: id: / });
    t.is((await store.find(notes)).total, 0);
    await append(store, 'b');
    t.deepEqual(await entriesOf(store), ['1 b']);
  },
);
