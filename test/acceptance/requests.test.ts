/** What treasuries ask their servers for: counted on the wire, and never more than is said here. */
import test, { type ExecutionContext } from 'ava';
import { alice, bob, carol, dave, mallory } from '../../fixtures/people.js';
import type { LocalChain } from '../../src/adapters/local-chain/local-chain.js';
import { openApp } from '../../src/app.js';
import { chainMonitor } from '../../src/daemon/monitor/chain-monitor.js';
import { startElectrumServer } from '../../src/adapters/electrum-server/electrum-server.js';
import { streamCollection } from '../../src/products/streams/index.js';
import { execute, type Reply } from '../../src/operation/execute.js';
import { countingRelay, type Asked, type CountingRelay } from '../adapters/electrum/counting-relay.js';
import { until } from '../adapters/electrum/electrum-fixture.js';
import { throughServers, type ChainWorld } from '../chain-world.js';
import { runOn } from '../cli/real-environment.js';
import { fundStream } from '../products/streams/stream.js';
import { BATCH, fundMany } from '../products/streams/many-streams.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { openWire } from './wire-world.js';

const DAY = 86_400;
/** Beside what is touched: the tip, and one look at every record, in batches. */
const REST = 10;
const PER_RECORD = 4;

type Counted = {
  readonly world: ChainWorld;
  readonly chain: LocalChain;
  readonly relays: readonly CountingRelay[];
};

/** A chain behind servers whose requests are counted. */
const openCounted = async (t: ExecutionContext, servers: number): Promise<Counted> => {
  const { world, chain } = await openWire(t);
  const relays: CountingRelay[] = [];
  for (let index = 0; index < servers; index += 1) {
    const server = await startElectrumServer({ chain, tcpPort: 0 });
    t.teardown(server.stop);
    relays.push(await countingRelay(t, server.tcpUrl ?? ''));
  }
  const outside = throughServers(relays.map(({ url }) => url));
  return {
    chain,
    relays,
    world: { ...world, open: async (one) => ({ ...(await world.open(one)), outside }) },
  };
};

/** What each server was asked while `work` ran. */
const during = async (
  t: ExecutionContext,
  what: string,
  { relays }: Pick<Counted, 'relays'>,
  work: () => Promise<unknown>,
): Promise<readonly Asked[]> => {
  for (const { count } of relays) count();
  await work();
  const asked = relays.map(({ count }) => count());
  for (const { requests, calls, methods } of asked)
    t.log(`${what}: ${requests} requests, ${calls} calls ${JSON.stringify(methods)}`);
  return asked;
};

const atMost = (t: ExecutionContext, asked: readonly Asked[], requests: number): void => {
  for (const one of asked) t.true(one.requests <= requests, `${one.requests} requests, at most ${requests}`);
};

/** The same home in another process: with a connection of its own. */
const reopened = ({ home }: Treasury, t: ExecutionContext, { world }: Counted): Promise<Treasury> =>
  openTreasury(t, world, home);

/** `treasury doctor` on a home. @returns its answer */
const examine = async ({ home }: Treasury, { relays, chain }: Counted): Promise<Reply> => {
  const app = await openApp({
    home,
    network: 'regtest',
    wall: chain.now,
    outside: throughServers(relays.map(({ url }) => url)),
    inspectOnly: { unknownSettings: [], passphraseFile: null },
  });
  try {
    const doctor = app.operations.find(({ id }) => id === 'doctor');
    if (doctor === undefined) throw new Error('there is no doctor');
    return await execute(doctor, {}, app.context, { kind: 'operator', address: null });
  } finally {
    await app.close();
  }
};

