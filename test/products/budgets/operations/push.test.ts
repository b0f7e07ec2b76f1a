import test from 'ava';
import { alice, bob } from '../../../../fixtures/people.js';
import { releaseCollection } from '../../../../src/products/budgets/index.js';
import { openTreasury } from '../../../treasury.js';
import { advance, DAY, fundPlan, fundTokenPlan, milestones, putVault } from '../plan.js';

const PUSHED = { pushMinimum: '0.001' };

test('push › given a plan without a push minimum › it is not_pushable', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundPlan(treasury);
  await advance(treasury, 11 * DAY);
  await treasury.refusal(t, alice, 'budgets.push', { id }, 'not_pushable');
});

test('push › given nothing elapsed › it is nothing_releasable and says when', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundPlan(treasury, PUSHED);
  const error = await treasury.refusal(t, alice, 'budgets.push', { id }, 'nothing_releasable');
  t.true(Number(error.details['nextUnlock']) > 0);
});

test('push › given one milestone elapsed, below the minimum › it is amount_below_push_minimum, and with the second both are paid', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move, shown } = await fundPlan(treasury, { pushMinimum: '0.003' });
  await advance(treasury, 11 * DAY);
  await treasury.refusal(t, alice, 'budgets.push', { id }, 'amount_below_push_minimum');
  await advance(treasury, 20 * DAY);
  t.like(await shown(), { pushable_amountOnChain: '350000' });
  await move('push');
  t.is(await treasury.satoshisOf(bob), 350_000n);
  t.like(await shown(), { status: 'ACTIVE', current_milestone: 2, released_amount: 0.0035 });
});

test('push › given all milestones elapsed › BCH: it is COMPLETED, and each has its release', async (t) => {
  const treasury = await openTreasury(t);
  const { move, shown } = await fundPlan(treasury, { pushMinimum: '0.0075' });
  await advance(treasury, 40 * DAY);
  await move('push');
  t.is(await treasury.satoshisOf(bob), 751_000n);
  t.like(await shown(), { status: 'COMPLETED', current_milestone: 3, released_amount: 0.0075 });
  t.is((await treasury.app.context.store.find(releaseCollection)).total, 3);
});

test('push › given tokens › the recipient has exactly the tokens, milestone by milestone', async (t) => {
  const treasury = await openTreasury(t);
  const { category, move, shown } = await fundTokenPlan(treasury, { pushMinimum: '1' });
  await advance(treasury, 11 * DAY);
  await move('push');
  t.is(await treasury.tokensOf(bob, category), 1_000n);
  await advance(treasury, 20 * DAY);
  await move('push');
  t.is(await treasury.tokensOf(bob, category), 3_500n);
  await advance(treasury, 5 * DAY);
  await move('push');
  t.is(await treasury.tokensOf(bob, category), 7_500n);
  t.like(await shown(), { status: 'COMPLETED' });
});

test('push › given a paused plan › it is wrong_state', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move } = await fundPlan(treasury, PUSHED);
  await advance(treasury, 11 * DAY);
  await move('pause');
  await treasury.refusal(t, alice, 'budgets.push', { id }, 'wrong_state');
});

test('push › given a release that was quicker › the push is tx_conflict', async (t) => {
  const treasury = await openTreasury(t);
  const { build, move, shown } = await fundPlan(treasury, PUSHED);
  await advance(treasury, 11 * DAY);
  const built = await build('push');
  await move('release');
  await t.throwsAsync(treasury.send(alice, built['wcTransaction']), { code: 'tx_conflict' });
  t.like(await shown(), { current_milestone: 1, released_amount: 0.001 });
});

test('pushable › given a plan that is due › it lists it with what it pays', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundPlan(treasury, PUSHED);
  await fundPlan(treasury);
  t.is((await treasury.ask(alice, 'budgets.pushable'))['total'], 0);
  await advance(treasury, 11 * DAY);
  const listed = await treasury.ask(alice, 'budgets.pushable');
  t.is(listed['total'], 1);
  t.like((listed['plans'] as object[])[0], { id, pushable_amount: 0.001 });
});

test('create › given a push minimum above the budget › it is invalid_input and names the field', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await putVault(treasury);
  const request = { vaultId, recipient: treasury.addressOf(bob).text, milestones, pushMinimum: '1' };
  const error = await treasury.refusal(t, alice, 'budgets.create', request, 'invalid_input');
  t.like((error.details['issues'] as object[])[0], { path: 'pushMinimum' });
});

test('create › given one in another asset › it is invalid_amount', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await putVault(treasury);
  const request = {
    vaultId,
    recipient: treasury.addressOf(bob).text,
    milestones,
    pushMinimum: '0.000000001',
  };
  const error = await treasury.refusal(t, alice, 'budgets.create', request, 'invalid_amount');
  t.is(error.details['field'], 'pushMinimum');
});
