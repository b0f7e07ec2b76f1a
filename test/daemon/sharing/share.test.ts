/** Daemons that share the work, in one process, on a clock that is moved. */
import test, { type ExecutionContext } from 'ava';
import { noMeters, type GaugeName } from '../../../src/operation/ports/meters.js';
import { createSharing, type Sharing } from '../../../src/daemon/sharing/share.js';
import { leaseCollection } from '../../../src/record/leases.js';
import { shardOf, shards, WORKERS } from '../../../src/record/works.js';
import { fakeContext } from '../../operation/fake-context.js';
import { memoryStore } from '../../http/memory-store.js';

const openStore = () => {
  const clock = { now: 1_700_000_000_000 };
  const store = { ...memoryStore(), isShared: true, time: () => Promise.resolve(clock.now) };
  let drawn = 0;
  const daemon = (gauges = new Map<GaugeName, number>()): Sharing =>
    createSharing({
      context: fakeContext({
        store,
        uuid: () => `daemon ${String((drawn += 1)).padStart(2, '0')}`,
        meters: { ...noMeters, set: (name, value) => void gauges.set(name, value) },
      }),
    });
  return { clock, store, daemon };
};

const works = [...shards, ...Object.values(WORKERS)];
const countOf = ({ has }: Sharing, of: readonly string[] = shards): number => of.filter(has).length;
/** Each work is done by one of them. */
const checkCovered = (t: ExecutionContext, daemons: readonly Sharing[]): void => {
  for (const work of works) t.is(daemons.filter(({ has }) => has(work)).length, 1, work);
};
const looks = async (daemons: readonly Sharing[], times = 3): Promise<void> => {
  for (let time = 0; time < times; time += 1) for (const daemon of daemons) await daemon.look();
};

test('sharing › given one daemon › it has all of the work after its first look', async (t) => {
  const { daemon } = openStore();
  const gauges = new Map<GaugeName, number>();
  const alone = daemon(gauges);
  await alone.look();
  checkCovered(t, [alone]);
  t.true(alone.isAlone());
  t.deepEqual(
    [
      gauges.get('daemons'),
      gauges.get('shards_held'),
      gauges.get('workers_held'),
      gauges.get('webhooks_held'),
    ],
    [1, 64, 4, 0],
  );
});

test('sharing › given daemons that join and leave › each has its part within three looks, and each work is done by one', async (t) => {
  const { daemon } = openStore();
  const daemons: Sharing[] = [];
  for (let count = 1; count <= 5; count += 1) {
    daemons.push(daemon());
    await looks(daemons);
    checkCovered(t, daemons);
    const counts = daemons.map((one) => countOf(one));
    t.true(Math.max(...counts) - Math.min(...counts) <= 1, counts.join());
  }
  while (daemons.length > 1) {
    await daemons.shift()?.stop();
    await looks(daemons);
    checkCovered(t, daemons);
    const counts = daemons.map((one) => countOf(one));
    t.true(Math.max(...counts) - Math.min(...counts) <= 1, counts.join());
  }
});

test('sharing › given one that stands still › the others do its work after its time, and it begins anew', async (t) => {
  const { clock, store, daemon } = openStore();
  const still = daemon();
  const others = [daemon(), daemon()];
  await looks([still, ...others]);
  const own = shards.filter(still.has);
  const stores = own.map((shard) => still.storeFor(shard));
  for (let seconds = 0; seconds < 16; seconds += 1) {
    clock.now += 1_000;
    await looks(others, 1);
  }
  await looks(others);
  checkCovered(t, others);
  for (const late of stores)
    await t.throwsAsync(
      late?.transaction((writer) => {
        writer.put(leaseCollection, { id: 'late', holder: null, fence: 0 });
      }) ?? Promise.resolve(),
      { code: 'lease_lost' },
    );
  t.is(await store.get(leaseCollection, 'late'), null);
  await looks([still, ...others]);
  checkCovered(t, [still, ...others]);
  t.true(countOf(still) >= 21);
});

test('sharing › given work that is begun › it goes to another when it has ended', async (t) => {
  const { daemon } = openStore();
  const first = daemon();
  await first.look();
  const begun = shards.map((shard) => first.begin(shard));
  const second = daemon();
  await looks([first, second]);
  t.is(countOf(second), 0);
  const unwanted = begun.filter((one) => one?.isWanted() === false);
  t.is(unwanted.length, 32);
  // Nothing more is begun with what is to go.
  t.is(countOf(first), 32);
  for (const one of begun) one?.end();
  await looks([first, second]);
  t.is(countOf(second), 32);
  checkCovered(t, [first, second]);
});

test('shards › given ten thousand ids › they are spread evenly', (t) => {
  const counts = new Map<string, number>();
  for (let id = 0; id < 10_000; id += 1) {
    const shard = shardOf(`0192a7c4-${String(id).padStart(4, '0')}-7000-8000-000000000000`);
    counts.set(shard, (counts.get(shard) ?? 0) + 1);
  }
  t.is(counts.size, 64);
  t.true(Math.min(...counts.values()) > 90, String(Math.min(...counts.values())));
  t.true(Math.max(...counts.values()) < 240, String(Math.max(...counts.values())));
});
