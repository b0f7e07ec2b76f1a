import test from 'ava';
import { alice, authority, bob, mallory } from '../../../../fixtures/people.js';
import { paymentCollection } from '../../../../src/products/payments/index.js';
import { openTreasury, TEST_TIME, type Treasury } from '../../../treasury.js';
import { DAY, nowOf, terms } from '../payment.js';

const stored = async ({ app }: Treasury): Promise<number> =>
  (await app.context.store.find(paymentCollection)).total;
const input = (treasury: Treasury, extra: Record<string, unknown> = {}) => ({
  ...terms,
  recipient: treasury.addressOf(bob).text,
  ...extra,
});

type Created = { payment: Record<string, unknown>; deployment: Record<string, unknown> };
const create = async (treasury: Treasury, extra: Record<string, unknown> = {}): Promise<Created> =>
  (await treasury.ask(alice, 'payments.create', input(treasury, extra))) as Created;

test('create › given no credentials › it is unauthenticated, whatever the body says', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.refusal(t, null, 'payments.create', {}, 'unauthenticated');
});

test('create › given valid terms › it is PENDING, labelled, and its address is that of its parameters', async (t) => {
  const treasury = await openTreasury(t);
  const { payment, deployment } = await create(treasury);
  t.like(payment, { status: 'PENDING', payment_id: '#PAY-0001', tx_hash: null, thread: null });
  t.like(deployment, { paymentId: '#PAY-0001', contractAddress: payment['contract_address'] });
  t.like(deployment['fundingRequired'], {
    periods: 12,
    amount: 0.012,
    amountOnChain: '1200000',
    withNFT: { capability: 'mutable' },
  });
  t.is((payment['constructor_params'] as string[]).length, 8);
  t.deepEqual((payment['constructor_params'] as string[]).slice(4), ['100000', '86400', '0', '0']);
});

test('create › given valid terms › it fills the defaults', async (t) => {
  const treasury = await openTreasury(t);
  const now = await nowOf(treasury);
  const { payment } = await create(treasury);
  t.like(payment, {
    sender: treasury.addressOf(alice).text,
    recipient_name: null,
    token_type: 'BCH',
    start_date: now,
    endDate: null,
    total_periods: null,
    next_payment_date: now + DAY,
    nextPaymentDate: now + DAY,
    cancelable: true,
    vault_id: null,
    total_paid: 0,
    payment_count: 0,
    funded_periods: 0,
    runway_ends_at: null,
  });
});

for (const [interval, seconds] of [
  ['DAILY', 86_400],
  ['WEEKLY', 604_800],
  ['BIWEEKLY', 1_209_600],
  ['MONTHLY', 2_592_000],
  ['YEARLY', 31_536_000],
] as const) {
  test(`create › given ${interval} › it is ${seconds} seconds`, async (t) => {
    const treasury = await openTreasury(t);
    const { payment } = await create(treasury, { interval });
    t.is(payment['intervalSeconds'], seconds);
    t.is(Number(payment['next_payment_date']) - Number(payment['start_date']), seconds);
  });
}

test('create › given an end › a payment due at the end counts, and funding covers no more than the term', async (t) => {
  const treasury = await openTreasury(t);
  const startDate = TEST_TIME;
  for (const [endDate, periods, upfront] of [
    [startDate + 3 * DAY, 3, 3],
    [startDate + 4 * DAY - 1, 3, 3],
    [startDate + 30 * DAY, 30, 12],
  ] as const) {
    const { payment, deployment } = await create(treasury, { startDate, endDate });
    t.is(payment['total_periods'], periods);
    t.like(deployment['fundingRequired'], { periods: upfront });
  }
});

test('create › given an end in the past or before the first payment › it is refused by name', async (t) => {
  const treasury = await openTreasury(t);
  for (const endDate of [TEST_TIME - 5 * DAY, TEST_TIME + DAY - 60]) {
    const dates = input(treasury, { startDate: TEST_TIME, endDate });
    const error = await treasury.refusal(t, alice, 'payments.create', dates, 'invalid_input');
    t.regex(error.message, /endDate/);
  }
  t.is(await stored(treasury), 0);
});

test('create › given an open end that could never be cancelled › it is refused', async (t) => {
  const treasury = await openTreasury(t);
  const irrevocable = input(treasury, { cancelable: false });
  const error = await treasury.refusal(t, alice, 'payments.create', irrevocable, 'invalid_input');
  t.regex(error.message, /cancelable/);
});

for (const amountPerPeriod of ['0', -1, '1,5', '0.000000001', '21000001']) {
  test(`create › given the amount ${amountPerPeriod} › it is refused by name and stores nothing`, async (t) => {
    const treasury = await openTreasury(t);
    const wrong = input(treasury, { amountPerPeriod });
    const error = await treasury.refusal(t, alice, 'payments.create', wrong, 'invalid_amount');
    t.regex(error.message, /amountPerPeriod/);
    t.is(await stored(treasury), 0);
  });
}

test('create › given a period below dust › it is amount_below_dust', async (t) => {
  const treasury = await openTreasury(t);
  const tiny = input(treasury, { amountPerPeriod: '0.00000545' });
  await treasury.refusal(t, alice, 'payments.create', tiny, 'amount_below_dust');
  await t.notThrowsAsync(create(treasury, { amountPerPeriod: '0.00000546' }));
});

test('create › given another sender than the caller › it is caller_mismatch', async (t) => {
  const treasury = await openTreasury(t);
  const foreign = input(treasury, { sender: treasury.addressOf(mallory).text });
  await treasury.refusal(t, alice, 'payments.create', foreign, 'caller_mismatch');
});

test('create › given a contract or the authority as a party › it is refused', async (t) => {
  const treasury = await openTreasury(t);
  const { payment } = await create(treasury);
  for (const [recipient, code] of [
    [payment['contract_address'], 'not_payable'],
    [treasury.addressOf(authority).text, 'invalid_input'],
  ] as const)
    await treasury.refusal(t, alice, 'payments.create', input(treasury, { recipient }), code);
  await treasury.refusal(t, authority, 'payments.create', input(treasury), 'invalid_input');
});

test('create › given FUNGIBLE_TOKEN › it needs a category and pins its decimals', async (t) => {
  const treasury = await openTreasury(t);
  const bare = input(treasury, { tokenType: 'FUNGIBLE_TOKEN' });
  await treasury.refusal(t, alice, 'payments.create', bare, 'invalid_input');
  const category = 'ab'.repeat(32);
  await treasury.ask(null, 'tokens.add', { category, symbol: 'GEMS', decimals: 2 });
  const { payment } = await create(treasury, {
    tokenType: 'CASHTOKENS',
    tokenCategory: category,
    amountPerPeriod: '30.25',
  });
  t.like(payment, { token_type: 'FUNGIBLE_TOKEN', decimals: 2, amount_per_periodOnChain: '3025' });
});

test('create › given a vault that is not there › it is vault_not_found', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.refusal(
    t,
    alice,
    'payments.create',
    input(treasury, { vaultId: 'a-vault' }),
    'vault_not_found',
  );
});
