import test from 'ava';
import { alice, bob, carol, mallory } from '../../../fixtures/people.js';
import { exitOf } from '../../../src/cli/show-reply.js';
import { EXIT } from '../../../src/errors.js';
import type { DeploymentsFile } from '../../../src/products/deployments/index.js';
import type { Treasury } from '../../treasury.js';
import { createPlan } from '../budgets/plan.js';
import { advance, DAY, fundPayment } from '../payments/payment.js';
import { createStream, fundStream } from '../streams/stream.js';
import { createCampaign, fundCampaign, fundTokenCampaign } from '../rewards/campaign.js';
import { deployables, openRegistered } from './registered.js';

type Entry = Record<string, unknown> & { readonly contractAddress: string; readonly module: string };

const list = async (treasury: Treasury, input: Record<string, unknown> = {}, who = alice) =>
  (await treasury.ask(who, 'deployments.list', input)) as unknown as {
    readonly entries: readonly Entry[];
    readonly summary: Record<string, unknown>;
  };

type Verified = {
  readonly success: boolean;
  readonly audit?: readonly { readonly check: string; readonly ok: boolean; readonly detail: string }[];
};

const verify = async (treasury: Treasury, address: string, file?: unknown): Promise<Verified> =>
  (await treasury.ask(null, 'deployments.verify', {
    address,
    ...(file === undefined ? {} : { file }),
  })) as unknown as Verified;

const failures = ({ audit = [] }: Verified) => audit.filter(({ ok }) => !ok);

const exportFile = async (treasury: Treasury): Promise<DeploymentsFile> =>
  JSON.parse(JSON.stringify(await treasury.ask(null, 'deployments.export'))) as DeploymentsFile;

test('registry › list › given two campaigns › both are there with what their parameters give, newest first', async (t) => {
  const treasury = await openRegistered(t);
  const first = await createCampaign(treasury, { title: 'First' });
  treasury.pass(60);
  const second = await fundCampaign(treasury);
  const { entries, summary } = await list(treasury);
  t.deepEqual(summary, { total: 2, byType: { RewardCampaign: 2 }, verified: 2, mismatched: 0, unfunded: 1 });
  t.deepEqual(
    entries.map(({ id }) => id),
    [second.id, first.id],
  );
  const [entry] = entries;
  t.like(entry, {
    contractType: 'RewardCampaign',
    module: 'rewards',
    network: 'chipnet',
    expectedAddress: entry?.contractAddress,
    artifact: { name: 'RewardCampaign', compiler: 'cashc 0.12.1' },
    artifactMatch: 'match',
    status: 'ACTIVE',
    explorerUrl: `https://explorer.example/address/${entry?.contractAddress ?? ''}`,
  });
  t.is((entry?.['constructorParams'] as string[] | undefined)?.length, 8);
  t.is(entry?.['onChain'], undefined);
});

test('registry › list › given verify=true › what the chain has stands beside each', async (t) => {
  const treasury = await openRegistered(t);
  await createCampaign(treasury);
  treasury.pass(60);
  await fundCampaign(treasury);
  const { entries } = await list(treasury, { verify: true });
  t.like(entries[0]?.['onChain'], { balanceSatoshis: '3001000', utxoCount: 1, thread: { vout: 0 } });
  t.like(entries[1]?.['onChain'], { balanceSatoshis: '0', utxoCount: 0, thread: null, confirmed: false });
});

test('registry › list › given another network › it is empty', async (t) => {
  const treasury = await openRegistered(t);
  await createCampaign(treasury);
  t.like(await list(treasury, { network: 'mainnet' }), { network: 'mainnet', entries: [], total: 0 });
  t.like(await list(treasury, { network: 'local' }), { total: 1 });
  await treasury.refusal(t, null, 'deployments.list', { network: 'moon' }, 'invalid_input');
});

test('registry › list › given a private vault › its members see it, and nobody else', async (t) => {
  const treasury = await openRegistered(t);
  const signers = [alice, bob, carol];
  await treasury.ask(alice, 'vaults.create', {
    name: 'Common funds',
    signers: signers.map((who) => treasury.addressOf(who).text),
    signerPubkeys: signers.map(({ publicKey }) => Buffer.from(publicKey).toString('hex')),
    totalDeposit: 0.01,
    isPublic: false,
  });
  t.is((await list(treasury, {}, bob)).entries.length, 1);
  t.is((await list(treasury, {}, mallory)).entries.length, 0);
  const [{ contractAddress } = { contractAddress: '' }] = (await list(treasury)).entries;
  const hidden = await treasury.ask(mallory, 'deployments.verify-address', { address: contractAddress });
  t.like(hidden, { success: true, balanceSatoshis: '0', audit: undefined, contractType: undefined });
  const shown = await treasury.ask(bob, 'deployments.verify-address', { address: contractAddress });
  t.like(shown, { success: true, contractType: 'Vault' });
});

