import test from 'ava';
import { alice, bob, mallory } from '../../../../fixtures/people.js';
import { versionsOf } from '../../../../src/covenant/artifact.js';
import { recurringContract } from '../../../../src/covenant/recurring/contract.js';
import { eventCollection } from '../../../../src/record/events.js';
import { executionCollection, paymentCollection } from '../../../../src/products/payments/index.js';
import { termsOf } from '../../../../src/products/payments/terms.js';
import { ask, openElsewhere } from '../../../acceptance/story.js';
import { openTreasury, type Treasury } from '../../../treasury.js';
import { advance, createPayment, DAY, fundPayment, fundTokenPayment, nowOf } from '../payment.js';

const PUSHED = { pushMinimum: '0.001' };

/** Pushes as somebody, and returns what was built and the transaction id. */
const pushAs = async (treasury: Treasury, who: typeof alice, id: string) => {
  const built = await treasury.ask(who, 'payments.push', { id });
  const txHash = await treasury.send(who, built['wcTransaction']);
  return { built, txHash };
};

const storedOf = async ({ app }: Treasury, id: string) => {
  const payment = await app.context.store.get(paymentCollection, id);
  if (payment === null) throw new Error('no payment');
  return payment;
};

test('push › given a payment without a push minimum › it is not_pushable', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundPayment(treasury);
  await advance(treasury, DAY);
  const error = await treasury.refusal(t, alice, 'payments.push', { id }, 'not_pushable');
  t.regex(error.message, /without a push minimum/);
  t.like(await shown(), { push_minimum: 0, pushable_amount: 0, claimable_amount: 0.001 });
});

test('push › given a payment of the version before › it is not_pushable', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundPayment(treasury, PUSHED);
  const { store, network } = treasury.app.context;
  const [, before] = versionsOf('recurring-payment');
  const payment = await storedOf(treasury, id);
  const older = { ...payment, artifact_fingerprint: before ?? null, push_minimum: 0n };
  const contract = recurringContract(termsOf(older), network);
  t.is(contract.constructorParams.length, 7);
  t.is(recurringContract(termsOf(payment), network).constructorParams.length, 8);
  t.is(payment.constructor_params.at(-1), '100000');
  t.not(contract.address.text, payment.contract_address);
  await store.transaction((writer) => {
    writer.put(paymentCollection, {
      ...older,
      contract_address: contract.address.text,
      constructor_params: [...contract.constructorParams],
    });
  });
  await treasury.refusal(t, alice, 'payments.push', { id }, 'not_pushable');
});

test('push › given nothing due › it is nothing_claimable and says when', async (t) => {
  const treasury = await openTreasury(t);
  const start = await nowOf(treasury);
  const { id } = await fundPayment(treasury, { ...PUSHED, startDate: start });
  const error = await treasury.refusal(t, alice, 'payments.push', { id }, 'nothing_claimable');
  t.is(error.details['nextUnlock'], start + DAY);
});

test('push › given less than the minimum is due › it is amount_below_push_minimum, and a day later it is paid', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move, shown } = await fundPayment(treasury, { pushMinimum: '0.002' });
  await advance(treasury, DAY);
  const error = await treasury.refusal(t, alice, 'payments.push', { id }, 'amount_below_push_minimum');
  t.like(error.details, { amount: '0.001', minimum: '0.002', asset: 'BCH' });
  t.like(await shown(), { pushable_amount: 0, claimable_amount: 0.001 });
  await advance(treasury, DAY);
  t.like(await shown(), { pushable_amountOnChain: '200000' });
  await move('push');
  t.like(await shown(), { payment_count: 2, total_paid: 0.002, pushable_amount: 0 });
});

test('push › given a paused payment › it is wrong_state', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move } = await fundPayment(treasury, PUSHED);
  await move('pause');
  await advance(treasury, DAY);
  const error = await treasury.refusal(t, alice, 'payments.push', { id }, 'wrong_state');
  t.like(error.details, { status: 'PAUSED', allowed: ['ACTIVE'] });
});

test('push › given somebody without coins › it is insufficient_funds', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundPayment(treasury, PUSHED);
  await advance(treasury, DAY);
  await treasury.refusal(t, mallory, 'payments.push', { id }, 'insufficient_funds');
});

test('push › given three periods due, pushed by a stranger › BCH: the recipient has exactly their sum, and the stranger pays the fee', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown, executions } = await fundPayment(treasury, PUSHED);
  await treasury.give(mallory, 2_000n);
  await treasury.give(mallory, 2_000n);
  await advance(treasury, 3 * DAY);
  const { built, txHash } = await pushAs(treasury, mallory, id);
  t.like(built, {
    recipient: treasury.addressOf(bob).text,
    pushedAmount: 0.003,
    pushedAmountOnChain: '300000',
    nextStatus: 'ACTIVE',
  });
  const confirmed = await treasury.ask(null, 'payments.confirm-push', { id, txHash });
  t.like(confirmed, { pushedAmountOnChain: '300000', recipient: treasury.addressOf(bob).text });
  t.is(await treasury.satoshisOf(bob), 300_000n);
  t.is(await treasury.satoshisOf(mallory), 4_000n - BigInt(built['fee'] as number));
  t.like(await shown(), { status: 'ACTIVE', payment_count: 3, total_paid: 0.003, funded_periods: 9 });
  t.like((await executions())[0], { amountOnChain: '300000', periods: 3 });
});

