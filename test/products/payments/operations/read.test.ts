import { binToHex } from '@bitauth/libauth';
import test from 'ava';
import { alice, bob, carol, dave, mallory } from '../../../../fixtures/people.js';
import { show } from '../../../../src/products/payments/operations/read.js';
import { drawSchedule, periodsAhead } from '../../../../src/products/payments/schedule-view.js';
import { openTreasury, type Treasury } from '../../../treasury.js';
import { advance, createPayment, DAY, fundPayment, nowOf } from '../payment.js';

const listed = async (treasury: Treasury, who: typeof alice | null, input: Record<string, unknown>) =>
  (await treasury.ask(who, 'payments.list', input))['payments'] as Record<string, unknown>[];

test('funding-info › given an open term › it funds twelve periods, and the figures add up', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createPayment(treasury);
  const { fundingInfo } = (await treasury.ask(null, 'payments.funding-info', { id })) as {
    fundingInfo: {
      inputs: { satoshis: number }[];
      outputs: { satoshis: number }[];
      fee: number;
    };
  };
  const sum = (items: { satoshis: number }[]) => items.reduce((total, { satoshis }) => total + satoshis, 0);
  t.like(fundingInfo, { periods: 12, amount: 0.012, onChainAmount: '1200000', threadDustSatoshis: 1_000 });
  t.is(fundingInfo.outputs[0]?.satoshis, 1_201_000);
  t.is(sum(fundingInfo.inputs), sum(fundingInfo.outputs) + fundingInfo.fee);
});

test('confirm-funding › given another transaction › the payment stays PENDING', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await createPayment(treasury);
  const other = await createPayment(treasury);
  const txHash = await other.move('funding');
  await treasury.refusal(t, null, 'payments.confirm-funding', { id, txHash }, 'tx_mismatch');
  const unknown = { id, txHash: 'cd'.repeat(32) };
  await treasury.refusal(t, null, 'payments.confirm-funding', unknown, 'tx_not_indexed');
  t.like(await shown(), { status: 'PENDING', tx_hash: null });
});

test('confirm-funding › given it twice, and asked to fund again › nothing is paid twice', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundPayment(treasury);
  const { tx_hash: txHash } = await shown();
  const again = await treasury.ask(null, 'payments.confirm-funding', { id, txHash });
  t.like(again, { status: 'ACTIVE', state: 'confirmed', txHash, fundedPeriods: 12 });
  await treasury.refusal(t, null, 'payments.funding-info', { id }, 'wrong_state');
});

test('confirm-funding › given a funding that left the chain › the payment is PENDING again', async (t) => {
  const treasury = await openTreasury(t);
  const { move, shown } = await fundPayment(treasury);
  await advance(treasury, DAY);
  await move('claim');
  const { tx_hash: txHash } = await shown();
  const chain = treasury.app.context.localChain as unknown as {
    reorg: (depth: number, options: { drop: string[] }) => Promise<unknown>;
  };
  await chain.reorg(14, { drop: [String(txHash)] });
  t.like(await shown(), {
    status: 'PENDING',
    tx_hash: null,
    thread: null,
    payment_count: 0,
    funded_periods: 0,
  });
});

test('show › given an ACTIVE payment › its runway ends when the last funded period falls due', async (t) => {
  const treasury = await openTreasury(t);
  const start = await nowOf(treasury);
  const { shown } = await fundPayment(treasury, { startDate: start });
  t.like(await shown(), { next_payment_date: start + DAY, runway_ends_at: start + 12 * DAY });
});

test('show › given a label in any case, without # › it is found; an unknown one is not', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createPayment(treasury);
  const { payment } = (await treasury.ask(null, 'payments.show', { id: 'pay-0001' })) as {
    payment: { id: string };
  };
  t.is(payment.id, id);
  await treasury.refusal(t, null, 'payments.show', { id: 'PAY-0009' }, 'payment_not_found');
});

test('list › given any filter or none › newest first', async (t) => {
  const treasury = await openTreasury(t);
  const first = await fundPayment(treasury);
  const second = await createPayment(treasury, { recipient: treasury.addressOf(carol).text });
  const ids = (payments: Record<string, unknown>[]) => payments.map(({ id }) => id);
  t.deepEqual(ids(await listed(treasury, null, {})), [second.id, first.id]);
  const recipient = treasury.addressOf(bob).text;
  t.deepEqual(ids(await listed(treasury, null, { recipient })), [first.id]);
  t.deepEqual(ids(await listed(treasury, null, { status: 'PENDING' })), [second.id]);
  const sender = treasury.addressOf(alice).text;
  t.deepEqual(ids(await listed(treasury, null, { sender, page: 2, limit: 1 })), [first.id]);
  t.deepEqual(await listed(treasury, null, { sender: treasury.addressOf(mallory).text }), []);
});

