import test, { type ExecutionContext } from 'ava';
import { alice, bob, dave, type Person } from '../../../fixtures/people.js';
import { openPrometheusMeters } from '../../../src/adapters/meters/prometheus-meters.js';
import type { LocalChain } from '../../../src/adapters/local-chain/local-chain.js';
import { parseAddress } from '../../../src/bch/address.js';
import { sumSatoshis } from '../../../src/bch/coins.js';
import { THREAD_DUST } from '../../../src/bch/transaction.js';
import { TreasuryError } from '../../../src/errors.js';
import type { Context } from '../../../src/operation/context.js';
import { createReorgTeller } from '../../../src/daemon/monitor/told-reorgs.js';
import type { Tip } from '../../../src/operation/ports/chain.js';
import { eventLog } from '../../../src/record/event-log.js';
import { eventsOf, type EventRecord } from '../../../src/record/events.js';
import type { Deployable } from '../../../src/record/deployable.js';
import { chainMonitor, type ChainMonitor } from '../../../src/daemon/monitor/chain-monitor.js';
import { claimCollection, streamCollection } from '../../../src/products/streams/index.js';
import type { StreamRecord } from '../../../src/products/streams/stream.js';
import { voteLockCollection } from '../../../src/products/governance/index.js';
import { vaultCollection } from '../../../src/products/vaults/index.js';
import { buildLock, propose, share } from '../../products/governance/proposal.js';
import { advance, createStream, DAY, fundStream, type StreamHandle } from '../../products/streams/stream.js';
import { openWire } from '../../acceptance/wire-world.js';
import { until } from '../../adapters/electrum/electrum-fixture.js';
import { createVault } from '../../products/vaults/vault.js';
import { openTreasury, type Treasury } from '../../treasury.js';

type Line = { readonly level: string; readonly fields: Record<string, unknown>; readonly message: string };

const recordLog = () => {
  const lines: Line[] = [];
  const at = (level: string) => (fields: Record<string, unknown>, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, log: { info: at('info'), warn: at('warn'), error: at('error') } };
};

type Watching = ChainMonitor & { readonly lines: readonly Line[] };

/** A monitor that has caught up; stopped when the test ends. It ticks so seldom that nothing depends on it. */
const watch = async (
  t: ExecutionContext,
  { app }: Treasury,
  changes: { readonly context?: Partial<Context>; readonly deployables?: readonly Deployable[] } = {},
): Promise<Watching> => {
  const { lines, log } = recordLog();
  const context = { ...app.context, log, ...changes.context };
  const monitor = chainMonitor({
    context,
    deployables: changes.deployables ?? app.deployables,
    tickMs: 3_600_000,
  });
  t.teardown(monitor.stop);
  await monitor.start();
  await monitor.idle();
  return { ...monitor, lines };
};

const chainOf = ({ app }: Treasury): LocalChain => app.context.localChain as unknown as LocalChain;

/** The stream as the store has it: nobody asks the chain. */
const stored = async ({ app }: Treasury, { id }: Pick<StreamHandle, 'id'>): Promise<StreamRecord> =>
  (await app.context.store.get(streamCollection, id)) as StreamRecord;

const events = async ({ app }: Treasury, { id }: Pick<StreamHandle, 'id'>): Promise<readonly EventRecord[]> =>
  (await eventsOf(app.context.store, id)).filter(({ tx_hash }) => tx_hash !== null);

/** Builds, signs and broadcasts a step, and confirms nothing; returns the transaction id. */
const send = async (treasury: Treasury, who: Person, operation: string, input: Record<string, unknown>) => {
  const built = await treasury.ask(who, operation, input);
  return treasury.send(who, built['wcTransaction']);
};

/** The signed claim of an amount, not sent yet. */
const signClaim = async (treasury: Treasury, { id }: StreamHandle, amount: string): Promise<string> => {
  const built = await treasury.ask(bob, 'streams.claim', { id, amount });
  return treasury.sign(bob, built['wcTransaction']);
};

/** What lies in the covenant of a stream beyond its dust, satoshis. */
const poolOf = async (treasury: Treasury, stream: StreamHandle): Promise<bigint> => {
  const { lockingBytecode } = parseAddress((await stored(treasury, stream)).contract_address);
  const held = sumSatoshis(await chainOf(treasury).coins(lockingBytecode));
  return held === 0n ? 0n : held - THREAD_DUST;
};

