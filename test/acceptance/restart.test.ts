/**
 * The Electrum server is killed under its client and started again: nothing is lost, and nothing is done twice.
 *
 * The server is `treasury chain serve` in a process of its own. The tests pay and look through the files of its home,
 * as other commands on that home do, so that they know what is there whether or not the server lives.
 */
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { people } from '../../fixtures/people.js';
import { openLocalChain } from '../../src/adapters/local-chain/local-chain.js';
import { parseAddress } from '../../src/bch/address.js';
import { sumSatoshis } from '../../src/bch/coins.js';
import { EXIT } from '../../src/errors.js';
import { refused } from '../adapters/local-chain/chain-fixture.js';
import { until } from '../adapters/electrum/electrum-fixture.js';
import { steerEmbedded, throughServers } from '../chain-world.js';
import { runOn } from '../cli/real-environment.js';
import { openTreasury } from '../treasury.js';
import { startChainProcess } from './chain-process.js';
import { serve, type Json } from './client.js';
import { onEmbeddedChain } from './on-every-chain.js';
import { startKillingRelay, type Moment } from './killing-relay.js';

const DAY = 86_400;
const WHY = 'it kills the server of an embedded chain';
/** Longer than the longest pause between two attempts to connect again. */
const RECONNECTED_MS = 60_000;
const systemSeconds = (): number => Math.floor(Date.now() / 1_000);

/** A treasury whose chain is served by a process, through a relay that can have it killed. */
const openServed = async (t: ExecutionContext) => {
  const server = await startChainProcess(t);
  const relay = await startKillingRelay(t, server.port, server.kill);
  const chain = await openLocalChain({ folder: join(server.home, 'local'), now: systemSeconds });
  t.teardown(chain.close);
  const treasury = await openTreasury(t, {
    name: 'served by a process',
    network: 'regtest',
    can: [],
    open: () =>
      Promise.resolve({
        outside: throughServers([relay.url]),
        wall: systemSeconds,
        people,
        steer: () => steerEmbedded(chain),
      }),
  });
  const held = async (lockingBytecode: string) => sumSatoshis(await chain.coins(lockingBytecode));
  return { server, relay, chain, treasury, held, ...treasury.people };
};

const moments: readonly (readonly [Moment, string])[] = [
  ['nothing', 'before the broadcast arrived'],
  ['the transaction', 'before it answered the broadcast'],
  ['the transaction and the answer', 'between broadcast and confirm'],
];

for (const [moment, when] of moments) {
  const title = `streams fund › given a server that is killed ${when} › the same command funds it once`;
  onEmbeddedChain(title, WHY, async (t) => {
    const { server, relay, chain, treasury, held, alice, bob } = await openServed(t);
    await treasury.give(alice, 20_000_000n);
    await treasury.give(alice, 20_000_000n);
    const { medianTimePast } = await chain.tip();
    const created = await treasury.ask(alice, 'streams.create', {
      recipient: treasury.addressOf(bob).text,
      streamType: 'LINEAR',
      totalAmount: '0.1',
      startTime: medianTimePast - 3_600,
      endTime: medianTimePast + 100 * DAY,
    });
    const { id, contract_address: contract } = created['stream'] as Record<string, string>;
    const { lockingBytecode } = parseAddress(contract ?? '');
    const before = await held(treasury.addressOf(alice).lockingBytecode);
    const fund = () => runOn(treasury, ['streams', 'fund', id ?? '', '--yes', '--wallet', 'alice', '--json']);

    // The server dies; the chain has what it took, and the command says that the chain cannot be reached.
    const killed = relay.killAt(moment);
    const first = await fund();
    await killed;
    t.is(first.exit, EXIT.network, first.stderr);
    t.like(JSON.parse(first.stdout), { success: false, code: 'chain_unavailable', retryable: true });
    t.is((await chain.history(lockingBytecode)).length, moment === 'nothing' ? 0 : 1);

    // Started again, the same command goes on, and a third time there is nothing to do.
    await server.start();
    const second = await fund();
    t.is(second.exit, 0, `${second.stdout}${second.stderr}`);
    t.like(JSON.parse(second.stdout), { success: true, status: 'ACTIVE', state: 'confirmed' });
    const third = await fund();
    t.like(JSON.parse(third.stdout), { success: false, code: 'wrong_state' });

    // Once, on chain and in the record.
    const history = await chain.history(lockingBytecode);
    t.is(history.length, 1);
    const atContract = await held(lockingBytecode);
    t.is(atContract, 10_001_000n, 'the money of the stream and what its thread holds');
    const spent = before - (await held(treasury.addressOf(alice).lockingBytecode));
    t.true(spent > atContract && spent < atContract + 3_000n, `${spent}`);
    const shown = await treasury.ask(null, 'streams.show', { id });
    t.like(shown['stream'], { status: 'ACTIVE' });
    t.deepEqual(
      (shown['events'] as Json[]).map((event) => [event['event_type'], event['tx_hash']]),
      [
        ['funded', history[0]?.txid],
        ['created', null],
      ],
    );
  });
}