test('push › given tokens, pushed by the sender › the recipient has exactly the amount, and all that is left stays in the reserve', async (t) => {
  const treasury = await openTreasury(t);
  const { id, category, move, shown } = await fundTokenPayment(treasury, { pushMinimum: '2.5' });
  await advance(treasury, 2 * DAY);
  await move('push');
  t.is(await treasury.tokensOf(bob, category), 500n);
  t.like(await shown(), { payment_count: 2, total_paidOnChain: '500', funded_periods: 10 });
  await advance(treasury, 10 * DAY);
  await move('push');
  t.is(await treasury.tokensOf(bob, category), 3_000n);
  t.like(await shown(), { status: 'ACTIVE', payment_count: 12, funded_periods: 0 });
  await treasury.refusal(t, alice, 'payments.push', { id }, 'nothing_claimable');
  await move('refill', { periods: 1 });
  await advance(treasury, DAY);
  await move('push');
  t.is(await treasury.tokensOf(bob, category), 3_250n);
});

test("push › given the last period of a fixed term › BCH: it is COMPLETED, and the dust is the recipient's", async (t) => {
  const treasury = await openTreasury(t);
  const start = await nowOf(treasury);
  const terms = { startDate: start, endDate: start + 2 * DAY, pushMinimum: '0.002' };
  const { move, shown } = await fundPayment(treasury, terms);
  await advance(treasury, DAY + 60);
  await move('claim');
  const before = await treasury.satoshisOf(bob);
  await advance(treasury, DAY);
  await move('push');
  t.is(await treasury.satoshisOf(bob), before + 101_000n);
  t.like(await shown(), { status: 'COMPLETED', payment_count: 2 });
});

test("push › given the last period of a fixed term › tokens: it is COMPLETED, and the satoshis of both coins are the recipient's", async (t) => {
  const treasury = await openTreasury(t);
  const start = await nowOf(treasury);
  const terms = { startDate: start, endDate: start + 2 * DAY, pushMinimum: '5' };
  const { category, move, shown } = await fundTokenPayment(treasury, terms);
  await advance(treasury, 2 * DAY + 60);
  await move('push');
  t.is(await treasury.tokensOf(bob, category), 500n);
  t.is(await treasury.satoshisOf(bob), 2_000n);
  t.like(await shown(), { status: 'COMPLETED', payment_count: 2 });
});

test('push › given a claim that was quicker › the push is tx_conflict, and built anew it says that nothing is due', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move, shown } = await fundPayment(treasury, PUSHED);
  await advance(treasury, DAY + 60);
  const built = await treasury.ask(alice, 'payments.push', { id });
  await move('claim');
  await t.throwsAsync(treasury.send(alice, built['wcTransaction']), { code: 'tx_conflict' });
  await treasury.refusal(t, alice, 'payments.push', { id }, 'nothing_claimable');
  t.like(await shown(), { payment_count: 1, total_paid: 0.001 });
});

test('push › given an old push that is broadcast again › it is refused', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundPayment(treasury, PUSHED);
  await advance(treasury, DAY + 60);
  const first = await treasury.ask(alice, 'payments.push', { id });
  await advance(treasury, 60);
  const second = await treasury.ask(alice, 'payments.push', { id });
  await treasury.send(alice, first['wcTransaction']);
  await advance(treasury, DAY);
  await t.throwsAsync(treasury.send(alice, second['wcTransaction']));
  t.is(await treasury.satoshisOf(bob), 100_000n);
});

test('push › given a record that is rebuilt from the chain › it is the same', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move } = await fundPayment(treasury, PUSHED);
  await advance(treasury, 2 * DAY);
  await move('push');
  const before = await storedOf(treasury, id);
  const { store } = treasury.app.context;
  const executions = await store.find(executionCollection);
  await store.transaction((writer) => {
    for (const { id: row } of executions.items) writer.remove(executionCollection, row);
    writer.put(paymentCollection, {
      ...before,
      status: 'PENDING',
      payment_count: 0,
      total_paid: 0n,
      pool: 0n,
      thread: null,
    });
  });
  await treasury.ask(alice, 'payments.show', { id });
  const { updated_at: _, ...rebuilt } = await storedOf(treasury, id);
  const { updated_at: __, ...was } = before;
  t.deepEqual(rebuilt, was);
  t.deepEqual((await store.find(executionCollection)).items, executions.items);
});

