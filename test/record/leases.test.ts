/** Leases over a store, with a clock that stands still unless it is moved. */
import test, { type ExecutionContext } from 'ava';
import { TreasuryError } from '../../src/errors.js';
import type { StorePort } from '../../src/operation/ports/store.js';
import {
  fenced,
  holdersAlive,
  leaseCollection,
  leaseHolderCollection,
  openLeases,
  readLeaseTable,
} from '../../src/record/leases.js';
import { contactCollection } from '../../src/record/contacts.js';
import { memoryStore } from '../http/memory-store.js';

const SECOND = 1_000;

/** A store and the processes on it; `isShared`: as one that several machines use. */
const openWorld = (isShared: boolean) => {
  const world = { now: 1_700_000_000_000, commits: 0, ended: new Set<number>() };
  const inMemory = memoryStore();
  const store: StorePort = {
    ...inMemory,
    isShared,
    time: () => Promise.resolve(world.now),
    transaction: (change) => {
      world.commits += 1;
      return inMemory.transaction(change);
    },
  };
  let drawn = 0;
  const process = (pid: number, isDaemon = true) => {
    const processes = {
      self: () => ({ pid, startTicks: null, bootId: null }),
      isGone: (name: { readonly pid: number }) => world.ended.has(name.pid),
    };
    const leases = openLeases({ store, processes, uuid: () => `holder ${(drawn += 1)}` }, { isDaemon });
    return {
      ...leases,
      ask: async (take: readonly string[]) => leases.change(await leases.look(), { take }),
    };
  };
  return { world, store, process };
};

const write = (store: StorePort, id: string): Promise<void> =>
  store.transaction((writer) => {
    writer.put(leaseCollection, { id: `written ${id}`, holder: null, fence: 0 });
  });
const wasWritten = async (store: StorePort, id: string): Promise<boolean> =>
  (await store.get(leaseCollection, `written ${id}`)) !== null;

const refusesToWrite = async (t: ExecutionContext, store: StorePort): Promise<void> => {
  await t.throwsAsync(write(store, 'late'), { instanceOf: TreasuryError, code: 'lease_lost' });
  t.false(await wasWritten(store, 'late'));
};

for (const isShared of [true, false]) {
  const where = isShared ? 'a store of several machines' : 'a home';

  test(`leases › on ${where} › one that stood still past its time writes nothing more`, async (t) => {
    const { world, store, process } = openWorld(isShared);
    const [still, other] = [process(1), process(2)];
    // In a home the time is short once somebody else is there.
    await other.ask([]);
    await still.ask(['a', 'b']);
    const held = still.held('a');
    if (held === null) throw new Error('it has no lease');
    const own = fenced(store, held);
    await write(own, 'in time');
    t.true(await wasWritten(store, 'in time'));
    world.now += 14 * SECOND;
    await other.ask(['a']);
    t.is(other.held('a'), null);
    world.now += 2 * SECOND;
    await other.ask(['a']);
    t.is(other.held('a')?.fence, 2);
    // It wakes up, and believes that it has what it had.
    await refusesToWrite(t, own);
    t.false(await still.change(await still.look(), { take: ['b'] }));
    t.deepEqual(still.works(), []);
    // It begins anew, as another holder, and takes what is free.
    await still.ask(['a', 'b']);
    t.deepEqual(still.works(), ['b']);
    t.is(still.held('b')?.fence, 2);
    await refusesToWrite(t, own);
  });

  test(`leases › on ${where} › a lease that was given back is the next one's, and its number rises`, async (t) => {
    const { store, process } = openWorld(isShared);
    const [one, other] = [process(1), process(2)];
    await one.ask(['a']);
    const held = one.held('a');
    if (held === null) throw new Error('it has no lease');
    await one.change(await one.look(), { give: ['a'] });
    t.is(one.held('a'), null);
    await other.ask(['a']);
    t.is(other.held('a')?.fence, 2);
    await refusesToWrite(t, fenced(store, held));
    await other.leave();
    await one.ask(['a']);
    t.is(one.held('a')?.fence, 3);
    t.is((await store.find(leaseHolderCollection)).total, 1);
  });
}