test('chain monitor › given a funding that nobody confirms › the stream is ACTIVE', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await createStream(treasury);
  const monitor = await watch(t, treasury);
  const txHash = await send(treasury, alice, 'streams.funding-info', { id: stream.id });
  await monitor.idle();
  t.like(await stored(treasury, stream), { status: 'ACTIVE', tx_hash: txHash });
  t.like(await events(treasury, stream), [{ event_type: 'funded', tx_hash: txHash, certainty: 'confirmed' }]);
});

test('chain monitor › given a gift to a vault › it is in its balance', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await createVault(treasury);
  await vault.deposit();
  await treasury.give(dave, 20_000_000n);
  const monitor = await watch(t, treasury);
  const before = (await treasury.app.context.store.get(vaultCollection, vault.id))?.balance ?? 0n;
  await vault.gift(dave, '0.01');
  await monitor.idle();
  t.is((await treasury.app.context.store.get(vaultCollection, vault.id))?.balance, before + 1_000_000n);
});

test('chain monitor › given a vote that is locked and not confirmed › it counts', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [[bob, '100']]);
  const proposalId = await propose(treasury, { tokenCategory });
  const built = await buildLock(treasury, bob, { proposalId, voteChoice: 'FOR', stakeAmount: '40' });
  const monitor = await watch(t, treasury);
  await treasury.send(bob, built['wcTransaction']);
  await monitor.idle();
  t.like((await treasury.app.context.store.find(voteLockCollection)).items, [
    { status: 'LOCKED', lock: { stake: 4_000n } },
  ]);
});

test('chain monitor › given a record that was made after the start › it is watched', async (t) => {
  const treasury = await openTreasury(t);
  const monitor = await watch(t, treasury);
  t.is(monitor.figures().watched, 0);
  await createStream(treasury);
  // The next tick, or the next block.
  await chainOf(treasury).mine(1);
  await monitor.idle();
  t.is(monitor.figures().watched, 1);
});

test('chain monitor › given a record that was put in order before those it knows › it is watched', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury);
  const monitor = await watch(t, treasury);
  t.is(monitor.figures().watched, 1);
  // As an import of older records leaves them.
  const newest = await stored(treasury, stream);
  await treasury.app.context.store.transaction((writer) => {
    writer.remove(streamCollection, newest.id);
    writer.put(streamCollection, { ...newest, id: 'older', stream_id: '#STREAM-OLDER' });
    writer.put(streamCollection, newest);
  });
  await chainOf(treasury).mine(1);
  await monitor.idle();
  t.is(monitor.figures().watched, 2);
});

test('chain monitor › given blocks upon a transaction › it is confirmed, then safe', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury);
  const monitor = await watch(t, treasury);
  const found: unknown[] = [];
  for (const blocks of [4, 1]) {
    await chainOf(treasury).mine(blocks);
    await monitor.idle();
    found.push((await events(treasury, stream))[0]?.certainty);
  }
  t.deepEqual(found, ['confirmed', 'safe']);
});

test('chain monitor › given an ended stream › it is watched until its end is safe', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury);
  await advance(treasury, DAY);
  const monitor = await watch(t, treasury);
  await stream.move(alice, 'cancel');
  await monitor.idle();
  t.is((await stored(treasury, stream)).status, 'CANCELLED');
  t.is(monitor.figures().watched, 1);
  await chainOf(treasury).mine(6);
  await monitor.idle();
  t.is(monitor.figures().watched, 0);
});

/** A stream funded, one claimed and one cancelled in the last three blocks, and another claim in place of the first. */
const openThree = async (t: ExecutionContext) => {
  const treasury = await openTreasury(t);
  const [claimed, cancelled] = [await fundStream(treasury), await fundStream(treasury)];
  const funded = await createStream(treasury);
  await treasury.give(bob, 1_000_000n);
  await advance(treasury, 20 * DAY);
  const monitor = await watch(t, treasury);
  const [first, other] = [
    await signClaim(treasury, claimed, '0.01'),
    await signClaim(treasury, claimed, '0.004'),
  ];
  await send(treasury, alice, 'streams.funding-info', { id: funded.id });
  const claim = await chainOf(treasury).broadcast(first);
  await send(treasury, alice, 'streams.cancel', { id: cancelled.id });
  await monitor.idle();
  return { treasury, monitor, funded, claimed, cancelled, claim, other };
};

