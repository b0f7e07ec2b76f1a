import test from 'ava';
import { alice, bob, carol, dave, mallory } from '../../../../fixtures/people.js';
import { parseAddress } from '../../../../src/bch/address.js';
import { refold } from '../../../../src/covenant/follow.js';
import { reserveContract } from '../../../../src/covenant/reserve.js';
import { streamCollection } from '../../../../src/products/streams/index.js';
import { streams } from '../../../../src/products/streams/product.js';
import { openTreasury, type Treasury } from '../../../treasury.js';
import { createVault } from '../vault.js';
import { advance, createStream, DAY, fundStream, tokenTerms, type StreamHandle, terms } from '../stream.js';

const unitsOf = async (stream: StreamHandle, name: string): Promise<bigint> =>
  BigInt(String((await stream.shown())[`${name}OnChain`]));

/** I1: what was put in is what was paid out, paid back and is still there. */
const checkSums = async (t: Parameters<Treasury['refusal']>[0], treasury: Treasury, stream: StreamHandle) => {
  const record = await treasury.app.context.store.get(streamCollection, stream.id);
  const paid = (await stream.claims()).reduce((sum, row) => sum + BigInt(String(row['amountOnChain'])), 0n);
  t.is(record?.withdrawn_amount, paid);
  return record;
};

/** I12: a fold of the chain from before the funding is the record. */
const checkFold = async (t: Parameters<Treasury['refusal']>[0], treasury: Treasury, stream: StreamHandle) => {
  const { context } = treasury.app;
  const record = await context.store.get(streamCollection, stream.id);
  if (record === null) return t.fail();
  const { followed } = streams.following(context);
  return t.deepEqual((await refold(record, followed, context.chain)).record, record);
};