test('registry › verify › given a campaign in tokens that has paid › every check holds', async (t) => {
  const treasury = await openRegistered(t);
  const campaign = await fundTokenCampaign(treasury);
  await campaign.pay(bob, '7.50');
  const { contract_address: address } = await campaign.shown();
  const verified = await verify(treasury, String(address));
  t.deepEqual(failures(verified), []);
  t.like(verified, {
    success: true,
    contractType: 'RewardCampaign',
    confirmationStatus: 'confirmed',
    utxos: { count: 1 },
  });
  t.true((verified.audit?.length ?? 0) >= 15);
});

test('registry › verify › given a vault with a deposit › every check holds', async (t) => {
  const treasury = await openRegistered(t);
  for (let coin = 0; coin < 3; coin += 1) await treasury.give(alice, 5_000_000n);
  const signers = [alice, bob, carol];
  const created = await treasury.ask(alice, 'vaults.create', {
    name: 'Common funds',
    signers: signers.map((who) => treasury.addressOf(who).text),
    signerPubkeys: signers.map(({ publicKey }) => Buffer.from(publicKey).toString('hex')),
    totalDeposit: 0.01,
    isPublic: true,
  });
  const built = await treasury.ask(alice, 'vaults.deposit', { id: created['id'] });
  const txHash = await treasury.send(alice, built['wcTransaction']);
  await treasury.ask(alice, 'vaults.update-balance', { id: created['id'], txid: txHash });
  const verified = await verify(treasury, String(created['contractAddress']));
  t.deepEqual(failures(verified), []);
  t.true(verified.audit?.some(({ check }) => check === 'thread'));
});

test('registry › verify › given a payment, a plan and a stream that have moved › every check holds', async (t) => {
  const treasury = await openRegistered(t);
  const payment = await fundPayment(treasury);
  await advance(treasury, 2 * DAY);
  await payment.move('claim');
  const plan = await createPlan(treasury);
  await plan.move('funding');
  const stream = await fundStream(treasury);
  for (const record of [await payment.shown(), await plan.shown(), await stream.shown()]) {
    const verified = await verify(treasury, String(record['contract_address']));
    t.deepEqual(failures(verified), []);
    t.true(verified.audit?.some(({ check }) => check === 'pool'));
  }
});

test('registry › verify › given an address on no record › it is what the chain has, without an audit', async (t) => {
  const treasury = await openRegistered(t);
  await treasury.give(bob, 1_234n);
  // Being a party of a deployment does not make an address one.
  await createStream(treasury);
  const address = treasury.addressOf(bob).text;
  t.like(await verify(treasury, address), {
    success: true,
    address,
    balanceSatoshis: '1234',
    utxos: { count: 1, satoshis: '1234' },
    explorer: `https://explorer.example/address/${address}`,
    audit: undefined,
  });
});

for (const { module, collection } of deployables) {
  test(`registry › given a record of ${module} › it is found by its contract's address`, (t) => {
    const contract_address = 'bchtest:pq';
    t.is(collection.indexes['contract']?.({ contract_address }), contract_address);
  });
}

test('registry › export › given a file › it verifies without the store, and finds a record that lies', async (t) => {
  const treasury = await openRegistered(t);
  const campaign = await fundCampaign(treasury);
  const { contract_address } = await campaign.shown();
  const address = String(contract_address);
  const file = await exportFile(treasury);

  // What happens after the export is followed on the chain.
  await campaign.pay(bob, '0.01');
  const elsewhere = await openRegistered(t);
  t.like(await verify(elsewhere, address), { audit: undefined });
  const verified = await verify(treasury, address, file);
  t.deepEqual([verified.success, failures(verified)], [true, []]);

  const lying = structuredClone(file);
  const [record] = lying.records['rewards'] ?? [];
  Object.assign(record ?? {}, { total_pool: '2000000' });
  const found = await verify(treasury, address, lying);
  t.false(found.success);
  t.is(exitOf(found), EXIT.rule);
  t.is(exitOf(verified), EXIT.done);
  t.true(failures(found).some(({ check }) => check === 'address'));
});

test('registry › export › given a file that cannot be used › the error says why', async (t) => {
  const treasury = await openRegistered(t);
  const campaign = await createCampaign(treasury);
  const address = String((await campaign.shown())['contract_address']);
  const file = await exportFile(treasury);
  const refusal = (
    changes: Record<string, unknown>,
    code: Parameters<Treasury['refusal']>[4],
    at = address,
  ) => treasury.refusal(t, null, 'deployments.verify', { address: at, file: { ...file, ...changes } }, code);
  await refusal({ network: 'mainnet' }, 'network_mismatch');
  await refusal({ records: { rewards: [{ id: 'x' }] } }, 'invalid_file');
  await refusal({ format: 'something else' }, 'invalid_input');
  await refusal({}, 'deployment_not_found', treasury.addressOf(bob).text);
});
