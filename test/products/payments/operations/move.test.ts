import test from 'ava';
import { alice, bob, mallory } from '../../../../fixtures/people.js';
import { openTreasury, type Treasury } from '../../../treasury.js';
import { advance, createPayment, DAY, fundPayment, fundTokenPayment, nowOf } from '../payment.js';

const MOVES = ['pause', 'resume', 'cancel', 'refill'] as const;
const inputOf = (verb: (typeof MOVES)[number], id: string) =>
  verb === 'refill' ? { id, periods: 1 } : { id };

for (const verb of MOVES) {
  test(`${verb} › given somebody else than the sender › it is not_sender`, async (t) => {
    const treasury = await openTreasury(t);
    const { id } = await fundPayment(treasury);
    for (const who of [bob, mallory])
      await treasury.refusal(t, who, `payments.${verb}`, inputOf(verb, id), 'not_sender');
  });

  test(`${verb} › given a PENDING payment › it is wrong_state`, async (t) => {
    const treasury = await openTreasury(t);
    const { id } = await createPayment(treasury);
    await treasury.refusal(t, alice, `payments.${verb}`, inputOf(verb, id), 'wrong_state');
  });

  test(`confirm-${verb} › given the funding › it is tx_mismatch`, async (t) => {
    const treasury = await openTreasury(t);
    const { id, shown } = await fundPayment(treasury);
    const { tx_hash: txHash } = await shown();
    await treasury.refusal(t, null, `payments.confirm-${verb}`, { id, txHash }, 'tx_mismatch');
    t.like(await shown(), { status: 'ACTIVE', funded_periods: 12 });
  });
}

test('pause › given periods due › they are paid in it, and nothing falls due until it is resumed', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move, shown, executions } = await fundPayment(treasury);
  await advance(treasury, 2 * DAY);
  const built = await treasury.ask(alice, 'payments.pause', { id });
  t.like(built, { nextStatus: 'PAUSED', paidPeriods: 2, paidAmount: 0.002, paidAmountOnChain: '200000' });
  const txHash = await move('pause');
  t.is(await treasury.satoshisOf(bob), 200_000n);
  await advance(treasury, 5 * DAY);
  t.like(await shown(), {
    status: 'PAUSED',
    payment_count: 2,
    total_paid: 0.002,
    due_periods: 0,
    claimable_periods: 0,
    funded_periods: 10,
    runway_ends_at: null,
  });
  t.like((await executions())[0], { periods: 2, amountOnChain: '200000', tx_hash: txHash });
  await treasury.refusal(t, bob, 'payments.claim', { id }, 'wrong_state');
  await treasury.refusal(t, alice, 'payments.pause', { id }, 'wrong_state');
});

test('pause › given nothing due › nothing is paid', async (t) => {
  const treasury = await openTreasury(t);
  const { move, shown, executions } = await fundPayment(treasury);
  await move('pause');
  t.like(await shown(), { status: 'PAUSED', payment_count: 0, funded_periods: 12 });
  t.is(await treasury.satoshisOf(bob), 0n);
  t.is((await executions()).length, 0);
});

test('pause › given it twice › it is the same transaction', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundPayment(treasury);
  const [first, second] = [
    await treasury.ask(alice, 'payments.pause', { id }),
    await treasury.ask(alice, 'payments.pause', { id }),
  ];
  t.deepEqual(first, second);
});

test('pause › given an irrevocable payment › it is not_cancelable, and so is a cancellation', async (t) => {
  const treasury = await openTreasury(t);
  const endDate = (await nowOf(treasury)) + 5 * DAY;
  const { id } = await fundPayment(treasury, { cancelable: false, endDate });
  await treasury.refusal(t, alice, 'payments.pause', { id }, 'not_cancelable');
  await treasury.refusal(t, alice, 'payments.cancel', { id }, 'not_cancelable');
});

test('pause › given tokens › what is due is paid exactly, and the rest stays in the reserve', async (t) => {
  const treasury = await openTreasury(t);
  const { move, shown, category } = await fundTokenPayment(treasury);
  await advance(treasury, 3 * DAY);
  await move('pause');
  t.is(await treasury.tokensOf(bob, category), 750n);
  t.like(await shown(), { status: 'PAUSED', total_paidOnChain: '750', funded_amountOnChain: '2250' });
});

test('resume › given PAUSED › the next date is an interval from now, and the pool is as it was', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move, shown } = await fundPayment(treasury);
  await move('pause');
  await advance(treasury, 4 * DAY);
  const built = await treasury.ask(alice, 'payments.resume', { id });
  const txHash = await treasury.send(alice, built['wcTransaction']);
  const reply = await treasury.ask(null, 'payments.confirm-resume', { id, txHash });
  t.is(built['nextPaymentDate'], (await nowOf(treasury)) + DAY);
  t.is(reply['nextPaymentDate'], built['nextPaymentDate']);
  t.like(await shown(), {
    status: 'ACTIVE',
    next_payment_date: built['nextPaymentDate'],
    nextPaymentDate: built['nextPaymentDate'],
    funded_periods: 12,
    due_periods: 0,
  });
  await treasury.refusal(t, alice, 'payments.resume', { id }, 'wrong_state');
});