const httpTitle =
  'a campaign over HTTP › given a server that is killed twice › each request repeated does it once';

onEmbeddedChain(httpTitle, WHY, async (t) => {
  const { server, relay, treasury, held, alice, authority, bob } = await openServed(t);
  for (const satoshis of [20_000_000n, 20_000_000n, 20_000_000n]) await treasury.give(alice, satoshis);
  await treasury.give(authority, 10_000n);
  const { call, logIn, send } = await serve(t, treasury);
  const token = { token: await logIn(alice) };
  const terms = { title: 'Through thick and thin', totalPool: 0.03, maxRewardAmount: 0.01 };
  const created = await call('POST', '/api/rewards/create', terms, token);
  const { id, contract_address: contract } = created.body['campaign'] as Record<string, string>;
  const path = `/api/rewards/${id ?? ''}`;
  const { lockingBytecode } = parseAddress(contract ?? '');
  const isDown = { status: 503, body: { code: 'chain_unavailable', retryable: true } };

  // Killed when it has taken the funding and not said so: the wallet sends the same again.
  const funding = await call('GET', `${path}/funding-info`, undefined, token);
  const killed = relay.killAt('the transaction');
  t.like(await send(alice, funding.body['wcTransaction']), isDown);
  await killed;
  await server.start();
  const funded = await send(alice, funding.body['wcTransaction']);
  t.is(funded.status, 200, JSON.stringify(funded.body));
  const { txHash } = funded.body;
  t.like(await call('POST', `${path}/confirm-funding`, { txHash }, token), { status: 200 });

  // Killed between broadcast and confirm: the confirmation is asked for again, and once more.
  const reward = { recipientAddress: treasury.addressOf(bob).text, amount: 0.01 };
  const built = await call('POST', `${path}/distribute`, reward, token);
  const sent = await send(alice, built.body['wcTransaction']);
  await server.kill();
  const claim = { ...reward, txHash: sent.body['txHash'] };
  t.like(await call('POST', `${path}/confirm-distribute`, claim, token), isDown);
  await server.start();
  for (let time = 0; time < 2; time += 1) {
    const confirmed = await call('POST', `${path}/confirm-distribute`, claim, token);
    t.like(confirmed, { status: 200, body: { success: true, state: 'confirmed' } });
  }

  // Once each, on chain and in the record.
  t.is(await held(treasury.addressOf(bob).lockingBytecode), 1_000_000n);
  t.is(await held(lockingBytecode), 2_001_000n, 'what is left of the pool and what the thread holds');
  const { body } = await call('GET', path);
  t.like(body, { campaign: { status: 'ACTIVE', distributed_count: 1 } });
  t.is((body['distributions'] as Json[]).length, 1);
  t.deepEqual(
    (body['events'] as Json[]).map((event) => event['event_type']),
    ['distribution', 'funded', 'created'],
  );
});

const watchTitle =
  'a watcher › given a server that is killed and started again › it is told of what it missed';

onEmbeddedChain(watchTitle, WHY, async (t) => {
  const { server, chain, treasury, alice, bob } = await openServed(t);
  const watching = treasury.app.context.chain;
  const told: string[] = [];
  for (const who of [alice, bob]) {
    const { lockingBytecode } = treasury.addressOf(who);
    await watching.watch({ lockingBytecodes: [lockingBytecode] }, () => told.push(who.name));
  }
  await watching.watch({ headers: true }, () => told.push('headers'));
  const countOf = (name: string) => told.filter((other) => other === name).length;

  // While the server is dead, alice is paid.
  await server.kill();
  await refused(t, watching.tip(), 'chain_unavailable');
  const missed = await treasury.give(alice, 5_000_000n);
  t.deepEqual(told, []);
  await server.start();
  await until(t, () => countOf('alice') > 0 && countOf('headers') > 0, 'what was missed', RECONNECTED_MS);
  t.is(countOf('bob'), 0, 'nothing has happened to him');
  const [coin] = await watching.coins(treasury.addressOf(alice).lockingBytecode);
  t.is(coin?.txid, missed);
  t.deepEqual(await watching.tip(), await chain.tip());

  // What happens from then on is told too.
  await treasury.give(bob, 5_000_000n);
  await until(t, () => countOf('bob') > 0, 'the payment after it');
  t.is(countOf('alice'), 1);
});
