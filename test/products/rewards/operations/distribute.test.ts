import test from 'ava';
import { alice, bob, carol, mallory } from '../../../../fixtures/people.js';
import { reserveContract } from '../../../../src/covenant/reserve.js';
import { parseAddress } from '../../../../src/bch/address.js';
import { campaignCollection, distributionCollection } from '../../../../src/products/rewards/index.js';
import { openTreasury, TEST_TIME, type Treasury } from '../../../treasury.js';
import { createCampaign, fundCampaign, fundTokenCampaign } from '../campaign.js';

const rows = async ({ app }: Treasury): Promise<number> =>
  (await app.context.store.find(distributionCollection)).total;

const toBob = (treasury: Treasury, id: string, amount = '0.005') => ({
  id,
  recipientAddress: treasury.addressOf(bob).text,
  amount,
});

test('distribute › given somebody else than the creator › it is not_creator', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  await treasury.refusal(t, mallory, 'rewards.distribute', toBob(treasury, id), 'not_creator');
});

test('distribute › given a signerAddress that is not the creator › it is not_signer', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  const input = { ...toBob(treasury, id), signerAddress: treasury.addressOf(mallory).text };
  await treasury.refusal(t, alice, 'rewards.distribute', input, 'not_signer');
});

test('distribute › given a PENDING campaign › it is wrong_state', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createCampaign(treasury);
  const error = await treasury.refusal(t, alice, 'rewards.distribute', toBob(treasury, id), 'wrong_state');
  t.is(error.details['status'], 'PENDING');
});

test('distribute › given a PAUSED campaign › it is wrong_state', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move } = await fundCampaign(treasury);
  await move('pause');
  await treasury.refusal(t, alice, 'rewards.distribute', toBob(treasury, id), 'wrong_state');
});

for (const asset of ['BCH', 'tokens'] as const) {
  test(`distribute › in ${asset} › given the campaign's own address or its reserve's › it is not_payable`, async (t) => {
    const treasury = await openTreasury(t);
    const { id } = await (asset === 'BCH' ? fundCampaign : fundTokenCampaign)(treasury);
    const { contract_address: own, thread } =
      (await treasury.app.context.store.get(campaignCollection, id)) ?? t.fail();
    const { lockingBytecode } = parseAddress(own);
    const { address: reserve } = reserveContract(thread?.category ?? '', lockingBytecode, 'local');
    for (const recipientAddress of [own, reserve.text, reserve.tokenText]) {
      const input = { ...toBob(treasury, id), recipientAddress };
      const { details } = await treasury.refusal(t, alice, 'rewards.distribute', input, 'not_payable');
      t.is(details['field'], 'recipientAddress');
    }
  });
}

test('distribute › given an amount › above the maximum it is amount_exceeds_max_reward', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  const input = toBob(treasury, id, '0.01000001');
  await treasury.refusal(t, alice, 'rewards.distribute', input, 'amount_exceeds_max_reward');
});

test('distribute › given an amount › above what is left it is pool_exhausted', async (t) => {
  const treasury = await openTreasury(t);
  const { id, pay } = await fundCampaign(treasury);
  for (let reward = 0; reward < 2; reward += 1) await pay(carol, '0.01');
  await pay(carol, '0.005');
  await treasury.refusal(t, alice, 'rewards.distribute', toBob(treasury, id, '0.00500001'), 'pool_exhausted');
});

test('distribute › given an amount › below dust it is amount_below_dust', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  await treasury.refusal(
    t,
    alice,
    'rewards.distribute',
    toBob(treasury, id, '0.00000545'),
    'amount_below_dust',
  );
});

test('distribute › given an amount › one that is none is refused by name', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  for (const amount of ['0', '-1', '1,5', '0.000000001']) {
    const error = await treasury.refusal(
      t,
      alice,
      'rewards.distribute',
      toBob(treasury, id, amount),
      'invalid_amount',
    );
    t.is(error.details['field'], 'amount');
  }
});

test('distribute › given a date › before the start it is campaign_not_started', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury, { startDate: TEST_TIME + 3_600 });
  await treasury.refusal(t, alice, 'rewards.distribute', toBob(treasury, id), 'campaign_not_started');
});

test('distribute › given a date › from the start on it is built', async (t) => {
  const treasury = await openTreasury(t);
  const { pay } = await fundCampaign(treasury, { startDate: TEST_TIME + 3_600 });
  await treasury.app.context.localChain?.advance(7_200);
  await t.notThrowsAsync(pay(bob, '0.001'));
});

test('distribute › given a date › after the end it is campaign_ended', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury, { endDate: TEST_TIME + 3_600 });
  await treasury.app.context.localChain?.advance(7_200);
  await treasury.refusal(t, alice, 'rewards.distribute', toBob(treasury, id), 'campaign_ended');
});

test('distribute › given the aliases recipient and rewardAmount › they are taken', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  const reply = await treasury.ask(alice, 'rewards.distribute', {
    id,
    recipient: treasury.addressOf(bob).text,
    rewardAmount: 0.005,
  });
  t.is(reply['rewardAmount'], 0.005);
});