test('leases › in a home › they end at once with their process', async (t) => {
  const { world, process } = openWorld(false);
  const [one, other] = [process(1), process(2)];
  await one.ask(['a']);
  await other.ask(['a']);
  t.is(other.held('a'), null);
  world.ended.add(1);
  await other.ask(['a']);
  t.is(other.held('a')?.fence, 2);
});

test('leases › on a store of several machines › a process id says nothing about a holder', async (t) => {
  const { world, process } = openWorld(true);
  const [one, other] = [process(1), process(1)];
  await one.ask(['a']);
  world.ended.add(1);
  await other.ask(['a']);
  t.is(other.held('a'), null);
  world.now += 15 * SECOND;
  await other.ask(['a']);
  t.is(other.held('a')?.fence, 2);
});

test('leases › in a home with one process › nothing is written for minutes', async (t) => {
  const { world, process } = openWorld(false);
  const alone = process(1);
  await alone.ask(['a']);
  const before = world.commits;
  for (let seconds = 0; seconds < 180; seconds += 1) {
    world.now += SECOND;
    await alone.ask([]);
  }
  t.is(world.commits, before);
  for (let seconds = 0; seconds < 600; seconds += 1) {
    world.now += SECOND;
    await alone.ask([]);
  }
  t.is(world.commits, before + 3);
});

test('leases › in a home where another comes › both are heard of every five seconds, until one is alone again', async (t) => {
  const { world, store, process } = openWorld(false);
  const [one, other] = [process(1), process(2)];
  await one.ask(['a']);
  await other.ask([]);
  await one.ask([]);
  const untils = async () =>
    (await store.find(leaseHolderCollection, { order: 'oldest' })).items.map(({ until }) => until);
  t.deepEqual(await untils(), [world.now + 15 * SECOND, world.now + 15 * SECOND]);
  const before = world.commits;
  for (let seconds = 0; seconds < 60; seconds += 1) {
    world.now += SECOND;
    await one.ask([]);
    await other.ask([]);
  }
  t.is(world.commits - before, 20);
  await other.leave();
  world.now += 6 * SECOND;
  await one.ask([]);
  t.deepEqual(await untils(), [world.now + 600 * SECOND]);
});

test('leases › given a clock that was set back, or forward, by a day › its holder is not taken for gone while it renews', async (t) => {
  const { world, process } = openWorld(true);
  const [one, other] = [process(1), process(2)];
  await one.ask(['a']);
  for (const days of [-1, 1]) {
    world.now += days * 86_400 * SECOND;
    await one.ask([]);
    await other.ask(['a']);
    t.is(other.held('a'), null);
    t.is(one.held('a')?.fence, 1);
  }
  // Who is not there to renew is not believed for a day, either.
  world.now -= 86_400 * SECOND;
  await other.ask(['a']);
  t.is(other.held('a')?.fence, 2);
});

test('leases › given two that find the same free › one has it', async (t) => {
  const { store, process } = openWorld(true);
  const holders = [process(1), process(2), process(3)];
  const tables = await Promise.all(holders.map((holder) => holder.look()));
  await Promise.all(
    holders.map((holder, index) =>
      holder.change(tables[index] ?? { now: 0, alive: [], gone: [], leases: [] }, { take: ['a', 'b'] }),
    ),
  );
  t.deepEqual(
    holders.map((holder) => holder.works()).filter((works) => works.length > 0),
    [['a', 'b']],
  );
  const { leases } = await readLeaseTable({
    store,
    processes: { self: () => ({ pid: 9, startTicks: null, bootId: null }), isGone: () => false },
  });
  t.deepEqual(
    leases.map(({ fence }) => fence),
    [1, 1],
  );
  t.is((await store.find(contactCollection)).total, 0);
});

test('holders › given one at work, and one that is over its time › the first is named, with its process', async (t) => {
  const { world, store, process } = openWorld(true);
  const processes = { self: () => ({ pid: 1, startTicks: null, bootId: null }), isGone: () => false };
  const alive = () => holdersAlive({ store, processes });
  t.deepEqual(await alive(), []);
  await process(12).ask(['a']);
  await process(13, false).ask(['b']);
  t.deepEqual((await alive()).toSorted(), ['a command (process 13)', 'a daemon (process 12)']);
  world.now += 15 * SECOND;
  t.deepEqual(await alive(), []);
});
