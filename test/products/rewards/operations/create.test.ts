import test from 'ava';
import { alice, authority, bob } from '../../../../fixtures/people.js';
import { openTreasury, TEST_TIME, type Treasury } from '../../../treasury.js';
import { campaignCollection } from '../../../../src/products/rewards/index.js';
import { terms } from '../campaign.js';

const stored = async ({ app }: Treasury): Promise<number> =>
  (await app.context.store.find(campaignCollection)).total;

type Created = { campaign: Record<string, unknown>; deployment: Record<string, unknown> };
const create = async (treasury: Treasury, extra: Record<string, unknown> = {}): Promise<Created> =>
  (await treasury.ask(alice, 'rewards.create', { ...terms, ...extra })) as Created;

test('create › given no credentials › it is unauthenticated, whatever the body says', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.refusal(t, null, 'rewards.create', {}, 'unauthenticated');
});

test('create › given valid terms › it is PENDING, labelled, and its address is that of its parameters', async (t) => {
  const treasury = await openTreasury(t);
  const { campaign, deployment } = await create(treasury);
  t.is(campaign['status'], 'PENDING');
  t.is(campaign['campaign_id'], '#REWARD-0001');
  t.is(deployment['campaignId'], '#REWARD-0001');
  t.is(deployment['contractAddress'], campaign['contract_address']);
  t.true(String(deployment['contractAddress']).startsWith('bchtest:p'));
  t.like(deployment['fundingRequired'], {
    amount: 0.03,
    tokenType: 'BCH',
    withNFT: { capability: 'mutable' },
  });
  t.is(deployment['nftCommitment'], '00'.repeat(13));
});

test('create › given valid terms › it fills the defaults', async (t) => {
  const treasury = await openTreasury(t);
  const { campaign } = await create(treasury);
  const { medianTimePast } = await treasury.app.context.chain.tip();
  t.like(campaign, {
    creator: treasury.addressOf(alice).text,
    refund_address: treasury.addressOf(alice).text,
    reward_category: 'CUSTOM',
    token_type: 'BCH',
    token_category: null,
    start_date: medianTimePast - 1,
    end_date: null,
    description: '',
  });
});

test('create › given valid terms › equal terms give another address', async (t) => {
  const treasury = await openTreasury(t);
  const [first, second] = [await create(treasury), await create(treasury)];
  t.not(first.campaign['contract_address'], second.campaign['contract_address']);
});

for (const [written, units] of [
  [0.1, '10000000'],
  [0.00001, '1000'],
  ['0.30000000', '30000000'],
  [20999999.9769, '2099999997690000'],
] as const) {
  test(`create › given amounts › ${JSON.stringify(written)} is exact`, async (t) => {
    const treasury = await openTreasury(t);
    const { campaign } = await create(treasury, { totalPool: written, maxRewardAmount: 0.00001 });
    t.is(campaign['total_poolOnChain'], units);
    t.is(campaign['total_pool'], Number(written));
  });
}

for (const written of [0.000000001, -1, '1,5', '0', '21000001']) {
  test(`create › given amounts › ${written} is refused by name and stores nothing`, async (t) => {
    const treasury = await openTreasury(t);
    const input = { ...terms, totalPool: written };
    const error = await treasury.refusal(t, alice, 'rewards.create', input, 'invalid_amount');
    t.regex(error.message, /totalPool/);
    t.is(await stored(treasury), 0);
  });
}

test('create › given a maximum above the pool › it names maxRewardAmount', async (t) => {
  const treasury = await openTreasury(t);
  const input = { ...terms, maxRewardAmount: '0.04' };
  const error = await treasury.refusal(t, alice, 'rewards.create', input, 'invalid_input');
  t.regex(error.message, /maxRewardAmount/);
  t.is(await stored(treasury), 0);
});

test('create › given a maximum below dust › it is amount_below_dust', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.refusal(
    t,
    alice,
    'rewards.create',
    { ...terms, maxRewardAmount: '0.00000545' },
    'amount_below_dust',
  );
  t.is(await stored(treasury), 0);
});

test('create › given FUNGIBLE_TOKEN › without a category it is refused', async (t) => {
  const treasury = await openTreasury(t);
  const error = await treasury.refusal(
    t,
    alice,
    'rewards.create',
    { ...terms, tokenType: 'FUNGIBLE_TOKEN' },
    'invalid_input',
  );
  t.regex(error.message, /tokenCategory/);
});

test("create › given FUNGIBLE_TOKEN › the registry's decimals are pinned", async (t) => {
  const treasury = await openTreasury(t);
  const category = 'ab'.repeat(32);
  await treasury.ask(null, 'tokens.add', { category, symbol: 'GEMS', decimals: 2 });
  const { campaign } = await create(treasury, {
    tokenType: 'CASHTOKENS',
    tokenCategory: category,
    totalPool: '30.25',
    maxRewardAmount: 1,
  });
  t.like(campaign, { token_type: 'FUNGIBLE_TOKEN', decimals: 2, total_poolOnChain: '3025' });
});

test('create › given dates › an end before the start or in the past is refused', async (t) => {
  const treasury = await openTreasury(t);
  for (const endDate of [TEST_TIME - 86_400, TEST_TIME + 50]) {
    const input = { ...terms, startDate: TEST_TIME + 100, endDate };
    const error = await treasury.refusal(t, alice, 'rewards.create', input, 'invalid_input');
    t.regex(error.message, /endDate/);
  }
});

test('create › given an endDate of 0 › it is open-ended', async (t) => {
  const treasury = await openTreasury(t);
  const { campaign } = await create(treasury, { endDate: 0 });
  t.is(campaign['end_date'], null);
});

test('create › given a vaultId › it is vault_not_found', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.refusal(t, alice, 'rewards.create', { ...terms, vaultId: 'a-vault' }, 'vault_not_found');
});

test('create › given a creator that is the authority › it is refused', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.refusal(t, authority, 'rewards.create', terms, 'invalid_input');
});

test("create › given another network's refund address › it is invalid_address", async (t) => {
  const treasury = await openTreasury(t);
  const refundAddress = bob.address('mainnet').text;
  const error = await treasury.refusal(
    t,
    alice,
    'rewards.create',
    { ...terms, refundAddress },
    'invalid_address',
  );
  t.regex(error.message, /bchtest:/);
});
