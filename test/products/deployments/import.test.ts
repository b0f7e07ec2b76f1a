import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { alice, bob, carol, dave, mallory } from '../../../fixtures/people.js';
import type { App } from '../../../src/app.js';
import { exitOf } from '../../../src/cli/show-reply.js';
import { EXIT, TreasuryError, type ErrorCode } from '../../../src/errors.js';
import { eventCollection } from '../../../src/record/events.js';
import type { DeploymentsFile } from '../../../src/products/deployments/index.js';
import { vestingContract } from '../../../src/products/streams/contract.js';
import { streamCollection } from '../../../src/products/streams/index.js';
import { encodeSchedule, segmentsOf } from '../../../src/products/streams/schedule.js';
import { StreamRecord } from '../../../src/products/streams/stream.js';
import { ask, openElsewhere, tell } from '../../acceptance/story.js';
import { openTreasury, type Treasury } from '../../treasury.js';
import { castLock, createVault, propose, share } from '../governance/proposal.js';
import { createCampaign, fundCampaign } from '../rewards/campaign.js';
import { advance, createStream, DAY, handleOf } from '../streams/stream.js';
import { fundVault } from '../vaults/vault.js';

type Json = Record<string, unknown>;

const exportFile = async ({ app }: Treasury): Promise<DeploymentsFile> =>
  JSON.parse(JSON.stringify(await ask(app, 'deployments.export'))) as DeploymentsFile;

/** A file with something else in one of its records. */
const forge = (file: DeploymentsFile, kind: string, changes: Json, index = 0): DeploymentsFile => {
  const forged = structuredClone(file);
  Object.assign(forged.records[kind]?.[index] ?? {}, changes);
  return forged;
};

const take = (home: App, file: unknown) => ask(home, 'deployments.import', { file });

/** Refused, and nothing of it is stored. */
const expectRefusal = async (
  t: ExecutionContext,
  home: App,
  file: unknown,
  code: ErrorCode,
  said: RegExp,
): Promise<void> => {
  const before = await tell(home);
  const error = await t.throwsAsync(take(home, file), { instanceOf: TreasuryError });
  t.is(error.code, code, error.message);
  t.regex(error.message, said);
  t.deepEqual(await tell(home), before);
};

const away: App['context']['chain']['tip'] = () =>
  Promise.reject(new TreasuryError('chain_unavailable', { reason: 'it is away' }));

/** The home with a chain that does not answer. */
const withoutChain = (home: App): App => ({
  ...home,
  context: {
    ...home.context,
    chain: { ...home.context.chain, tip: away, coins: away, history: away, transaction: away } as never,
  },
});

/** A batch of two streams that is funded. */
const fundBatch = async (treasury: Treasury): Promise<readonly string[]> => {
  const vaultId = await createVault(treasury);
  await treasury.give(alice, 50_000_000n);
  const built = await treasury.ask(alice, 'streams.batch-create', {
    vaultId,
    senderAddress: treasury.addressOf(alice).text,
    entries: [bob, carol].map((who) => ({
      recipient: treasury.addressOf(who).text,
      totalAmount: '0.01',
      scheduleTemplate: 'linear-open',
    })),
  });
  const txHash = await treasury.send(alice, built['wcTransaction']);
  await treasury.ask(null, 'streams.confirm-batch', { vaultId, batchId: built['batchId'], txHash });
  return built['streamIds'] as string[];
};

test('import › given an emptied store › it has every record as the chain has it, and what was said beside it', async (t) => {
  const treasury = await openTreasury(t);
  const campaign = await fundCampaign(treasury);
  await campaign.pay(bob, '0.007');
  await createCampaign(treasury, { title: 'Not funded' });
  const file = await exportFile(treasury);
  // What happens after the export is found on the chain.
  await campaign.move('cancel');
  await treasury.app.context.localChain?.mine(1);

  const home = await openElsewhere(t, treasury.app);
  const reply = await take(home, file);
  t.like(reply, {
    success: true,
    summary: { imported: 4, known: 0, leftOut: 0, rebuilt: 2, notRebuilt: 0 },
    imported: { rewards: 2, events: 2 },
  });
  t.is(exitOf(reply), EXIT.done);
  t.deepEqual(
    (reply['records'] as Json[]).map(({ label, status }) => [label, status]),
    [
      ['#REWARD-0001', 'CANCELLED'],
      ['#REWARD-0002', 'PENDING'],
    ],
  );
  await campaign.shown();
  t.deepEqual((await tell(home))['rewards'], (await tell(treasury.app))['rewards']);
});