for (const asset of ['BCH', 'tokens'] as const) {
  const open = async (t: Parameters<Treasury['refusal']>[0]) => {
    const treasury = await openTreasury(t);
    const token = asset === 'BCH' ? { terms: {}, category: null } : await tokenTerms(treasury);
    const stream = await fundStream(treasury, token.terms);
    const balanceOf = (who: typeof bob) =>
      token.category === null ? treasury.satoshisOf(who) : treasury.tokensOf(who, token.category);
    return { treasury, stream, balanceOf };
  };

  test(`claim › in ${asset} › a part, to another address, the rest, and the end: to the unit`, async (t) => {
    const { treasury, stream, balanceOf } = await open(t);
    await treasury.give(bob, 1_000_000n);
    await advance(treasury, 50 * DAY);
    const whole = await unitsOf(stream, 'claimable_amount');
    const [part, elsewhere] = asset === 'BCH' ? ['0.01', '0.02'] : ['10', '20.5'];
    const [first, second] = asset === 'BCH' ? [1_000_000n, 2_000_000n] : [1_000n, 2_050n];
    await stream.move(bob, 'claim', { amount: part });
    await stream.move(bob, 'claim', { amount: elsewhere, toAddress: treasury.addressOf(dave).text });
    t.is(await balanceOf(dave), second);
    t.is(await unitsOf(stream, 'withdrawn_amount'), first + second);
    t.true((await unitsOf(stream, 'claimable_amount')) >= whole - first - second);
    await advance(treasury, 60 * DAY);
    await stream.move(bob, 'claim');
    t.like(await stream.shown(), { status: 'COMPLETED', thread: null, progress_percentage: 100 });
    const { claims, events } = await treasury.ask(null, 'streams.show', { id: stream.id });
    t.deepEqual(
      (events as { event_type: string }[]).map(({ event_type }) => event_type),
      ['claimed', 'completed', 'claimed', 'claimed', 'funded', 'created'],
    );
    t.is((claims as { to_address: string }[])[1]?.to_address, treasury.addressOf(dave).text);
    await checkSums(t, treasury, stream);
    await checkFold(t, treasury, stream);
  });

  test(`claim › in ${asset} › given the stream's own address or its reserve's › it is not_payable`, async (t) => {
    const { treasury, stream } = await open(t);
    await treasury.give(bob, 1_000_000n);
    await advance(treasury, 50 * DAY);
    const { contract_address: own, thread } =
      (await treasury.app.context.store.get(streamCollection, stream.id)) ?? t.fail();
    const { lockingBytecode } = parseAddress(own);
    const { address: reserve } = reserveContract(thread?.category ?? '', lockingBytecode, 'local');
    for (const toAddress of [own, reserve.text, reserve.tokenText]) {
      const input = { id: stream.id, toAddress };
      const { details } = await treasury.refusal(t, bob, 'streams.claim', input, 'not_payable');
      t.is(details['field'], 'toAddress');
    }
  });

  test(`pause, transfer, resume and cancel › in ${asset} › a pause costs nothing, and the split is fair`, async (t) => {
    const { treasury, stream, balanceOf } = await open(t);
    await treasury.give(bob, 1_000_000n);
    await treasury.give(carol, 1_000_000n);
    await advance(treasury, 10 * DAY);
    await stream.move(alice, 'pause');
    const vested = await unitsOf(stream, 'vested_amount');
    await advance(treasury, 30 * DAY);
    t.is(await unitsOf(stream, 'vested_amount'), vested);
    t.like(await stream.shown(), { status: 'PAUSED', next_unlock: null });
    await stream.move(bob, 'transfer', { newRecipientAddress: treasury.addressOf(carol).text });
    await treasury.refusal(t, bob, 'streams.claim', { id: stream.id }, 'not_recipient');
    const before = await balanceOf(carol);
    await stream.move(carol, 'claim');
    if (asset === 'tokens') t.is((await balanceOf(carol)) - before, vested);
    t.is(await unitsOf(stream, 'claimable_amount'), 0n);
    await stream.move(alice, 'resume');
    const shown = await stream.shown();
    t.like(shown, { status: 'ACTIVE', paused_at: null });
    t.true(Number(shown['shift_seconds']) >= 30 * DAY);

    await advance(treasury, 40 * DAY);
    const [mine, theirs] = [await balanceOf(alice), await balanceOf(carol)];
    const built = await treasury.ask(alice, 'streams.cancel', { id: stream.id });
    const txHash = await treasury.send(alice, built['wcTransaction']);
    t.like(await treasury.ask(null, 'streams.confirm-cancel', { id: stream.id, txHash }), {
      status: 'CANCELLED',
    });
    const owed = BigInt(String(built['vestedAmountOnChain']));
    const rest = BigInt(String(built['unvestedAmountOnChain']));
    t.is((await balanceOf(carol)) - theirs, owed);
    const back = (await balanceOf(alice)) - mine;
    t.true(asset === 'tokens' ? back === rest : back > rest - 4_000n);
    const record = await checkSums(t, treasury, stream);
    t.is(record?.total_amount, (record?.withdrawn_amount ?? 0n) + (record?.returned_amount ?? 0n));
    await checkFold(t, treasury, stream);
  });

  test(`RECURRING › in ${asset} › claimed by intervals, paused with what was due paid, refilled, cancelled`, async (t) => {
    const treasury = await openTreasury(t);
    const token = asset === 'BCH' ? { terms: {}, category: null } : await tokenTerms(treasury);
    const [total, each, perInterval] = asset === 'BCH' ? ['0.04', '0.01', 1_000_000n] : ['40', '10', 1_000n];
    const stream = await fundStream(treasury, {
      ...token.terms,
      streamType: 'RECURRING',
      totalAmount: total,
      amountPerInterval: each,
      intervalSeconds: 10 * DAY,
      endTime: undefined,
      refillable: true,
    });
    await treasury.give(bob, 1_000_000n);
    t.like(await stream.shown(), { end_time: null, claimable_amount: 0, refillable: true });
    await treasury.refusal(t, bob, 'streams.claim', { id: stream.id }, 'nothing_claimable');
    await advance(treasury, 25 * DAY);
    t.is(await unitsOf(stream, 'claimable_amount'), 2n * perInterval);
    const half = { id: stream.id, amount: asset === 'BCH' ? '0.005' : '5' };
    await treasury.refusal(t, bob, 'streams.claim', half, 'invalid_amount');
    await stream.move(bob, 'claim', { amount: each });
    await stream.move(alice, 'pause');
    t.is(await unitsOf(stream, 'withdrawn_amount'), 2n * perInterval);
    await stream.move(alice, 'refill', { refillAmount: each });
    t.like(await stream.shown(), { status: 'PAUSED', total_amount: asset === 'BCH' ? 0.05 : 50 });
    await stream.move(alice, 'resume');
    await advance(treasury, 15 * DAY);
    await stream.move(alice, 'cancel');
    const record = await checkSums(t, treasury, stream);
    t.is(record?.withdrawn_amount, 3n * perInterval);
    t.is(record?.returned_amount, 2n * perInterval);
    await checkFold(t, treasury, stream);
  });
}

test('claim › given what cannot be claimed › who, when and how much is said', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await createStream(treasury, { startTime: undefined, endTime: undefined });
  const { id } = stream;
  await treasury.refusal(t, bob, 'streams.claim', { id }, 'wrong_state');
  await stream.move(alice, 'funding');
  const fixed = await fundStream(treasury, {
    scheduleTemplate: 'step-timelock',
    streamType: 'STEP',
    endTime: undefined,
  });
  const error = await treasury.refusal(t, bob, 'streams.claim', { id: fixed.id }, 'nothing_claimable');
  t.is(error.details['nextUnlock'], (await fixed.shown())['end_time']);
  t.like(await treasury.ask(null, 'streams.claim-info', { id: fixed.id }), {
    claimInfo: { claimableAmount: 0 },
    wcTransaction: null,
  });
  await treasury.refusal(t, mallory, 'streams.claim', { id: fixed.id }, 'not_recipient');
  await advance(treasury, 181 * DAY);
  const tooMuch = { id: fixed.id, amount: '0.10000001' };
  await treasury.refusal(t, bob, 'streams.claim', tooMuch, 'amount_exceeds_claimable');
  const info = await treasury.ask(null, 'streams.claim-info', { id: fixed.id });
  t.like(info, { claimInfo: { claimableAmount: 0.1, nextUnlock: null } });
  const txHash = await treasury.send(bob, info['wcTransaction']);
  const wrong = { id: fixed.id, txHash, claimedAmount: 0.2 };
  await treasury.refusal(t, null, 'streams.confirm-claim', wrong, 'tx_mismatch');
  t.like(await treasury.ask(null, 'streams.confirm-claim', { ...wrong, claimedAmount: 0.1 }), {
    status: 'COMPLETED',
    claimedAmount: 0.1,
  });
  await treasury.refusal(t, bob, 'streams.claim', { id: fixed.id }, 'wrong_state');
});

