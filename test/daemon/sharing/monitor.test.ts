/** Monitors of several daemons in one process, on one chain and store: each follows its part, and nothing is left out. */
import test, { type ExecutionContext } from 'ava';
import { bob } from '../../../fixtures/people.js';
import type { LocalChain } from '../../../src/adapters/local-chain/local-chain.js';
import { chainMonitor, type ChainMonitor } from '../../../src/daemon/monitor/chain-monitor.js';
import { reorgWorkCollection } from '../../../src/daemon/monitor/told-reorgs.js';
import { createSharing, type Sharing } from '../../../src/daemon/sharing/share.js';
import type { Context } from '../../../src/operation/context.js';
import { eventLog } from '../../../src/record/event-log.js';
import { leaseHolderCollection } from '../../../src/record/leases.js';
import { shardOf, WORKERS } from '../../../src/record/works.js';
import { streamCollection } from '../../../src/products/streams/index.js';
import { fundStream, type StreamHandle } from '../../products/streams/stream.js';
import { openTreasury, type Treasury } from '../../treasury.js';

type Daemon = { readonly share: Sharing; readonly monitor: ChainMonitor; readonly followed: Set<string> };

/** A daemon that looks when it is told to; `followed` are the records whose changes it has committed. */
const openDaemon = (t: ExecutionContext, { app }: Treasury, changes: Partial<Context> = {}): Daemon => {
  const context = { ...app.context, ...changes };
  const followed = new Set<string>();
  const deployables = app.deployables.map((deployable) => ({
    ...deployable,
    follow: ((id, own) => {
      followed.add(id);
      return deployable.follow(id, own);
    }) as typeof deployable.follow,
  }));
  const share = createSharing({ context, tickMs: 3_600_000 });
  const monitor = chainMonitor({ context, deployables, share, tickMs: 3_600_000, tipMs: 0 });
  t.teardown(async () => {
    await monitor.stop();
    await share.stop();
  });
  return { share, monitor, followed };
};

/** Each takes its part, and looks at the chain. */
const settle = async (daemons: readonly Daemon[]): Promise<void> => {
  for (let round = 0; round < 3; round += 1) for (const { share } of daemons) await share.look();
  for (const { monitor } of daemons) {
    await monitor.start();
    await monitor.idle();
  }
};

/** Streams until both of two daemons have some; what their claims pay is not confirmed by anybody. */
const openStreams = async (treasury: Treasury, count: number): Promise<readonly StreamHandle[]> => {
  const streams: StreamHandle[] = [];
  for (let one = 0; one < count; one += 1) streams.push(await fundStream(treasury));
  return streams;
};

const chainOf = ({ app }: Treasury): LocalChain => app.context.localChain as unknown as LocalChain;
const claim = async (treasury: Treasury, { id }: StreamHandle): Promise<void> => {
  const built = await treasury.ask(bob, 'streams.claim', { id });
  await treasury.send(bob, built['wcTransaction']);
};
const claimed = async ({ app }: Treasury, { id }: StreamHandle): Promise<bigint> => {
  const stream = await app.context.store.get(streamCollection, id);
  return stream?.withdrawn_amount ?? -1n;
};

test('monitors › given two daemons › each follows the records of its shards, and together all of them', async (t) => {
  const treasury = await openTreasury(t);
  const streams = await openStreams(treasury, 6);
  const daemons = [openDaemon(t, treasury), openDaemon(t, treasury)];
  await settle(daemons);
  await chainOf(treasury).mine(1);
  await chainOf(treasury).advance(3 * 86_400);
  for (const stream of streams) await claim(treasury, stream);
  for (const { followed } of daemons) followed.clear();
  await settle(daemons);
  for (const stream of streams) {
    t.true((await claimed(treasury, stream)) > 0n);
    for (const { share, followed } of daemons)
      t.is(followed.has(stream.id), share.has(shardOf(stream.id)), stream.id);
  }
  const watched = daemons.map(({ monitor }) => monitor.figures().watched);
  t.is((watched[0] ?? 0) + (watched[1] ?? 0), streams.length);
});

test('monitors › given a daemon that is gone › the other follows what it had', async (t) => {
  const treasury = await openTreasury(t);
  const streams = await openStreams(treasury, 6);
  const [gone, other] = [openDaemon(t, treasury), openDaemon(t, treasury)];
  await settle([gone, other]);
  await gone.monitor.stop();
  await chainOf(treasury).advance(3 * 86_400);
  for (const stream of streams) await claim(treasury, stream);
  await gone.share.stop();
  await settle([other]);
  for (const stream of streams) t.true((await claimed(treasury, stream)) > 0n);
  t.is(other.monitor.figures().watched, streams.length);
});

test('monitors › given one that stood still while others took its work › what it then follows is not written', async (t) => {
  const treasury = await openTreasury(t);
  const { store } = treasury.app.context;
  const streams = await openStreams(treasury, 4);
  const still = openDaemon(t, treasury);
  await settle([still]);
  await chainOf(treasury).advance(3 * 86_400);
  // As whoever finds it over its time does.
  await store.transaction((writer) => {
    writer.remove(leaseHolderCollection, still.share.leases.holder());
  });
  const other = openDaemon(t, treasury);
  await other.share.look();
  for (const stream of streams) await claim(treasury, stream);
  const before = await Promise.all(streams.map((stream) => claimed(treasury, stream)));
  // It believes what it believed: what it has been told of is followed, and refused.
  await still.monitor.start();
  await still.monitor.idle();
  t.true(streams.some(({ id }) => still.followed.has(id)));
  t.deepEqual(await Promise.all(streams.map((stream) => claimed(treasury, stream))), before);
  t.is(still.monitor.figures().failures, 0);
  await settle([other]);
  for (const stream of streams) t.true((await claimed(treasury, stream)) > 0n);
});

test('monitors › given blocks that are taken back, and a daemon that ends before it has followed that › the next one does it', async (t) => {
  const treasury = await openTreasury(t);
  const { store } = treasury.app.context;
  const streams = await openStreams(treasury, 6);
  await chainOf(treasury).mine(2);
  const [first, second] = [openDaemon(t, treasury), openDaemon(t, treasury)];
  await settle([first, second]);
  const [noticing, other] = first.share.has(WORKERS.blocks) ? [first, second] : [second, first];
  await other.monitor.stop();
  await chainOf(treasury).advance(3 * 86_400);
  for (const stream of streams) await claim(treasury, stream);
  await chainOf(treasury).mine(1);
  await settle([noticing]);
  await chainOf(treasury).reorg(1);
  await settle([noticing]);
  const work = await store.get(reorgWorkCollection, 'outstanding');
  t.deepEqual(
    new Set(work?.shards),
    new Set(work?.shards.filter(other.share.has)),
    'what is left is of the one that does nothing',
  );
  t.is(work?.shards.length, 32);
  await other.share.stop();
  await settle([noticing]);
  t.is(await store.get(reorgWorkCollection, 'outstanding'), null);
  const { entries } = await store.readLog(eventLog, { after: 0, limit: 1_000 });
  t.is(entries.filter(({ type }) => type === 'chain.reorg').length, 1);
});
