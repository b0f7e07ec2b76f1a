/** What a log holds after its process has died at any use of a file, also when the power went with it. */
import test, { type ExecutionContext } from 'ava';
import { openJsonStore, type JsonStore } from '../../../src/adapters/store/json-store.js';
import { randomOf } from '../../simulate/random.js';
import { atLength } from '../../at-length.js';
import { append, events, entriesOf, numbered } from './events.js';
import { createMortalHost, Died, type Mortal, type MortalHost } from './mortal.js';
import { notes } from './notes.js';

const folder = '/home/local';
const open = (): Promise<JsonStore> => openJsonStore({ folder, collections: [notes], segmentBytes: 150 });

/** Appends numbered entries and folds, and says how many were answered for. */
const work = async (told: { answered: number; begun: number }): Promise<void> => {
  const store = await open();
  const { last } = await store.readLog(events, { after: 0, limit: 0 });
  // What nobody was answered for may be there all the same.
  [told.answered, told.begun] = [Math.max(told.answered, last), Math.max(told.begun, last)];
  for (const many of [1, 2, 5, 1, 3]) {
    told.begun = told.answered + many;
    await append(store, ...numbered(told.answered + 1, told.begun).map((entry) => entry.split(' ')[1] ?? ''));
    told.answered = told.begun;
    await store.fold();
  }
  await store.close();
};

const untilDeath = async (process: Mortal, told: { answered: number; begun: number }): Promise<void> => {
  await process
    .run(() => work(told))
    .catch((error: unknown) => {
      if (!(error instanceof Died) && process.isAlive()) throw error;
    });
};

/** All that was answered for is there, once and in order; a commit that was not is there whole, or not at all. */
const check = async (
  t: ExecutionContext,
  host: MortalHost,
  told: { answered: number; begun: number },
  label: string,
): Promise<void> => {
  await host.start().run(async () => {
    const store = await openJsonStore({ folder, collections: [notes], verifies: true, segmentBytes: 150 });
    const found = await entriesOf(store);
    t.true(found.length === told.answered || found.length === told.begun, `${label}: ${found.length}`);
    t.deepEqual(found, numbered(1, found.length), label);
    for (let after = 0; after <= found.length; after += 3)
      t.deepEqual(await entriesOf(store, after, 2), found.slice(after, after + 2), label);
    await store.close();
    told.answered = found.length;
  });
};

/** How often the work uses its files when nobody dies. */
const usesOf = async (): Promise<number> => {
  const process = createMortalHost().start();
  await process.run(() => work({ answered: 0, begun: 0 }));
  return process.uses();
};

test('log › given a kill at any use of a file › what was answered for is there once, and it goes on', async (t) => {
  const uses = await usesOf();
  t.true(uses > 300, `${uses}`);
  for (let at = 1; at <= uses; at += atLength(1, 5)) {
    const host = createMortalHost();
    const told = { answered: 0, begun: 0 };
    await untilDeath(host.start(at), told);
    await check(t, host, told, `killed at ${at}`);
    await untilDeath(host.start(), told);
    await check(t, host, told, `killed at ${at}, gone on`);
  }
});

test('append › costs a commit no sync of its own', async (t) => {
  const host = createMortalHost();
  let syncs = 0;
  const { sync } = host.disk;
  Object.assign(host.disk, {
    sync: (fd: number) => {
      syncs += 1;
      sync(fd);
    },
  });
  await host.start().run(async () => {
    const store = await open();
    await append(store, 'e1');
    syncs = 0;
    await append(store, 'e2', 'e3');
    await append(store, 'e4');
    t.is(syncs, 2);
  });
});

const cutOften = async (t: ExecutionContext, seed: string, uses: number): Promise<void> => {
  const random = randomOf(seed);
  const host = createMortalHost();
  const told = { answered: 0, begun: 0 };
  for (let round = 1; round <= 3; round += 1) {
    // One that goes on with what another has left, which is on no disk yet.
    for (let killed = random.whole(0, 2); killed >= 0; killed -= 1)
      await untilDeath(host.start(random.whole(1, uses)), told);
    host.cutPower(random);
    await check(t, host, told, `${seed} ${round}`);
    // What has only been looked at may be lost with the names that looking has made.
    host.cutPower(random);
  }
  await untilDeath(host.start(), told);
  await check(t, host, told, `${seed} gone on`);
};

test('log › given that the power is cut at any time, with writes torn and out of order › what was answered for is there once', async (t) => {
  const uses = await usesOf();
  const rounds = atLength(3_000, 120);
  for (let round = 0; round < rounds; round += 1) await cutOften(t, `cut ${round}`, uses);
});