test('resume › given tokens › the reserve stays closed', async (t) => {
  const treasury = await openTreasury(t);
  const { move, shown, category } = await fundTokenPayment(treasury);
  await move('pause');
  await move('resume');
  t.like(await shown(), { status: 'ACTIVE', funded_amountOnChain: '3000' });
  await advance(treasury, DAY);
  await treasury.give(bob, 50_000n);
  await move('claim');
  t.is(await treasury.tokensOf(bob, category), 250n);
});

test('refill › given an open term › as many periods as asked, also while PAUSED', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move, shown } = await fundPayment(treasury);
  const built = await treasury.ask(alice, 'payments.refill', { id, periods: 20 });
  t.like(built, { refillAmount: 0.02, refillAmountOnChain: '2000000', periods: 20 });
  await move('refill', { periods: 20 });
  t.like(await shown(), { funded_periods: 32, status: 'ACTIVE' });
  await move('pause');
  await move('refill', { periods: 1 });
  t.like(await shown(), { funded_periods: 33, status: 'PAUSED' });
});

test('refill › given a fixed term › more than is left is periods_exceeds_left', async (t) => {
  const treasury = await openTreasury(t);
  const endDate = (await nowOf(treasury)) + 15 * DAY;
  const { id, move, shown } = await fundPayment(treasury, { endDate });
  t.like(await shown(), { total_periods: 15, funded_periods: 12 });
  const input = { id, periods: 4 };
  const error = await treasury.refusal(t, alice, 'payments.refill', input, 'periods_exceeds_left');
  t.like(error.details, { periods: 4, left: 3 });
  await move('refill', { periods: 3 });
  t.like(await shown(), { funded_periods: 15 });
  await treasury.refusal(t, alice, 'payments.refill', { id, periods: 1 }, 'periods_exceeds_left');
});

test('refill › given tokens › they come from the sender, whose change comes back', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move, shown, category } = await fundTokenPayment(treasury);
  await move('refill', { periods: 8 });
  t.like(await shown(), { funded_periods: 20, funded_amountOnChain: '5000' });
  t.is(await treasury.tokensOf(alice, category), 95_000n);
  await treasury.refusal(t, alice, 'payments.refill', { id, periods: 381 }, 'insufficient_funds');
  await move('refill', { periods: 380 });
  t.is(await treasury.tokensOf(alice, category), 0n);
});

test('refill › given an emptied pool › a token payment goes on', async (t) => {
  const treasury = await openTreasury(t);
  const { move, shown, category } = await fundTokenPayment(treasury);
  await treasury.give(bob, 50_000n);
  await advance(treasury, 14 * DAY);
  await move('claim');
  t.like(await shown(), { status: 'ACTIVE', funded_periods: 0, due_periods: 2, runway_ends_at: null });
  await move('refill', { periods: 2 });
  await move('claim');
  t.is(await treasury.tokensOf(bob, category), 14n * 250n);
});

const cancelled = { status: 'CANCELLED', thread: null, next_payment_date: null, funded_amountOnChain: '0' };
const total = async (treasury: Treasury): Promise<bigint> =>
  (await treasury.satoshisOf(alice)) + (await treasury.satoshisOf(bob));

test('cancel › given periods due › BCH: they go to the recipient, the rest comes back, and only fees are lost', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move, shown, executions } = await fundPayment(treasury);
  await advance(treasury, 2 * DAY);
  const built = await treasury.ask(alice, 'payments.cancel', { id });
  t.like(built, {
    nextStatus: 'CANCELLED',
    paidPeriods: 2,
    paidAmountOnChain: '200000',
    returnedAmount: 0.01,
    returnedAmountOnChain: '1000000',
    cancelReturnAddress: treasury.addressOf(alice).text,
  });
  const txHash = await move('cancel');
  t.like(await shown(), { ...cancelled, total_paid: 0.002, payment_count: 2 });
  t.like((await executions())[0], { periods: 2, tx_hash: txHash });
  t.is(await treasury.satoshisOf(bob), 200_000n);
  const lost = 30_000_000n - (await total(treasury));
  t.true(lost > 0n && lost < 4_000n, `fees of ${lost}`);
  await treasury.refusal(t, alice, 'payments.cancel', { id }, 'wrong_state');
});

test('cancel › given PAUSED › nothing is due, and everything comes back', async (t) => {
  const treasury = await openTreasury(t);
  const { move, shown } = await fundPayment(treasury);
  await move('pause');
  await advance(treasury, 3 * DAY);
  await move('cancel');
  t.like(await shown(), { ...cancelled, payment_count: 0 });
  t.is(await treasury.satoshisOf(bob), 0n);
  t.true(30_000_000n - (await total(treasury)) < 6_500n);
});

test('cancel › given tokens › the recipient gets what is due and the sender the rest', async (t) => {
  const treasury = await openTreasury(t);
  const { move, shown, category } = await fundTokenPayment(treasury);
  await advance(treasury, 2 * DAY);
  await move('cancel');
  t.is(await treasury.tokensOf(bob, category), 500n);
  t.is(await treasury.tokensOf(alice, category), 99_500n);
  t.like(await shown(), { ...cancelled, total_paidOnChain: '500' });
});

test('cancel › given an emptied pool › only the dust comes back', async (t) => {
  const treasury = await openTreasury(t);
  const { move, shown } = await fundPayment(treasury);
  await advance(treasury, 12 * DAY);
  await move('claim');
  await move('cancel');
  t.like(await shown(), { ...cancelled, payment_count: 12 });
});