test('import › given an emptied store › new labels go on behind those of the file', async (t) => {
  const treasury = await openTreasury(t);
  await createCampaign(treasury);
  const file = forge(await exportFile(treasury), 'rewards', { campaign_id: '#REWARD-0041' });
  const home = await openElsewhere(t, treasury.app);
  await take(home, file);
  const next = { title: 'Next', totalPool: '0.03', maxRewardAmount: '0.01' };
  const created = await ask(home, 'rewards.create', next, treasury.addressOf(alice));
  t.like(created, { campaign: { campaign_id: '#REWARD-0042' } });
});

test('import › given an emptied store › the members of a batch come back with their run', async (t) => {
  const treasury = await openTreasury(t);
  const [first = '', second = ''] = await fundBatch(treasury);
  await advance(treasury, 20 * DAY);
  await handleOf(treasury, first).move(bob, 'claim');
  await treasury.app.context.localChain?.mine(1);
  for (const id of [first, second]) await handleOf(treasury, id).shown();
  const home = await openElsewhere(t, treasury.app);
  t.like(await take(home, await exportFile(treasury)), {
    success: true,
    imported: { streams: 2, stream_batches: 1 },
  });
  for (const name of ['streams', 'stream_batches', 'stream_claims', 'stream_activity'])
    t.deepEqual((await tell(home))[name], (await tell(treasury.app))[name], name);

  // One of them alone, by its label.
  const damaged = await home.context.store.get(streamCollection, first);
  if (damaged === null) throw new Error('the stream is not there');
  await home.context.store.transaction((writer) => {
    writer.put(streamCollection, { ...damaged, status: 'PAUSED', withdrawn_amount: 1n });
  });
  const synced = await ask(home, 'sync', { record: 'stream-0001' });
  t.like(synced, {
    success: true,
    records: [
      { label: '#STREAM-0001', before: 'PAUSED', after: 'ACTIVE', changed: ['status', 'withdrawn_amount'] },
    ],
    summary: { total: 1, same: 0, changed: 1, failed: 0 },
  });
  t.deepEqual(await home.context.store.get(streamCollection, first), damaged);
});

test('import › given an emptied store › no signature of a spend was in the file', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  const { id: spendId } = await vault.propose([{ to: dave, amount: '0.01' }], 'Rent');
  await vault.sign(alice, spendId);
  const file = await exportFile(treasury);
  const [packed] = file.records['vault_spends'] ?? [];
  t.like(packed, { label: '#SPEND-0001', signatures: [], status: 'PENDING' });
  // Nor is one taken that somebody put there.
  const [own] = (await tell(treasury.app))['vault_spends'] ?? [];
  const home = await openElsewhere(t, treasury.app);
  await take(home, forge(file, 'vault_spends', { signatures: own?.['signatures'], status: 'READY' }));
  t.like((await tell(home))['vault_spends']?.[0], { memo: own?.['memo'], signatures: [], status: 'PENDING' });
});

test('import › given an emptied store and a private vault › its members see what belongs to it', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury, { isPublic: false });
  await createCampaign(treasury, { vaultId: vault.id });
  const home = await openElsewhere(t, treasury.app);
  await take(home, await exportFile(treasury));
  const countFor = async (who: typeof alice) =>
    (await ask(home, 'deployments.list', {}, treasury.addressOf(who)))['total'];
  t.deepEqual([await countFor(bob), await countFor(mallory)], [2, 0]);
});

