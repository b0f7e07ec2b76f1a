import { parseAddress } from '../../src/bch/address.js';
import test from 'ava';
import { alice, bob, mallory } from '../../fixtures/people.js';
import { chainMonitor } from '../../src/daemon/monitor/chain-monitor.js';
import { unexpectedFunding } from '../../src/offer/unexpected-funding.js';
import { consult } from '../home/doctor-fixture.js';
import { createCampaign, fundCampaign, fundTokenCampaign } from '../products/rewards/campaign.js';
import { streamCollection } from '../../src/products/streams/index.js';
import { fundStream } from '../products/streams/stream.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { fundAstray } from './stray-fundings.js';

type Json = Record<string, unknown>;

/** Something unexpected at a record's address. */
type Case = {
  /** Makes a record of alice's, and sends it there. */
  readonly make: (treasury: Treasury) => Promise<{ readonly id: string; readonly txid: string }>;
  readonly amount: string;
  readonly recoverable: boolean;
};

const cases: Readonly<Record<string, Case>> = {
  'a second funding': {
    amount: '3000000',
    recoverable: true,
    make: async (treasury) => {
      const { id } = await fundCampaign(treasury);
      return { id, txid: await fundAstray(treasury, id, { payer: alice }) };
    },
  },
  'a second funding in tokens': {
    amount: '3000',
    recoverable: true,
    make: async (treasury) => {
      const { id } = await fundTokenCampaign(treasury);
      return { id, txid: await fundAstray(treasury, id, { payer: alice }) };
    },
  },
  'a funding with a wrong sum': {
    amount: '2900000',
    recoverable: true,
    make: async (treasury) => {
      const { id } = await createCampaign(treasury);
      return { id, txid: await fundAstray(treasury, id, { payer: alice, pool: 2_900_000n }) };
    },
  },
  'the funding of a stranger': {
    amount: '3000000',
    recoverable: true,
    make: async (treasury) => {
      const { id } = await createCampaign(treasury);
      return { id, txid: await fundAstray(treasury, id, { payer: mallory }) };
    },
  },
  'plain coins': {
    amount: '123456',
    recoverable: false,
    make: async (treasury) => {
      const { id, shown } = await fundCampaign(treasury);
      await treasury.give(mallory, 1_000_000n);
      const { lockingBytecode } = parseAddress(String((await shown())['contract_address']));
      return { id, txid: await treasury.payAnywhere(mallory, [{ lockingBytecode, satoshis: 123_456n }]) };
    },
  },
};

for (const [name, { make, amount, recoverable }] of Object.entries(cases)) {
  test(`unexpected funding › given ${name} › show, verify, doctor and the monitor name its amount and txid`, async (t) => {
    const treasury = await openTreasury(t);
    const { id, txid } = await make(treasury);
    const expected = { txid, amountOnChain: amount, recoverable };

    const shown = await treasury.ask(null, 'rewards.show', { id });
    t.like(shown, { unexpectedFunding: [expected] });
    t.is((shown['unexpectedFunding'] as Json[]).length, 1);
    const view = treasury.app.operations.find((one) => one.id === 'rewards.show')?.view?.(shown);
    t.true(JSON.stringify(view).includes(`${txid}:`));

    const { contract_address: address } = shown['campaign'] as Json;
    const verified = await treasury.ask(null, 'deployments.verify', { address });
    t.like(verified, { success: true, unexpectedFunding: [expected] });
    const verify = treasury.app.operations.find((one) => one.id === 'deployments.verify');
    t.regex(JSON.stringify(verify?.view?.(verified)), /not all is well: unexpected_funding/);

    const { checks, summary } = await consult(treasury.home);
    const [finding] = checks.filter(({ detail }) => detail.includes('unexpected_funding'));
    t.like(finding, { check: 'records', state: 'warning' });
    t.true(finding?.detail.includes(txid), finding?.detail);
    t.regex(finding?.advice ?? '', recoverable ? /rewards recover REWARD-0001/ : /rewards show REWARD-0001/);
    t.is(summary.problems, 0);

    const lines: Json[] = [];
    const log = { info: () => 0, error: () => 0, warn: (fields: Json) => lines.push(fields) };
    const context = { ...treasury.app.context, log };
    const monitor = chainMonitor({ context, deployables: treasury.app.deployables, tickMs: 3_600_000 });
    t.teardown(monitor.stop);
    await monitor.start();
    await monitor.idle();
    const { recoverable: _, ...told } = expected;
    t.like(
      lines.filter(({ event }) => event === 'unexpected_funding'),
      [{ ...told, label: '#REWARD-0001' }],
    );
    t.is(lines.filter(({ event }) => event === 'unexpected_funding').length, 1);
  });
}

test('unexpected funding › given a stream whose claims move its thread › nothing of it is unexpected', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury);
  await treasury.app.context.localChain?.advance(10 * 86_400);
  await stream.move(bob, 'claim', { recipientAddress: treasury.addressOf(bob).text });
  const { contract_address: address } = await stream.shown();
  t.deepEqual((await treasury.ask(null, 'streams.show', { id: stream.id }))['unexpectedFunding'], []);
  t.deepEqual((await treasury.ask(null, 'deployments.verify', { address }))['unexpectedFunding'], []);
});

test('unexpected funding › given a cancelled stream and a look at the chain from before it › nothing of it is unexpected', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury);
  const { lockingBytecode } = parseAddress(String((await stream.shown())['contract_address']));
  const { context, deployables } = treasury.app;
  const before = await context.chain.coins(lockingBytecode);
  await stream.move(alice, 'cancel');
  const streams = deployables.find(({ module }) => module === 'streams');
  const record = await context.store.get(streamCollection, stream.id);
  if (streams === undefined || record === null) throw new Error('there is no stream');
  t.like(record, { status: 'CANCELLED', thread: null });
  t.is(before.length, 1);
  const chain = { ...context.chain, coins: () => Promise.resolve(before) };
  t.deepEqual(await unexpectedFunding(streams, record, { ...context, chain }), []);
});

test('unexpected funding › given fifty larger coins beside a thread whose pool is in tokens › the thread is told first', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundTokenCampaign(treasury);
  const txid = await fundAstray(treasury, id, { payer: alice });
  const { lockingBytecode } = parseAddress(String((await shown())['contract_address']));
  await treasury.give(mallory, 10_000_000n);
  const outputs = Array.from({ length: 60 }, () => ({ lockingBytecode, satoshis: 5_000n }));
  await treasury.payAnywhere(mallory, outputs);
  t.like(await treasury.ask(null, 'rewards.show', { id }), { unexpectedFunding: [{ txid }] });
});

test('unexpected funding › given more coins than are told › the largest are told, and recover finds the thread', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundCampaign(treasury);
  const { lockingBytecode } = parseAddress(String((await shown())['contract_address']));
  await treasury.give(mallory, 10_000_000n);
  const outputs = Array.from({ length: 80 }, () => ({ lockingBytecode, satoshis: 1_000n }));
  await treasury.payAnywhere(mallory, outputs);
  const txid = await fundAstray(treasury, id, { payer: alice });
  const { unexpectedFunding } = await treasury.ask(null, 'rewards.show', { id });
  t.is((unexpectedFunding as Json[]).length, 50);
  t.like(unexpectedFunding, [{ txid }]);
  t.like(await treasury.ask(alice, 'rewards.recover', { id }), { txid });
});