test('due › given several payments › those of which something can be claimed, oldest first', async (t) => {
  const treasury = await openTreasury(t);
  const first = await fundPayment(treasury);
  const paused = await fundPayment(treasury);
  await createPayment(treasury);
  const weekly = await fundPayment(treasury, { interval: 'WEEKLY' });
  await paused.move('pause');
  t.like(await treasury.ask(null, 'payments.due', {}), { total: 0, payments: [] });
  await advance(treasury, 8 * DAY);
  const { payments } = (await treasury.ask(null, 'payments.due', {})) as {
    payments: Record<string, unknown>[];
  };
  t.deepEqual(
    payments.map(({ id, claimable_periods: periods }) => [id, periods]),
    [
      [first.id, 8],
      [weekly.id, 1],
    ],
  );
  const recipient = treasury.addressOf(carol).text;
  t.like(await treasury.ask(null, 'payments.due', { recipient }), { total: 0 });
});

const drawn = {
  payment_count: 3,
  due_periods: 2,
  claimable_periods: 2,
  funded_periods: 7,
  total_periods: 15,
  next_payment_date: 1_000,
  intervalSeconds: 100,
};

test('the schedule is drawn with one sign for each period', (t) => {
  t.is(drawSchedule(drawn), '[###!!=====.....]  # paid (3)  ! due (2)  = funded (5)  . not funded (5)');
  t.is(
    drawSchedule({ ...drawn, total_periods: null, due_periods: 9, funded_periods: 7, claimable_periods: 7 }),
    '[###!!!!!!!??>  # paid (3)  ! due (7)  ? due, not funded (2)',
  );
  t.regex(
    drawSchedule({ ...drawn, payment_count: 300, total_periods: 400 }),
    /^\[#{12}~#{12}!!={5}\.{12}~\.{12}]/,
  );
});

test('the periods ahead begin with the first unpaid one', (t) => {
  const ahead = periodsAhead(drawn);
  t.deepEqual(ahead[0], { number: 4, due: 1_000, state: 'due' });
  t.deepEqual(ahead[2], { number: 6, due: 1_200, state: 'funded' });
  t.is(ahead.length, 12);
  t.deepEqual(periodsAhead({ ...drawn, next_payment_date: null }), []);
});

test('show › for people › it says what can be done next', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move } = await createPayment(treasury);
  const next = async () => {
    const reply = await treasury.ask(alice, 'payments.show', { id });
    return (show.view?.(reply) ?? []).flatMap((block) => (block.kind === 'next' ? [block.command] : []));
  };
  t.deepEqual(await next(), ['payments fund PAY-0001']);
  await move('funding');
  t.deepEqual(await next(), []);
  await advance(treasury, 14 * DAY);
  t.deepEqual(await next(), ['payments claim PAY-0001']);
  await move('claim');
  t.deepEqual(await next(), ['payments refill PAY-0001 --periods 3']);
});

test('list, show › given a payment of a private vault › its members and the two parties see it', async (t) => {
  const treasury = await openTreasury(t);
  const signers = [alice, carol, dave];
  const { id: vaultId } = await treasury.ask(alice, 'vaults.create', {
    name: 'Payroll',
    signers: signers.map((who) => treasury.addressOf(who).text),
    signerPubkeys: signers.map(({ publicKey }) => binToHex(publicKey)),
    totalDeposit: 1,
    isPublic: false,
  });
  const { id } = await createPayment(treasury, { vaultId });
  for (const who of [alice, bob, carol]) {
    t.is((await listed(treasury, who, {})).length, 1, who.name);
    t.like(await treasury.ask(who, 'payments.show', { id }), { payment: { vault_id: vaultId } });
  }
  for (const who of [mallory, null]) {
    t.is((await listed(treasury, who, { vaultId })).length, 0);
    await treasury.refusal(t, who, 'payments.show', { id }, 'private_vault');
  }
  const recipient = treasury.addressOf(bob).text;
  const outside = { recipient, amountPerPeriod: 1, interval: 'DAILY', vaultId };
  await treasury.refusal(t, mallory, 'payments.create', outside, 'private_vault');
});