test('push › given an export › another home takes it with its minimum and its pushes, and refuses it with another', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move } = await fundPayment(treasury, PUSHED);
  await advance(treasury, 2 * DAY);
  await move('push');
  const file = JSON.parse(JSON.stringify(await ask(treasury.app, 'deployments.export'))) as {
    records: Record<string, Record<string, unknown>[]>;
  };
  const elsewhere = await openElsewhere(t, treasury.app);
  const forged = structuredClone(file);
  Object.assign(forged.records['payments']?.[0] ?? {}, { push_minimum: '200000' });
  await t.throwsAsync(ask(elsewhere, 'deployments.import', { file: forged }));
  t.like(await ask(elsewhere, 'deployments.import', { file }), { success: true });
  const taken = await elsewhere.context.store.get(paymentCollection, id);
  t.like(taken, { push_minimum: 100_000n, payment_count: 2, total_paid: 200_000n, status: 'ACTIVE' });
});

test('confirm-push › given a claim › it is tx_mismatch', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move } = await fundPayment(treasury, PUSHED);
  await advance(treasury, DAY + 60);
  const txHash = await move('claim');
  const error = await treasury.refusal(t, null, 'payments.confirm-push', { id, txHash }, 'tx_mismatch');
  t.regex(error.message, /recipient signed/);
});

test('confirm-push › given a push that nobody confirmed › the next read knows it, and says who pushed', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundPayment(treasury, PUSHED);
  await treasury.give(mallory, 10_000n);
  await advance(treasury, DAY + 60);
  const { txHash } = await pushAs(treasury, mallory, id);
  t.like(await shown(), { payment_count: 1 });
  const { items } = await treasury.app.context.store.find(eventCollection, {
    where: { transaction: txHash },
  });
  const { text } = treasury.addressOf(mallory);
  t.like(items[0], { event_type: 'claimed', actor: text, details: { pushedBy: text, periods: 1 } });
});

test('pushable › given one that is due, one that is not, one that nobody may push › it lists the first', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundPayment(treasury, PUSHED);
  await fundPayment(treasury, { ...PUSHED, startDate: (await nowOf(treasury)) + 10 * DAY });
  await fundPayment(treasury);
  await advance(treasury, DAY + 60);
  const listed = await treasury.ask(alice, 'payments.pushable');
  t.is(listed['total'], 1);
  t.like((listed['payments'] as { id: string }[])[0], { id, pushable_amount: 0.001 });
  t.is((await treasury.ask(bob, 'payments.pushable'))['total'], 0);
  const sender = treasury.addressOf(alice).text;
  t.is((await treasury.ask(bob, 'payments.pushable', { sender }))['total'], 1);
});

test('pushable › given the fee is more than half of it › it is left out and counted', async (t) => {
  const treasury = await openTreasury(t);
  await fundPayment(treasury, { amountPerPeriod: '0.00003', pushMinimum: '0.00003' });
  await advance(treasury, DAY + 60);
  const listed = await treasury.ask(alice, 'payments.pushable');
  t.like(listed, { total: 0, leftOut: { count: 1, amountOnChain: '3000' } });
  t.is((await treasury.ask(alice, 'payments.pushable', { min: '0' }))['total'], 1);
});

const refusedWith = async (t: Parameters<Treasury['refusal']>[0], pushMinimum: string, extra = {}) => {
  const treasury = await openTreasury(t);
  const request = {
    amountPerPeriod: '0.001',
    interval: 'DAILY',
    recipient: treasury.addressOf(bob).text,
    pushMinimum,
    ...extra,
  };
  const error = await treasury.refusal(t, alice, 'payments.create', request, 'invalid_input');
  t.like((error.details['issues'] as { path: string }[])[0], { path: 'pushMinimum' });
  return error.message;
};

test('create › given a push minimum below dust › it is invalid_input and names the field', async (t) => {
  t.regex(await refusedWith(t, '0.00000545'), /546 satoshis/);
});

test('create › given one above all that is ever paid › it is invalid_input', async (t) => {
  const treasury = await openTreasury(t);
  const end = (await nowOf(treasury)) + 5 * DAY;
  t.regex(await refusedWith(t, '1', { endDate: end }), /all that it ever pays/);
});

test('create › given one for an open-ended payment › it is the last constructor parameter, and audited', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createPayment(treasury, { pushMinimum: '12' });
  const { constructor_params: params, contract_address: address } = await storedOf(treasury, id);
  t.is(params.at(-1), '1200000000');
  t.is(params[1], treasury.addressOf(alice).hash);
  const audit = await treasury.ask(alice, 'deployments.verify', { address });
  const checks = audit['audit'] as { check: string; ok: boolean }[];
  t.like(
    checks.find(({ check }) => check === 'parameter pushMinimum'),
    { ok: true },
  );
});