test('requests › a stream is shown and claimed › 8 requests by a command of its own, 2 once connected, 16 for the claim', async (t) => {
  const counted = await openCounted(t, 1);
  const treasury = await openTreasury(t, counted.world);
  const { id } = await fundStream(treasury);
  await treasury.give(bob, 10_000_000n);
  await counted.chain.advance(3 * DAY);
  const first = await reopened(treasury, t, counted);
  const cold = await during(t, 'streams.show, connection included', counted, () =>
    first.ask(null, 'streams.show', { id }),
  );
  const [listed] = await during(t, 'streams.list, once connected', counted, () =>
    first.ask(null, 'streams.list', {}),
  );
  t.is(listed?.requests, 0);
  const shown = await during(t, 'streams.show, again', counted, () =>
    first.ask(null, 'streams.show', { id }),
  );
  const fresh = await reopened(treasury, t, counted);
  const claimed = await during(t, 'streams claim, by a command of its own', counted, async () => {
    const { exit, stderr } = await runOn(fresh, ['streams', 'claim', id, '--wallet', 'bob', '--yes']);
    t.is(exit, 0, stderr);
  });
  atMost(t, cold, 8);
  atMost(t, shown, 2);
  atMost(t, claimed, 16);
});

const RECIPIENTS = [bob, carol, dave, mallory];
test(`requests › 200 records behind two servers › a block costs ${REST}, and ${PER_RECORD} for each that it touches; sync and doctor no more`, async (t) => {
  t.timeout(240_000);
  const counted = await openCounted(t, 2);
  const { chain } = counted;
  const treasury = await openTreasury(t, counted.world);
  const ids = await fundMany(treasury, RECIPIENTS, 200);
  for (const who of RECIPIENTS) await treasury.give(who, 1_000_000n);
  await chain.mine(1);
  const { context, deployables } = treasury.app;
  const monitor = chainMonitor({ context, deployables, tickMs: 3_600_000 });
  t.teardown(monitor.stop);
  const settled = async (): Promise<void> => {
    const { height } = await chain.tip();
    await until(t, () => monitor.figures().height === height, 'the block', 30_000);
    // The server may still be telling what the block has touched.
    for (let look = 0; look < 3; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      await monitor.idle();
    }
  };
  const started = await during(t, 'the monitor starts', counted, async () => {
    await monitor.start();
    await settled();
  });
  atMost(t, started, 20);
  const untouched = await during(t, 'a block that touches none', counted, async () => {
    await chain.mine(1);
    await settled();
  });
  atMost(t, untouched, REST);
  // The first of a batch are of one recipient each: their claims spend no coin of each other.
  for (const [touched, from] of [
    [1, 0],
    [RECIPIENTS.length, BATCH],
  ] as const) {
    const claims: string[] = [];
    for (const [index, id] of ids.slice(from, from + touched).entries()) {
      const who = RECIPIENTS[index] ?? bob;
      const { wcTransaction } = await treasury.ask(who, 'streams.claim', { id, amount: '0.00002' });
      claims.push(treasury.sign(who, wcTransaction));
    }
    await settled();
    const asked = await during(t, `${touched} claims, and their block`, counted, async () => {
      for (const claim of claims) await chain.broadcast(claim);
      await chain.mine(1);
      await settled();
    });
    atMost(t, asked, REST + PER_RECORD * touched);
    for (const id of ids.slice(from, from + touched)) {
      const { status, withdrawn_amount: withdrawn } =
        (await context.store.get(streamCollection, id)) ?? t.fail();
      t.deepEqual({ status, withdrawn }, { status: 'ACTIVE', withdrawn: 2_000n });
    }
  }
  await monitor.stop();
  const fresh = await reopened(treasury, t, counted);
  const synced = await during(t, 'sync --all', counted, () => fresh.ask(alice, 'sync', { all: true }));
  const examined = await during(t, 'doctor', counted, async () => {
    const { checks } = await examine(treasury, counted);
    const found = (checks as { check: string; detail: string }[]).find(({ check }) => check === 'records');
    t.is(found?.detail, '201 of 201 records agree with the chain');
  });
  atMost(t, synced, 30);
  atMost(t, examined, 40);
});