test('import › given a chain that is away › the records are stored, and `sync --all` reads them', async (t) => {
  const treasury = await openTreasury(t);
  await fundCampaign(treasury);
  await treasury.app.context.localChain?.mine(1);
  const file = await exportFile(treasury);
  const home = await openElsewhere(t, treasury.app);
  const reply = await take(withoutChain(home), file);
  t.like(reply, {
    success: false,
    code: 'chain_unavailable',
    summary: { imported: 2, rebuilt: 0, notRebuilt: 1 },
    notRebuilt: [{ module: 'rewards', label: '#REWARD-0001', code: 'chain_unavailable' }],
  });
  t.is(exitOf(reply), EXIT.network);
  t.like((await tell(home))['rewards']?.[0], { status: 'PENDING', thread: null, tx_hash: null });

  const unread = await ask(withoutChain(home), 'sync', { all: true });
  t.is(exitOf(unread), EXIT.network);
  t.like(await ask(home, 'sync', { all: true }), { success: true, summary: { changed: 1 } });
  t.like((await tell(home))['rewards']?.[0], { status: 'ACTIVE' });
});

test('import › given a store that has the records › they are left as they are', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  await fundCampaign(treasury);
  const file = await exportFile(treasury);
  // What people may change since is no other term.
  await treasury.ask(alice, 'vaults.add-signer', {
    id: vault.id,
    signerAddress: treasury.addressOf(dave).text,
  });
  const before = await tell(treasury.app);
  t.like(await take(treasury.app, file), { success: true, imported: {}, summary: { known: 4, rebuilt: 0 } });
  t.deepEqual(await tell(treasury.app), before);
});