test('chain monitor › given a reorganisation of 3 blocks and a double spend › records and sums are right after it', async (t) => {
  const { treasury, monitor, funded, claimed, cancelled, claim, other } = await openThree(t);
  t.is((await stored(treasury, claimed)).withdrawn_amount, 1_000_000n);
  t.is((await stored(treasury, cancelled)).status, 'CANCELLED');

  await chainOf(treasury).reorg(3, { drop: [claim] });
  await monitor.idle();
  t.is((await stored(treasury, claimed)).withdrawn_amount, 0n);
  t.deepEqual(
    (await events(treasury, claimed)).map(({ event_type }) => event_type),
    ['funded'],
  );

  const instead = await chainOf(treasury).broadcast(other);
  await chainOf(treasury).mine(6);
  await monitor.idle();

  t.like(await stored(treasury, funded), { status: 'ACTIVE' });
  t.like(await stored(treasury, claimed), {
    status: 'ACTIVE',
    withdrawn_amount: 400_000n,
    last_tx_hash: instead,
  });
  t.like(await stored(treasury, cancelled), { status: 'CANCELLED', thread: null });
  const { store } = treasury.app.context;
  const claims = (await store.find(claimCollection, { where: { stream: claimed.id } })).items;
  t.deepEqual(
    claims.map(({ amount, tx_hash }) => [amount, tx_hash]),
    [[400_000n, instead]],
  );
  t.true(
    (await Promise.all([funded, claimed, cancelled].map((stream) => events(treasury, stream))))
      .flat()
      .every(({ certainty }) => certainty === 'safe'),
  );
  for (const stream of [funded, claimed, cancelled]) {
    const { total_amount, withdrawn_amount, returned_amount } = await stored(treasury, stream);
    t.is(await poolOf(treasury, stream), total_amount - withdrawn_amount - returned_amount);
  }
});

test('chain monitor › given a reorganisation › the records are those of a store that only knows the new branch', async (t) => {
  const { treasury, monitor, funded, claimed, cancelled, claim, other } = await openThree(t);
  await chainOf(treasury).reorg(3, { drop: [claim] });
  await chainOf(treasury).broadcast(other);
  await chainOf(treasury).mine(6);
  await monitor.idle();
  const all = async () =>
    await Promise.all(
      [funded, claimed, cancelled].map(async (stream) => [
        await stored(treasury, stream),
        await events(treasury, stream),
      ]),
    );
  const followed = await all();
  const product = treasury.app.deployables.find(({ module }) => module === 'streams');
  for (const { id } of [funded, claimed, cancelled]) await product?.rebuild(id, treasury.app.context);
  t.deepEqual(followed, await all());
});

test('chain monitor › given a reorganisation › it is logged and counted', async (t) => {
  const { treasury, monitor } = await openThree(t);
  const { height } = await chainOf(treasury).tip();
  await chainOf(treasury).reorg(3);
  await monitor.idle();
  const lines = monitor.lines.filter(({ message }) => message === 'chain.reorg');
  t.like(lines, [{ level: 'warn', fields: { event: 'chain.reorg', depth: 3, forkHeight: height - 3 } }]);
  t.is(monitor.figures().reorgs, 1);
});

test('chain monitor › given a reorganisation › it is told once, before what it withdraws, also by a service that was stopped', async (t) => {
  const { treasury, monitor } = await openThree(t);
  const { height } = await chainOf(treasury).tip();
  await chainOf(treasury).reorg(3);
  await monitor.idle();
  // As after a kill before the new branch was written down: the next one notices it again.
  const again = createReorgTeller(treasury.app.context);
  const { store } = treasury.app.context;
  const tellings = async () =>
    (await store.readLog(eventLog, { after: 0, limit: 1_000 })).entries.filter(
      ({ type }) => type === 'chain.reorg',
    );
  const [told] = await tellings();
  t.like(told, { subject: null, parties: [], data: { depth: 3, forkHeight: height - 3 } });
  const { from, to } = (told?.data ?? {}) as { from: { height: number; hash: string }; to: Tip };
  again.add({ depth: 3, forkHeight: height - 3, from }, to);
  await again.tell(store);
  t.is((await tellings()).length, 1);
});

test('chain monitor › given metrics › it counts what it did', async (t) => {
  const treasury = await openTreasury(t);
  await fundStream(treasury);
  const meters = openPrometheusMeters({ version: '9.9.9', network: 'local' });
  const monitor = await watch(t, treasury, { context: { meters } });
  await chainOf(treasury).mine(1);
  await monitor.idle();
  await chainOf(treasury).reorg(1);
  await monitor.idle();
  const { text: shown = '' } = (await meters.http?.report()) ?? {};
  const { height } = await chainOf(treasury).tip();
  t.regex(shown, /^treasury_chain_reorgs_total 1$/m);
  t.regex(shown, new RegExp(`^treasury_chain_height ${height}$`, 'm'));
  t.regex(shown, /^treasury_records_watched 1$/m);
  t.regex(shown, /^treasury_records_followed_total [1-9]/m);
});

