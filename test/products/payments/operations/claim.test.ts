import test from 'ava';
import { alice, bob, mallory } from '../../../../fixtures/people.js';
import { executionCollection } from '../../../../src/products/payments/index.js';
import { openTreasury, type Treasury } from '../../../treasury.js';
import { advance, createPayment, DAY, fundPayment, fundTokenPayment, nowOf } from '../payment.js';

const rows = async ({ app }: Treasury): Promise<number> =>
  (await app.context.store.find(executionCollection)).total;

test('claim › given somebody else than the recipient › it is not_recipient', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundPayment(treasury);
  await advance(treasury, DAY);
  const recipientAddress = treasury.addressOf(mallory).text;
  await treasury.refusal(t, mallory, 'payments.claim', { id }, 'not_recipient');
  await treasury.refusal(t, alice, 'payments.claim', { id }, 'not_recipient');
  await treasury.refusal(t, bob, 'payments.claim', { id, recipientAddress }, 'not_recipient');
});

test('claim › given a PENDING payment › it is wrong_state', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createPayment(treasury);
  const error = await treasury.refusal(t, bob, 'payments.claim', { id }, 'wrong_state');
  t.like(error.details, { status: 'PENDING', allowed: ['ACTIVE'] });
});

test('claim › given nothing due › it is nothing_claimable and says when', async (t) => {
  const treasury = await openTreasury(t);
  const start = await nowOf(treasury);
  const { id } = await fundPayment(treasury, { startDate: start });
  const error = await treasury.refusal(t, bob, 'payments.claim', { id }, 'nothing_claimable');
  t.is(error.details['nextUnlock'], start + DAY);
});

test('claim › given an emptied pool › it is nothing_claimable without a time', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move } = await fundPayment(treasury);
  await advance(treasury, 13 * DAY);
  await move('claim');
  const error = await treasury.refusal(t, bob, 'payments.claim', { id }, 'nothing_claimable');
  t.is(error.details['nextUnlock'], null);
});

test('claim › given more periods than are due › it is periods_exceeds_due', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundPayment(treasury);
  await advance(treasury, 2 * DAY + 60);
  const error = await treasury.refusal(t, bob, 'payments.claim', { id, periods: 3 }, 'periods_exceeds_due');
  t.like(error.details, { periods: 3, settled: 2 });
  await treasury.refusal(t, bob, 'payments.claim', { id, periods: 0 }, 'invalid_input');
});

test('claim › given more periods than are funded › it is periods_exceeds_due', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundPayment(treasury);
  await advance(treasury, 13 * DAY);
  t.like(await shown(), { due_periods: 13, funded_periods: 12, claimable_periods: 12 });
  await treasury.refusal(t, bob, 'payments.claim', { id, periods: 13 }, 'periods_exceeds_due');
});

test('claim › given three periods due and own coins › BCH: exactly their sum, the fee from the coins', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move, shown } = await fundPayment(treasury);
  await treasury.give(bob, 50_000n);
  await advance(treasury, 3 * DAY);
  const built = await treasury.ask(bob, 'payments.claim', { id });
  t.like(built, { periods: 3, claimableAmount: 0.003, claimableAmountOnChain: '300000' });
  await move('claim', { periods: 2 });
  const bobHas = await treasury.satoshisOf(bob);
  t.true(bobHas < 250_000n && bobHas > 246_000n, String(bobHas));
  t.like(await shown(), { total_paid: 0.002, payment_count: 2, due_periods: 1, funded_periods: 10 });
  await move('claim');
  t.like(await shown(), { total_paidOnChain: '300000', payment_count: 3, due_periods: 0 });
});

test('claim › given a recipient without coins › BCH: the fee comes out of the payout', async (t) => {
  const treasury = await openTreasury(t);
  const { move } = await fundPayment(treasury);
  await advance(treasury, 3 * DAY);
  await move('claim');
  const fee = 300_000n - (await treasury.satoshisOf(bob));
  t.true(fee > 0n && fee < 2_500n, String(fee));
});

test('claim › given a recipient whose only coin is dust › BCH: the payout pays', async (t) => {
  const treasury = await openTreasury(t);
  const { move } = await fundPayment(treasury);
  await treasury.give(bob, 600n);
  await advance(treasury, DAY);
  await move('claim');
  const bobHas = await treasury.satoshisOf(bob);
  t.true(bobHas > 98_000n && bobHas < 100_600n, String(bobHas));
});

test('claim › given tokens › the recipient gets exactly the amount and pays the fee', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move, category, shown, executions } = await fundTokenPayment(treasury);
  await advance(treasury, 2 * DAY);
  await treasury.refusal(t, bob, 'payments.claim', { id }, 'insufficient_funds');
  await treasury.give(bob, 50_000n);
  const txHash = await move('claim', { periods: 1 });
  t.is(await treasury.tokensOf(bob, category), 250n);
  await move('claim');
  t.is(await treasury.tokensOf(bob, category), 500n);
  t.like(await shown(), { total_paid: 5, total_paidOnChain: '500', funded_amountOnChain: '2500' });
  const paid = await executions();
  t.is(paid.length, 2);
  t.like(paid[1], { amount: 2.5, amountOnChain: '250', periods: 1, tx_hash: txHash });
});

