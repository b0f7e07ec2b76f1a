/** What the monitor reads, asks and follows: what has ended costs nothing, and what the chain has no news of waits. */
import { cpSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { alice } from '../../../fixtures/people.js';
import { openJsonStore } from '../../../src/adapters/store/json-store.js';
import type { LocalChain } from '../../../src/adapters/local-chain/local-chain.js';
import { collections } from '../../../src/collections.js';
import { chainMonitor, type ChainMonitor } from '../../../src/daemon/monitor/chain-monitor.js';
import type { Context } from '../../../src/operation/context.js';
import { loadDeployables } from '../../../src/products/index.js';
import { streamCollection } from '../../../src/products/streams/index.js';
import type { StreamRecord } from '../../../src/products/streams/stream.js';
import type { CovenantRecord } from '../../../src/record/deployable.js';
import { LIVE } from '../../../src/record/pool-record.js';
import { makeFolder } from '../../adapters/store/notes.js';
import { createStream, fundStream } from '../../products/streams/stream.js';
import { openTreasury, type Treasury } from '../../treasury.js';

type Watching = {
  readonly monitor: ChainMonitor;
  /** Ids of the records that were followed, one for each time. */
  readonly followed: readonly string[];
  /** Ids of the records that were read. */
  readonly read: ReadonlySet<string>;
  readonly errors: readonly Record<string, unknown>[];
};

/** A monitor whose reads and follows are counted; it has had its first look, and ticks after that long. */
const watch = async (t: ExecutionContext, { app }: Treasury, tickMs = 3_600_000): Promise<Watching> => {
  const followed: string[] = [];
  const read = new Set<string>();
  const errors: Record<string, unknown>[] = [];
  const { store } = app.context;
  const own = new Set(app.deployables.map(({ collection }) => collection.name));
  const context: Context = {
    ...app.context,
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (fields) => errors.push(fields),
    },
    store: {
      ...store,
      get: async (collection, id) => {
        if (own.has(collection.name) && (await store.get(collection, id)) !== null) read.add(id);
        return store.get(collection, id);
      },
      find: async (collection, query) => {
        const page = await store.find(collection, query);
        if (own.has(collection.name)) for (const { id } of page.items) read.add(id);
        return page;
      },
    },
  };
  const deployables = app.deployables.map((deployable) => ({
    ...deployable,
    follow: (id: string, given: Context) => {
      followed.push(id);
      return deployable.follow(id, given);
    },
  }));
  const monitor = chainMonitor({ context, deployables, tickMs });
  t.teardown(monitor.stop);
  await monitor.start();
  await monitor.idle();
  return { monitor, followed, read, errors };
};

const chainOf = ({ app }: Treasury): LocalChain => app.context.localChain as unknown as LocalChain;
const stored = async ({ app }: Treasury, id: string): Promise<StreamRecord> =>
  (await app.context.store.get(streamCollection, id)) as StreamRecord;

const until = async (isThere: () => boolean): Promise<void> => {
  while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 10));
};

test('watch list › given a record that has ended and is safe › the monitor does not read it, nor with a block', async (t) => {
  const treasury = await openTreasury(t);
  const ended = await fundStream(treasury);
  const live = await fundStream(treasury);
  const first = await watch(t, treasury);
  await ended.move(alice, 'cancel');
  await chainOf(treasury).mine(7);
  await first.monitor.idle();
  await first.monitor.stop();
  t.true(first.read.has(ended.id));

  const { monitor, read } = await watch(t, treasury);
  await chainOf(treasury).mine(1);
  await monitor.idle();
  t.deepEqual([...read], [live.id]);
  t.is(monitor.figures().watched, 1);
});

test('watch list › given many records of which the chain has no news › each is followed once, some of them at a time', async (t) => {
  const treasury = await openTreasury(t);
  const ids: string[] = [];
  for (let index = 0; index < 25; index += 1) ids.push((await createStream(treasury)).id);
  const slow = await watch(t, treasury);
  t.is(slow.monitor.figures().watched, 25);
  t.deepEqual(slow.followed, ids.slice(0, 20));
  await slow.monitor.stop();

  const quick = await watch(t, treasury, 20);
  await until(() => quick.followed.length >= 25);
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.deepEqual([...quick.followed].sort(), [...ids].sort());
});

test('watch list › given a record that was funded while nobody looked › it is followed before those without news', async (t) => {
  const treasury = await openTreasury(t);
  for (let index = 0; index < 25; index += 1) await createStream(treasury);
  await treasury.give(alice, 200_000_000n);
  const funded = await createStream(treasury);
  const { wcTransaction } = await treasury.ask(alice, 'streams.funding-info', { id: funded.id });
  await treasury.send(alice, wcTransaction);
  t.is((await stored(treasury, funded.id)).status, 'PENDING');
  const { followed } = await watch(t, treasury);
  t.true(followed.includes(funded.id));
  t.is((await stored(treasury, funded.id)).status, 'ACTIVE');
});

test('watch list › given an address on disk that is not that of the terms › it is watched, found damaged, and never paid', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 200_000_000n);
  const [damaged, other] = [await createStream(treasury), await fundStream(treasury)];
  const { contract_address } = await stored(treasury, other.id);
  const record = await stored(treasury, damaged.id);
  await treasury.app.context.store.transaction((writer) => {
    writer.put(streamCollection, { ...record, contract_address });
  });
  const { monitor, errors } = await watch(t, treasury);
  t.is(monitor.figures().watched, 2);
  t.like(errors, [{ err: { code: 'record_damaged' }, label: record.stream_id }]);
  t.is((await stored(treasury, damaged.id)).status, 'PENDING');
  await treasury.refusal(t, alice, 'streams.funding-info', { id: damaged.id }, 'record_damaged');
});

test('watch list › of a home of version 0.1.0 › the index of what lives has what every product says lives', async (t) => {
  const folder = makeFolder(t);
  cpSync(new URL('../../../fixtures/home-0.1.0/local', import.meta.url).pathname, folder, {
    recursive: true,
  });
  const store = await openJsonStore({ folder, collections });
  t.teardown(store.close);
  const context = { network: 'local' } as Context;
  for (const { collection, isLive, module } of await loadDeployables()) {
    const all = (await store.find(collection)).items as readonly CovenantRecord[];
    const live = (await store.find(collection, { where: { live: LIVE } })).items as readonly CovenantRecord[];
    t.true(all.length > 0, module);
    const expected = all.filter((record) => isLive(record, context)).map(({ id }) => id);
    t.deepEqual(
      live.map(({ id }) => id),
      expected,
      module,
    );
  }
});