test('distribute › given a valid reward › BCH: the recipient gets exactly the amount', async (t) => {
  const treasury = await openTreasury(t);
  const { pay, shown } = await fundCampaign(treasury);
  await pay(bob, '0.00512345');
  t.is(await treasury.satoshisOf(bob), 512_345n);
  t.like(await shown(), { distributed_total: 0.00512345, distributed_count: 1, status: 'ACTIVE' });
});

test('distribute › given a valid reward › tokens: the recipient gets exactly the amount', async (t) => {
  const treasury = await openTreasury(t);
  const { pay, shown, category } = await fundTokenCampaign(treasury);
  await pay(bob, '9.99');
  await pay(carol, '10');
  t.is(await treasury.tokensOf(bob, category), 999n);
  t.is(await treasury.tokensOf(carol, category), 1_000n);
  t.like(await shown(), { distributed_total: 19.99, distributed_totalOnChain: '1999', distributed_count: 2 });
});

test('distribute › given the last reward › the pool is empty and the campaign can be cancelled', async (t) => {
  const treasury = await openTreasury(t);
  const { pay, move, shown } = await fundTokenCampaign(treasury);
  for (let reward = 0; reward < 3; reward += 1) await pay(bob, '10');
  t.like(await shown(), { distributed_total: 30, status: 'ACTIVE' });
  await move('cancel');
  t.like(await shown(), { status: 'CANCELLED', thread: null });
});

test('distribute › given two built on one state › the second is tx_conflict and the pool is not exceeded', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundCampaign(treasury);
  const input = toBob(treasury, id, '0.01');
  const [first, second] = await Promise.all([
    treasury.ask(alice, 'rewards.distribute', input),
    treasury.ask(alice, 'rewards.distribute', { ...input, amount: '0.009' }),
  ]);
  await treasury.send(alice, first['wcTransaction']);
  await t.throwsAsync(treasury.send(alice, second['wcTransaction']), { code: 'tx_conflict' });
  t.like(await shown(), { distributed_total: 0.01, distributed_count: 1 });
});

test('confirm-distribute › given a transaction that the chain does not know › it is pending and nothing is stored', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  const input = { ...toBob(treasury, id), txHash: '12'.repeat(32) };
  const error = await treasury.refusal(t, alice, 'rewards.confirm-distribute', input, 'tx_not_indexed');
  t.like(error, { status: 409, retryable: true });
  t.is(error.details['state'], 'pending');
  t.is(await rows(treasury), 0);
});

test('confirm-distribute › given another amount or recipient › it is tx_mismatch', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  const input = toBob(treasury, id);
  const built = await treasury.ask(alice, 'rewards.distribute', input);
  const txHash = await treasury.send(alice, built['wcTransaction']);
  for (const wrong of [{ amount: '0.006' }, { recipientAddress: treasury.addressOf(carol).text }]) {
    const error = await treasury.refusal(
      t,
      alice,
      'rewards.confirm-distribute',
      { ...input, txHash, ...wrong },
      'tx_mismatch',
    );
    t.is(error.details['state'], 'failed');
  }
});

test("confirm-distribute › given another campaign's distribution › it is tx_mismatch and counts for its own only", async (t) => {
  const treasury = await openTreasury(t);
  const mine = await fundCampaign(treasury);
  const other = await fundCampaign(treasury);
  const txHash = await other.pay(bob, '0.005');
  await treasury.refusal(
    t,
    alice,
    'rewards.confirm-distribute',
    { ...toBob(treasury, mine.id), txHash },
    'tx_mismatch',
  );
  t.like(await mine.shown(), { distributed_count: 0 });
  t.like(await other.shown(), { distributed_count: 1 });
});

test('confirm-distribute › given it twice › it answers the same and counts once', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundCampaign(treasury);
  const input = toBob(treasury, id);
  const built = await treasury.ask(alice, 'rewards.distribute', input);
  const txHash = await treasury.send(alice, built['wcTransaction']);
  const replies = await Promise.all(
    [1, 2, 3].map(() => treasury.ask(alice, 'rewards.confirm-distribute', { ...input, txHash })),
  );
  t.deepEqual(replies[0], replies[1]);
  t.deepEqual(replies[1], await treasury.ask(alice, 'rewards.confirm-distribute', { ...input, txHash }));
  t.is(await rows(treasury), 1);
  t.like(await shown(), { distributed_count: 1, distributed_total: 0.005 });
});

test('confirm-distribute › given a distribution that nobody confirmed › the next read knows it', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  const built = await treasury.ask(alice, 'rewards.distribute', toBob(treasury, id));
  const txHash = await treasury.send(alice, built['wcTransaction']);
  const { distributions, events } = (await treasury.ask(null, 'rewards.show', { id })) as Record<
    string,
    Record<string, unknown>[]
  >;
  t.like(distributions?.[0], { tx_hash: txHash, amount: 0.005, recipient: treasury.addressOf(bob).text });
  t.deepEqual(
    events?.map((event) => event['event_type']),
    ['distribution', 'funded', 'created'],
  );
});