for (const depth of [3, 9]) {
  test(`chain monitor › given a reorganisation of ${depth} blocks while nobody looked › it is noticed at the next start`, async (t) => {
    const treasury = await openTreasury(t);
    const stream = await fundStream(treasury);
    const first = await watch(t, treasury);
    const cancel = await stream.move(alice, 'cancel');
    await chainOf(treasury).mine(depth - 1);
    await first.idle();
    await first.stop();
    t.is((await stored(treasury, stream)).status, 'CANCELLED');

    await chainOf(treasury).reorg(depth, { drop: [cancel] });
    const second = await watch(t, treasury);
    t.is(second.figures().reorgs, 1);
    t.is((await stored(treasury, stream)).status, 'ACTIVE');
    t.deepEqual(
      (await events(treasury, stream)).map(({ event_type }) => event_type),
      ['funded'],
    );
  });
}

test('chain monitor › given a chain that begins anew › every record waits for its funding again', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury);
  const monitor = await watch(t, treasury);
  await chainOf(treasury).reset();
  await monitor.idle();
  t.is((await stored(treasury, stream)).status, 'PENDING');
  t.deepEqual(await events(treasury, stream), []);
});

/** A chain that can be cut off. */
const cuttable = ({ app }: Treasury) => {
  const state = { isCut: false };
  const { chain } = app.context;
  const refuse = <A extends unknown[], T>(call: (...given: A) => Promise<T>) => {
    return (...given: A): Promise<T> =>
      state.isCut
        ? Promise.reject(new TreasuryError('chain_unavailable', { reason: 'the cable is cut' }))
        : call(...given);
  };
  return {
    state,
    chain: {
      ...chain,
      coins: refuse(chain.coins),
      history: refuse(chain.history),
      transaction: refuse(chain.transaction),
      tip: refuse(chain.tip),
      block: refuse(chain.block),
    },
  };
};

/** Beats, by worker. */
const recordBeats = ({ app }: Treasury) => {
  const beats: string[] = [];
  const probes = { ...app.context.probes, beat: (worker: string) => beats.push(worker) };
  return { beats, probes };
};

test('chain monitor › given a pass that went well › both monitors have given a beat', async (t) => {
  const treasury = await openTreasury(t);
  await fundStream(treasury);
  const { beats, probes } = recordBeats(treasury);
  await watch(t, treasury, { context: { probes } });
  t.deepEqual([...new Set(beats)].sort(), ['blockchain_monitor', 'transaction_monitor']);
});

test('chain monitor › given a store without records › both monitors have given a beat', async (t) => {
  const treasury = await openTreasury(t);
  const { beats, probes } = recordBeats(treasury);
  await watch(t, treasury, { context: { probes } });
  t.deepEqual([...new Set(beats)].sort(), ['blockchain_monitor', 'transaction_monitor']);
});

test('chain monitor › given a chain that is away › it gives no beat, says so once, and catches up', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await createStream(treasury);
  const { state, chain } = cuttable(treasury);
  const { beats, probes } = recordBeats(treasury);
  state.isCut = true;
  const monitor = await watch(t, treasury, { context: { chain, probes } });
  await send(treasury, alice, 'streams.funding-info', { id: stream.id });
  await monitor.idle();
  t.deepEqual(beats, []);
  t.is(monitor.lines.filter(({ level }) => level === 'warn').length, 1);

  state.isCut = false;
  await chainOf(treasury).mine(1);
  await monitor.idle();
  t.is((await stored(treasury, stream)).status, 'ACTIVE');
  t.true(beats.includes('transaction_monitor'));
});

test('chain monitor › given a record that cannot be followed › the others are, and it is logged by its label', async (t) => {
  const treasury = await openTreasury(t);
  const [broken, sound] = [await createStream(treasury), await createStream(treasury)];
  const deployables = treasury.app.deployables.map((deployable) => ({
    ...deployable,
    follow: (id: string, context: Context) =>
      id === broken.id ? Promise.reject(new Error('odd')) : deployable.follow(id, context),
  }));
  const monitor = await watch(t, treasury, { deployables });
  await send(treasury, alice, 'streams.funding-info', { id: sound.id });
  await monitor.idle();
  t.is((await stored(treasury, sound)).status, 'ACTIVE');
  const errors = monitor.lines.filter(({ level }) => level === 'error');
  t.is(errors[0]?.fields['label'], (await stored(treasury, broken)).stream_id);
  t.true(monitor.figures().failures > 0);
});

