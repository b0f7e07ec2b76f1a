import test from 'ava';
import { alice, bob, carol, mallory } from '../../../../fixtures/people.js';
import { streamCollection } from '../../../../src/products/streams/index.js';
import { openTreasury } from '../../../treasury.js';
import { advance, chainTime, DAY, fundStream, tokenTerms, type Json } from '../stream.js';
import { createVault } from '../vault.js';

const PUSHED = { pushMinimum: '0.001' };

test('push › given a stream without a push minimum › it is not_pushable', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundStream(treasury);
  await advance(treasury, DAY);
  await treasury.refusal(t, alice, 'streams.push', { id }, 'not_pushable');
});

test('push › given less than the minimum has vested › it is amount_below_push_minimum', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundStream(treasury, { pushMinimum: '0.05' });
  await advance(treasury, 2 * DAY);
  await treasury.refusal(t, alice, 'streams.push', { id }, 'amount_below_push_minimum');
  t.is((await shown())['pushable_amount'], 0);
});

test('push › given a vesting stream, pushed by a stranger › BCH: the recipient has exactly what has vested, and the claims say who paid it', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move, shown, claims } = await fundStream(treasury, PUSHED);
  await treasury.give(mallory, 10_000n);
  await advance(treasury, 10 * DAY);
  const { vested_amountOnChain: vested, pushable_amountOnChain: pushable } = await shown();
  t.is(vested, pushable);
  await move(mallory, 'push');
  t.is(await treasury.satoshisOf(bob), BigInt(String(vested)));
  t.like(await shown(), { withdrawn_amountOnChain: vested, claimable_amount: 0, status: 'ACTIVE' });
  t.like((await claims())[0], { recipient: treasury.addressOf(bob).text, amountOnChain: vested });
  const activity = await treasury.ask(alice, 'streams.activity', {});
  const [latest] = activity['events'] as Json[];
  t.like(latest, { event_type: 'claimed', actor: treasury.addressOf(mallory).text });
  await treasury.refusal(t, alice, 'streams.push', { id }, 'nothing_claimable');
});

test('push › given tokens › the recipient has exactly the tokens, and the rest stays in the reserve', async (t) => {
  const treasury = await openTreasury(t);
  const { category, terms } = await tokenTerms(treasury);
  const { move, shown } = await fundStream(treasury, { ...terms, pushMinimum: '1' });
  await advance(treasury, 10 * DAY);
  await move(alice, 'push');
  const { withdrawn_amountOnChain: paid } = await shown();
  t.is(await treasury.tokensOf(bob, category), BigInt(String(paid)));
  await advance(treasury, 10 * DAY);
  await move(alice, 'push');
  const { withdrawn_amountOnChain: all } = await shown();
  t.true(BigInt(String(all)) > BigInt(String(paid)));
  t.is(await treasury.tokensOf(bob, category), BigInt(String(all)));
});

test("push › given all has vested › it is COMPLETED, and the dust is the recipient's", async (t) => {
  const treasury = await openTreasury(t);
  const { move, shown } = await fundStream(treasury, { pushMinimum: '0.1' });
  await advance(treasury, 101 * DAY);
  await move(alice, 'push');
  t.is(await treasury.satoshisOf(bob), 10_001_000n);
  t.like(await shown(), { status: 'COMPLETED', withdrawn_amount: 0.1 });
});

test('push › given a stream that was transferred › the new recipient is paid', async (t) => {
  const treasury = await openTreasury(t);
  const { move } = await fundStream(treasury, PUSHED);
  await treasury.give(bob, 10_000n);
  const newRecipient = treasury.addressOf(carol).text;
  await move(bob, 'transfer', { newRecipient });
  await advance(treasury, 10 * DAY);
  await move(alice, 'push');
  t.true((await treasury.satoshisOf(carol)) >= 1_000_000n);
});

test('push › given a RECURRING stream › whole intervals are paid, and the last ends it', async (t) => {
  const treasury = await openTreasury(t);
  const now = await chainTime(treasury);
  const { id, move, shown } = await fundStream(treasury, {
    streamType: 'RECURRING',
    totalAmount: '0.03',
    startTime: now,
    endTime: now + 3 * DAY,
    intervalSeconds: DAY,
    pushMinimum: '0.01',
  });
  await advance(treasury, DAY + 60);
  await move(alice, 'push');
  t.is(await treasury.satoshisOf(bob), 1_000_000n);
  t.like(await shown(), { status: 'ACTIVE', withdrawn_amount: 0.01 });
  await treasury.refusal(t, alice, 'streams.push', { id }, 'nothing_claimable');
  await advance(treasury, 2 * DAY);
  await move(alice, 'push');
  t.is(await treasury.satoshisOf(bob), 3_001_000n);
  t.like(await shown(), { status: 'COMPLETED', withdrawn_amount: 0.03 });
});

test('push › given a paused stream › it is wrong_state, and the recipient can still claim', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move } = await fundStream(treasury, PUSHED);
  await advance(treasury, 10 * DAY);
  await move(alice, 'pause');
  await treasury.refusal(t, alice, 'streams.push', { id }, 'wrong_state');
  await move(bob, 'claim');
  t.true((await treasury.satoshisOf(bob)) > 900_000n);
});

test('push › given a private vault › a stranger is told nothing', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury, { isPublic: false });
  const { id } = await fundStream(treasury, { ...PUSHED, vaultId });
  await treasury.give(mallory, 10_000n);
  await advance(treasury, 10 * DAY);
  await treasury.refusal(t, mallory, 'streams.push', { id }, 'private_vault');
  const sender = treasury.addressOf(alice).text;
  t.is((await treasury.ask(mallory, 'streams.pushable', { sender }))['total'], 0);
  t.is((await treasury.ask(carol, 'streams.pushable', { sender }))['total'], 1);
});

test('push › given a batch with push minima in its file › each stream has its own', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  const recipient = treasury.addressOf(bob).text;
  const file = [
    'recipient,amount,template,push minimum',
    `${recipient},0.1,linear-open,0.01`,
    `${recipient},0.1,linear-open,`,
  ].join('\n');
  const senderAddress = treasury.addressOf(alice).text;
  await treasury.give(alice, 30_000_000n);
  await treasury.give(alice, 30_000_000n);
  const checked = await treasury.ask(alice, 'streams.check-batch', { vaultId, senderAddress, file });
  t.like(checked, { success: true, good: 2, refused: 0 });
  await treasury.ask(alice, 'streams.batch-create', { vaultId, senderAddress, file });
  const { items } = await treasury.app.context.store.find(streamCollection, { order: 'oldest' });
  t.deepEqual(
    items.map(({ push_minimum: minimum }) => minimum),
    [1_000_000n, 0n],
  );
  const small = `recipient,amount,template,push minimum\n${recipient},0.1,linear-open,0.000001`;
  const request = { vaultId, senderAddress, file: small };
  const error = await treasury.refusal(t, alice, 'streams.batch-create', request, 'invalid_input');
  t.regex(JSON.stringify(error.details), /push minimum/);
});