test('import › given a store with a record of the same id and other terms › invalid_file', async (t) => {
  const treasury = await openTreasury(t);
  await fundCampaign(treasury);
  const file = forge(await exportFile(treasury), 'rewards', { title: 'Another' });
  await expectRefusal(t, treasury.app, file, 'invalid_file', /rewards\.0 \(#REWARD-0001\).*other terms/);
});

test('import › given a store with another record of the same label › invalid_file', async (t) => {
  const [one, other] = [await openTreasury(t), await openTreasury(t)];
  await createCampaign(one);
  await createCampaign(other);
  await expectRefusal(t, one.app, await exportFile(other), 'invalid_file', /the label #REWARD-0001/);
});

/** A proposal with a vote that locks and one that is said. */
const openVotes = async (t: ExecutionContext) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [[bob, '100']]);
  const proposalId = await propose(treasury, { tokenCategory });
  await castLock(treasury, bob, { proposalId, voteChoice: 'FOR', stakeAmount: '20', tokenCategory });
  await treasury.ask(carol, 'governance.vote', { proposalId, vote: 'AGAINST' });
  await treasury.app.context.localChain?.mine(1);
  const home = await openElsewhere(t, treasury.app);
  return { treasury, home, proposalId, file: await exportFile(treasury) };
};

test('import › given a file of an older export › votes without their proposal are left out', async (t) => {
  const { home, file } = await openVotes(t);
  const { vaults = [], vote_locks = [] } = file.records;
  const older = { ...file, records: { vaults, vote_locks } };
  const reply = await take(home, older);
  t.like(reply, { success: true, imported: { vaults: 1 }, summary: { imported: 1, leftOut: 1 } });
  t.regex(String((reply['leftOut'] as Json[])[0]?.['reason']), /^proposals [0-9a-f-]+ is missing$/);

  // The newer file brings the rest.
  t.like(await take(home, file), { success: true, summary: { known: 1, leftOut: 0 } });
  t.is((await tell(home))['vote_locks']?.[0]?.['status'], 'LOCKED');
});

test('import › given a forged file with the address of another record › invalid_file', async (t) => {
  const treasury = await openTreasury(t);
  await fundCampaign(treasury);
  await createCampaign(treasury);
  const file = await exportFile(treasury);
  const [first, second] = file.records['rewards'] ?? [];
  const home = await openElsewhere(t, treasury.app);
  const address = { contract_address: second?.['contract_address'] };
  await expectRefusal(
    t,
    home,
    forge(file, 'rewards', address),
    'invalid_file',
    /rewards\.0 \(#REWARD-0001\): address/,
  );
  const params = { constructor_params: second?.['constructor_params'] };
  await expectRefusal(t, home, forge(file, 'rewards', params), 'invalid_file', /constructor parameters/);
  const authority = { authority_pubkey: Buffer.from(mallory.publicKey).toString('hex') };
  await expectRefusal(t, home, forge(file, 'rewards', authority), 'invalid_file', /rewards\.0/);
  // The whole of another party's record under a known label.
  const label = { campaign_id: first?.['campaign_id'] };
  await expectRefusal(t, home, forge(file, 'rewards', label, 1), 'invalid_file', /#REWARD-0001/);
});

/** The record of a stream with other terms, at the address that these terms give. */
const withTerms = (file: DeploymentsFile, changes: Partial<StreamRecord>): DeploymentsFile => {
  const [plain] = file.records['streams'] ?? [];
  const record = { ...z.decode(StreamRecord, plain as never), ...changes };
  const { address, constructorParams } = vestingContract(record, 'local');
  const moved = { ...record, contract_address: address.text, constructor_params: [...constructorParams] };
  return { ...file, records: { ...file.records, streams: [z.encode(StreamRecord, moved)] } };
};

/** A stream whose last tranche is due at a time. */
const lastTrancheAt = (file: DeploymentsFile, time: number): DeploymentsFile => {
  const { total_amount: total, start_time: start } = z.decode(
    StreamRecord,
    file.records['streams']?.[0] as never,
  );
  const tranche_schedule = [
    { unlock_time: start + 10, amount: 1n },
    { unlock_time: time, amount: total - 1n },
  ];
  const terms = { stream_type: 'TRANCHE', tranche_schedule, cliff_timestamp: null, end_time: null } as const;
  const [plain] = file.records['streams'] ?? [];
  const schedule = encodeSchedule(segmentsOf({ ...z.decode(StreamRecord, plain as never), ...terms }));
  return withTerms(file, { ...terms, schedule });
};

test('import › given a forged file with a tranche that no locktime reaches › invalid_file', async (t) => {
  const treasury = await openTreasury(t);
  await createStream(treasury);
  const file = await exportFile(treasury);
  const home = await openElsewhere(t, treasury.app);
  const late = lastTrancheAt(file, 2 ** 32 + 1);
  await expectRefusal(
    t,
    home,
    late,
    'invalid_file',
    /streams\.0 .*parameter schedule: 2106-02-07T06:28:17Z must lie/,
  );
  const [record] = late.records['streams'] ?? [];
  const verified = await ask(home, 'deployments.verify', {
    address: record?.['contract_address'],
    file: late,
  });
  t.false(verified['success']);
  const failed = (verified['audit'] as { check: string; ok: boolean }[]).filter(({ ok }) => !ok);
  t.deepEqual(
    failed.map(({ check }) => check),
    ['parameter schedule'],
  );
  await expectRefusal(t, home, lastTrancheAt(file, 4_000_000_001), 'invalid_file', /parameter schedule/);
  t.like(await take(home, lastTrancheAt(file, 4_000_000_000)), { success: true, imported: { streams: 1 } });
});

test('import › given a forged file with a version of a contract that nobody published › invalid_file', async (t) => {
  const treasury = await openTreasury(t);
  await createCampaign(treasury);
  const file = await exportFile(treasury);
  const home = await openElsewhere(t, treasury.app);
  const foreign = forge(file, 'rewards', { artifact_fingerprint: 'ab'.repeat(32) });
  await expectRefusal(
    t,
    home,
    foreign,
    'invalid_file',
    /knows no version (?:ab){32} of the contract RewardCampaign/,
  );
  // A version that is ours, and not the one at this address.
  const first = forge(file, 'rewards', { artifact_fingerprint: null });
  await expectRefusal(t, home, first, 'invalid_file', /rewards\.0 .*address: artifact and parameters give/);
});

test('verify › given a file whose batch has a member at an address of somebody else › it fails', async (t) => {
  const treasury = await openTreasury(t);
  await fundBatch(treasury);
  const file = await exportFile(treasury);
  const [first] = file.records['streams'] ?? [];
  const address = first?.['contract_address'];
  t.like(await ask(treasury.app, 'deployments.verify', { address, file }), { success: true });
  const forged = forge(file, 'streams', { contract_address: treasury.addressOf(mallory).text }, 1);
  const verified = await ask(treasury.app, 'deployments.verify', { address, file: forged });
  const failed = (verified['audit'] as { check: string; ok: boolean }[]).filter(({ ok }) => !ok);
  t.true(failed.some(({ check }) => check === 'funded together'));
});

test('import › given a forged file of another network › network_mismatch', async (t) => {
  const treasury = await openTreasury(t);
  await createCampaign(treasury);
  const home = await openElsewhere(t, treasury.app);
  const file = { ...(await exportFile(treasury)), network: 'mainnet' };
  await expectRefusal(t, home, file, 'network_mismatch', /mainnet/);
});

test('import › given a forged file with a status and a thread that are invented › they are not believed', async (t) => {
  const treasury = await openTreasury(t);
  await createCampaign(treasury);
  const home = await openElsewhere(t, treasury.app);
  const txid = 'ab'.repeat(32);
  const invented = {
    status: 'ACTIVE',
    distributed_count: 3,
    distributed_total: '2000000',
    tx_hash: txid,
    last_tx_hash: txid,
    thread: { category: txid, txid, vout: 0, commitment: '00' },
  };
  const file = await exportFile(treasury);
  await take(home, forge(file, 'rewards', invented));
  t.deepEqual((await tell(home))['rewards'], (await tell(treasury.app))['rewards']);
});

test('import › given a forged file with events of transactions that are invented › they are not taken', async (t) => {
  const treasury = await openTreasury(t);
  await createCampaign(treasury);
  const home = await openElsewhere(t, treasury.app);
  const file = await exportFile(treasury);
  const [note] = file.records['events'] ?? [];
  const invented = { ...note, id: 'invented', event_type: 'distribution', tx_hash: 'ab'.repeat(32) };
  await take(home, { ...file, records: { ...file.records, events: [note, invented] } });
  t.is((await home.context.store.find(eventCollection)).total, 1);
});

test('import › given a forged file with a vote that is said twice › invalid_file', async (t) => {
  const { home, file } = await openVotes(t);
  const said = file.records['said_votes'] ?? [];
  const twice = { ...file, records: { ...file.records, said_votes: [...said, { ...said[0], id: 'again' }] } };
  await expectRefusal(t, home, twice, 'invalid_file', /said_votes\.1/);
  const same = { ...file, records: { ...file.records, said_votes: [...said, ...said] } };
  await expectRefusal(t, home, same, 'invalid_file', /in the file twice/);
});

test('import › given a forged file with a proposal that ends at another time than its votes › invalid_file', async (t) => {
  const { home, file } = await openVotes(t);
  const end = Number(file.records['proposals']?.[0]?.['voting_ends_at']);
  const later = forge(file, 'proposals', { voting_ends_at: end + 60 });
  await expectRefusal(t, home, later, 'invalid_file', /proposals\.0: end/);
});

test('import › given a forged file with a proposal that is missing › invalid_file', async (t) => {
  const { home, file } = await openVotes(t);
  const without = { ...file, records: { ...file.records, proposals: [] } };
  await expectRefusal(t, home, without, 'invalid_file', /vote_locks\.0.*is missing/);
});

test('import › given a forged file with a spend that pays somebody else than it says › invalid_file', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  await vault.propose([{ to: dave, amount: '0.01' }], 'Rent');
  const file = await exportFile(treasury);
  const home = await openElsewhere(t, treasury.app);
  const [spend] = file.records['vault_spends'] ?? [];
  const [payment] = (spend?.['payments'] ?? []) as Json[];
  const payments = [{ ...payment, to: treasury.addressOf(mallory).text }];
  await expectRefusal(
    t,
    home,
    forge(file, 'vault_spends', { payments }),
    'invalid_file',
    /vault_spends\.0 .*payments/,
  );
  const outputs = ((spend?.['outputs'] ?? []) as Json[]).toReversed();
  await expectRefusal(
    t,
    home,
    forge(file, 'vault_spends', { outputs }),
    'invalid_file',
    /unsigned transaction/,
  );
});

test('import › given a forged file with a kind of record that nobody knows › invalid_file', async (t) => {
  const treasury = await openTreasury(t);
  const file = await exportFile(treasury);
  const forged = { ...file, records: { ...file.records, surprises: [] } };
  await expectRefusal(t, treasury.app, forged, 'invalid_file', /surprises/);
});
