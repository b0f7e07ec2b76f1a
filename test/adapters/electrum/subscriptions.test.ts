/** What is watched through servers: what was known before, and what a server does not let a client subscribe to. */
import test, { type ExecutionContext } from 'ava';
import { alice, bob, carol } from '../../../fixtures/people.js';
import { startElectrumServer } from '../../../src/adapters/electrum-server/electrum-server.js';
import { scriptStatus } from '../../../src/bch/script-status.js';
import { openTestChain } from '../local-chain/chain-fixture.js';
import { countingRelay } from './counting-relay.js';
import { openThrough, until } from './electrum-fixture.js';

const lockOf = (who: typeof alice): string => who.address('regtest').lockingBytecode;
const BITCOIN = 100_000_000n;

const open = async (t: ExecutionContext, maxSubscriptions = Infinity) => {
  const local = await openTestChain(t, {});
  const server = await startElectrumServer({ chain: local, tcpPort: 0, maxSubscriptions });
  t.teardown(server.stop);
  const relay = await countingRelay(t, server.tcpUrl ?? '');
  return { local, relay, chain: await openThrough(t, [relay.url]) };
};

test('subscriptions › given what a script is known to be › it is told when the chain has something else, and only then', async (t) => {
  const { local, chain } = await open(t);
  await local.faucet(lockOf(alice), BITCOIN);
  await local.faucet(lockOf(bob), BITCOIN);
  const calls: string[] = [];
  const watch = (who: typeof alice, known: string | null) =>
    chain.watch({ lockingBytecodes: [lockOf(who)], known }, () => calls.push(who.name));
  const history = await chain.history(lockOf(alice));
  const known = scriptStatus(history.map(({ txid, height }) => ({ txid, height: height ?? 0 })));
  await watch(alice, known);
  await watch(bob, null);
  await watch(carol, null);
  t.deepEqual(calls, ['bob']);
  await local.faucet(lockOf(alice), BITCOIN);
  await until(t, () => calls.length === 2, 'the payment');
  t.deepEqual(calls, ['bob', 'alice']);
  // Another watcher, who knows less than was told already.
  await watch(alice, known);
  t.deepEqual(calls, ['bob', 'alice', 'alice']);
});

test('subscriptions › given a server that lets nobody subscribe to more › the rest is asked for, and what comes there is told', async (t) => {
  const { local, relay, chain } = await open(t, 1);
  const calls: string[] = [];
  for (const who of [alice, bob, carol])
    await chain.watch({ lockingBytecodes: [lockOf(who)], known: null }, () => calls.push(who.name));
  // Once it has refused, no more is asked for: some servers hang up on whoever goes on.
  t.is(relay.count().methods['blockchain.scripthash.subscribe'], 2);
  await local.faucet(lockOf(bob), BITCOIN);
  await until(t, () => calls.length === 1, 'the payment to bob');
  await local.faucet(lockOf(alice), BITCOIN);
  await until(t, () => calls.length === 2, 'the payment to alice');
  t.deepEqual(calls, ['bob', 'alice']);
  t.is(relay.count().methods['blockchain.scripthash.subscribe'], undefined);
});

test('subscriptions › given a script that is asked for and let go of › it is asked for no more', async (t) => {
  const { relay, chain } = await open(t, 0);
  const stop = await chain.watch({ lockingBytecodes: [lockOf(alice)] }, () => undefined);
  stop();
  relay.count();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  t.deepEqual(relay.count().methods, {});
});