test('moves › given an irrevocable stream, other people and other types › they are refused', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundStream(treasury, { cancelable: false, transferable: false });
  await treasury.refusal(t, alice, 'streams.pause', { id }, 'not_cancelable');
  await treasury.refusal(t, alice, 'streams.cancel', { id }, 'not_cancelable');
  const newRecipientAddress = treasury.addressOf(carol).text;
  await treasury.refusal(t, bob, 'streams.transfer', { id, newRecipientAddress }, 'not_transferable');
  await treasury.refusal(t, alice, 'streams.refill', { id, refillAmount: 1 }, 'not_refillable');
  for (const verb of ['pause', 'resume', 'cancel']) {
    await treasury.refusal(t, mallory, `streams.${verb}`, { id }, 'not_sender');
  }
  await treasury.refusal(t, mallory, 'streams.transfer', { id, newRecipientAddress }, 'not_recipient');
  await treasury.refusal(t, alice, 'streams.resume', { id }, 'wrong_state');
  await treasury.refusal(t, null, 'streams.show', { id: 'STREAM-0099' }, 'stream_not_found');
});

test('moves › given a stream of a private vault › a refill and a transfer are built for who may read it', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury, { isPublic: false });
  const open = { streamType: 'RECURRING', intervalSeconds: DAY, amountPerInterval: '0.01', refillable: true };
  const refillable = await fundStream(treasury, { vaultId, ...open, endTime: undefined });
  const transferable = await fundStream(treasury, { vaultId, transferable: true });
  const refill = { id: refillable.id, refillAmount: '0.02' };
  const transfer = { id: transferable.id, newRecipientAddress: treasury.addressOf(dave).text };
  for (const who of [null, mallory]) {
    await treasury.refusal(t, who, 'streams.refill', refill, 'private_vault');
    await treasury.refusal(t, who, 'streams.transfer', transfer, 'private_vault');
  }
  await treasury.refusal(t, carol, 'streams.refill', refill, 'not_sender');
  t.like(await treasury.ask(alice, 'streams.refill', refill), { refillAmount: 0.02 });
  await treasury.give(bob, 1_000_000n);
  t.like(await treasury.ask(bob, 'streams.transfer', transfer), { nextStatus: 'ACTIVE' });
});

test('confirm › given another transaction, or one that the chain does not know › nothing changes', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury);
  const other = await fundStream(treasury);
  await advance(treasury, 10 * DAY);
  const txHash = await other.move(bob, 'claim');
  const { id } = stream;
  await treasury.refusal(t, null, 'streams.confirm-claim', { id, txHash }, 'tx_mismatch');
  await treasury.refusal(t, null, 'streams.confirm-funding', { id, txHash }, 'tx_mismatch');
  const unknown = { id, txHash: '12'.repeat(32) };
  await treasury.refusal(t, null, 'streams.confirm-cancel', unknown, 'tx_not_indexed');
  t.like(await stream.shown(), { status: 'ACTIVE', withdrawn_amount: 0 });
});

test('STEP › given an interval that does not divide its duration › the last step is what is left', async (t) => {
  const treasury = await openTreasury(t);
  const start = terms.startTime;
  const stream = await fundStream(treasury, {
    streamType: 'STEP',
    intervalSeconds: 30 * DAY,
    endTime: start + 100 * DAY,
  });
  t.like(await stream.shown(), { amount_per_interval: 0.03 });
  await advance(treasury, 90 * DAY);
  await stream.move(bob, 'claim');
  t.like(await stream.shown(), { withdrawn_amount: 0.09, claimable_amount: 0 });
  const info = await treasury.ask(null, 'streams.claim-info', { id: stream.id });
  t.like(info, { claimInfo: { claimableAmount: 0, nextUnlock: start + 100 * DAY } });
  await advance(treasury, 10 * DAY);
  const txHash = await stream.move(bob, 'claim');
  t.like(await stream.shown(), { status: 'COMPLETED', withdrawn_amount: 0.1 });
  t.like(await stream.claims(), [
    { amount: 0.01, claimedAmount: 0.01, txHash, tx_hash: txHash },
    { claimedAmount: 0.09 },
  ]);
});