test('claim › given the last period of a fixed term › it is COMPLETED and nothing is left', async (t) => {
  const treasury = await openTreasury(t);
  const start = await nowOf(treasury);
  const { id, move, shown } = await fundPayment(treasury, { startDate: start, endDate: start + 2 * DAY });
  t.like(await shown(), { total_periods: 2, funded_periods: 2 });
  await advance(treasury, 5 * DAY);
  t.like(await shown(), { due_periods: 2 });
  const before = await treasury.satoshisOf(bob);
  await move('claim');
  t.like(await shown(), {
    status: 'COMPLETED',
    thread: null,
    payment_count: 2,
    next_payment_date: null,
    funded_amountOnChain: '0',
    runway_ends_at: null,
  });
  t.true((await treasury.satoshisOf(bob)) - before > 198_000n);
  const { contract_address: contract } = await shown();
  t.truthy(contract);
  await treasury.refusal(t, bob, 'payments.claim', { id }, 'wrong_state');
});

test('claim › given two built on one state › the second is tx_conflict', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundPayment(treasury);
  await advance(treasury, 3 * DAY);
  const [first, second] = await Promise.all(
    [1, 2].map((periods) => treasury.ask(bob, 'payments.claim', { id, periods })),
  );
  await treasury.send(bob, first?.['wcTransaction']);
  await t.throwsAsync(treasury.send(bob, second?.['wcTransaction']), { code: 'tx_conflict' });
  t.like(await shown(), { payment_count: 1 });
});

test('confirm-claim › given a transaction that the chain does not know › it is pending and nothing is stored', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundPayment(treasury);
  const input = { id, txHash: '12'.repeat(32) };
  const error = await treasury.refusal(t, null, 'payments.confirm-claim', input, 'tx_not_indexed');
  t.is(error.details['state'], 'pending');
  t.is(await rows(treasury), 0);
});

test('confirm-claim › given another claimedAmount › it is tx_mismatch and nothing is stored', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundPayment(treasury);
  await advance(treasury, 2 * DAY);
  const built = await treasury.ask(bob, 'payments.claim', { id });
  const txHash = await treasury.send(bob, built['wcTransaction']);
  const wrong = { id, txHash, claimedAmount: '0.001' };
  const error = await treasury.refusal(t, null, 'payments.confirm-claim', wrong, 'tx_mismatch');
  t.is(error.details['state'], 'failed');
  t.is(await rows(treasury), 0);
  const right = { id, txHash, claimedAmount: 0.002 };
  const reply = await treasury.ask(null, 'payments.confirm-claim', right);
  t.like(reply, { status: 'ACTIVE', claimedAmount: 0.002, periods: 2, paymentCount: 2 });
  t.is(await rows(treasury), 1);
  await treasury.refusal(t, null, 'payments.confirm-claim', wrong, 'tx_mismatch');
});

test('confirm-claim › given it twice › it answers the same and counts once', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundPayment(treasury);
  await advance(treasury, DAY);
  const built = await treasury.ask(bob, 'payments.claim', { id });
  const txHash = await treasury.send(bob, built['wcTransaction']);
  const replies = await Promise.all(
    [1, 2, 3].map(() => treasury.ask(null, 'payments.confirm-claim', { id, txHash })),
  );
  t.deepEqual(replies[0], replies[1]);
  t.deepEqual(replies[1], replies[2]);
  t.is(await rows(treasury), 1);
  t.like(await shown(), { payment_count: 1 });
});

test('confirm-claim › given the claim of another payment › it is tx_mismatch', async (t) => {
  const treasury = await openTreasury(t);
  const mine = await fundPayment(treasury);
  const other = await fundPayment(treasury);
  await advance(treasury, DAY);
  const txHash = await other.move('claim');
  await treasury.refusal(t, null, 'payments.confirm-claim', { id: mine.id, txHash }, 'tx_mismatch');
  t.like(await mine.shown(), { payment_count: 0 });
});

test('confirm-claim › given a claim that nobody confirmed › the next read knows it', async (t) => {
  const treasury = await openTreasury(t);
  const { id, executions } = await fundPayment(treasury);
  await advance(treasury, DAY);
  const built = await treasury.ask(bob, 'payments.claim', { id });
  const txHash = await treasury.send(bob, built['wcTransaction']);
  t.like((await executions())[0], { tx_hash: txHash, periods: 1, amount: 0.001 });
});

test('confirm-claim › given a claim that left the chain › it is taken back', async (t) => {
  const treasury = await openTreasury(t);
  const { move, shown } = await fundPayment(treasury);
  await advance(treasury, DAY);
  const txHash = await move('claim');
  const chain = treasury.app.context.localChain as unknown as {
    reorg: (depth: number, options: { drop: string[] }) => Promise<unknown>;
  };
  await chain.reorg(2, { drop: [txHash] });
  t.like(await shown(), { payment_count: 0, total_paid: 0, status: 'ACTIVE' });
  t.is(await rows(treasury), 0);
});