test('chain monitor › given a disk that refused what came › it is written down when the disk takes it', async (t) => {
  const treasury = await openTreasury(t);
  const seen = await createStream(treasury);
  const { store } = treasury.app.context;
  let isFull = false;
  const monitor = await watch(t, treasury, {
    context: {
      store: {
        ...store,
        transaction: (change) =>
          isFull
            ? Promise.reject(
                new TreasuryError('storage_full', { file: 'treasury.journal', reason: 'ENOSPC' }),
              )
            : store.transaction(change),
      },
    },
  });
  isFull = true;
  const txHash = await send(treasury, alice, 'streams.funding-info', { id: seen.id });
  await monitor.idle();
  t.like(await stored(treasury, seen), { status: 'PENDING' });
  isFull = false;
  await chainOf(treasury).mine(1);
  await monitor.idle();
  t.like(await stored(treasury, seen), { status: 'ACTIVE', tx_hash: txHash });
  t.is(monitor.figures().waiting, 0);
});

test('chain monitor › given a record of which a server makes something up › it waits, and is followed at the next look', async (t) => {
  const treasury = await openTreasury(t);
  const [deceived, sound] = [await createStream(treasury), await createStream(treasury)];
  let isLying = true;
  const deployables = treasury.app.deployables.map((deployable) => ({
    ...deployable,
    follow: (id: string, context: Context) =>
      isLying && id === deceived.id
        ? Promise.reject(new TreasuryError('tx_invalid', { txHash: 'a', reason: 'it is not signed' }))
        : deployable.follow(id, context),
  }));
  const monitor = await watch(t, treasury, { deployables });
  await send(treasury, alice, 'streams.funding-info', { id: deceived.id });
  await monitor.idle();
  t.like(monitor.figures(), { waiting: 1 });
  t.is((await stored(treasury, deceived)).status, 'PENDING');
  isLying = false;
  await send(treasury, alice, 'streams.funding-info', { id: sound.id });
  await monitor.idle();
  t.like(monitor.figures(), { waiting: 0 });
  t.is((await stored(treasury, deceived)).status, 'ACTIVE');
});

test('chain monitor › given a stop › the chain tells it nothing any more', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await createStream(treasury);
  const monitor = await watch(t, treasury);
  await monitor.stop();
  await send(treasury, alice, 'streams.funding-info', { id: stream.id });
  await monitor.idle();
  t.is((await stored(treasury, stream)).status, 'PENDING');
  t.is(monitor.figures().watched, 0);
});

const WIRE_MS = 60_000;

const expectCertainty = (t: ExecutionContext, treasury: Treasury, stream: StreamHandle, certainty: string) =>
  until(
    t,
    async () => (await events(treasury, stream))[0]?.certainty === certainty,
    `it is ${certainty}`,
    WIRE_MS,
  );

test('chain monitor › given a server › a move is seen in the mempool, confirmed in a block, and safe', async (t) => {
  const { world, chain } = await openWire(t);
  const treasury = await openTreasury(t, world);
  const stream = await createStream(treasury);
  await chain.mine(1);
  const monitor = await watch(t, treasury);
  const txHash = await send(treasury, alice, 'streams.funding-info', { id: stream.id });
  await expectCertainty(t, treasury, stream, 'seen');
  t.like(await stored(treasury, stream), { status: 'ACTIVE', tx_hash: txHash });
  t.is((await events(treasury, stream))[0]?.height, null);
  const { height } = await chain.mine(1);
  await expectCertainty(t, treasury, stream, 'confirmed');
  t.is((await events(treasury, stream))[0]?.height, height);
  await chain.mine(5);
  await expectCertainty(t, treasury, stream, 'safe');
  t.is(monitor.figures().failures, 0);
});

test('chain monitor › given a server whose chain drops a funding › the stream waits for another', async (t) => {
  const { world, chain } = await openWire(t);
  const treasury = await openTreasury(t, world);
  const stream = await createStream(treasury);
  await chain.mine(1);
  await watch(t, treasury);
  const txHash = await send(treasury, alice, 'streams.funding-info', { id: stream.id });
  await chain.mine(1);
  await expectCertainty(t, treasury, stream, 'confirmed');
  await chain.reorg(1, { drop: [txHash] });
  await until(
    t,
    async () => (await stored(treasury, stream)).status === 'PENDING',
    'it waits again',
    WIRE_MS,
  );
  t.deepEqual(await events(treasury, stream), []);
  const again = await send(treasury, alice, 'streams.funding-info', { id: stream.id });
  await until(
    t,
    async () => (await stored(treasury, stream)).tx_hash === again,
    'it is funded again',
    WIRE_MS,
  );
  t.is((await stored(treasury, stream)).status, 'ACTIVE');
});
