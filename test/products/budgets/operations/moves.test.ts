import test from 'ava';
import { alice, bob, mallory } from '../../../../fixtures/people.js';
import { releaseCollection } from '../../../../src/products/budgets/plan.js';
import { openTreasury, TEST_TIME } from '../../../treasury.js';
import { advance, createPlan, DAY, fundPlan, fundTokenPlan } from '../plan.js';

test('release › given two milestones that have elapsed › both are paid at once, the fee out of the payout', async (t) => {
  const treasury = await openTreasury(t);
  const { move, build, shown } = await fundPlan(treasury);
  await advance(treasury, 31 * DAY);
  t.like(await build('release'), {
    releasableAmount: 0.0035,
    releasableAmountOnChain: '350000',
    milestonesReleasable: 2,
    nextStatus: 'ACTIVE',
  });
  await move('release');
  const paid = await treasury.satoshisOf(bob);
  t.true(paid < 350_000n && paid > 347_000n, `${paid}`);
  t.like(await shown(), { status: 'ACTIVE', current_milestone: 2, released_amount: 0.0035 });
});

test('release › given tokens › exactly the milestones are paid, and the last one ends the plan', async (t) => {
  const treasury = await openTreasury(t);
  const { move, shown, category } = await fundTokenPlan(treasury);
  await advance(treasury, 11 * DAY);
  await move('release');
  t.is(await treasury.tokensOf(bob, category), 1_000n);
  await advance(treasury, 40 * DAY);
  await move('release');
  t.is(await treasury.tokensOf(bob, category), 7_500n);
  t.like(await shown(), { status: 'COMPLETED', thread: null, released_amount: 75 });
});

test('pause, resume, cancel › given tokens, through all of them › every unit is somewhere', async (t) => {
  const treasury = await openTreasury(t);
  const { move, build, shown, category } = await fundTokenPlan(treasury);
  await move('pause');
  t.like(await shown(), { status: 'PAUSED' });
  await advance(treasury, 100 * DAY);
  await move('resume');
  t.like(await shown(), { status: 'ACTIVE', releasable_amount: 0 });
  await advance(treasury, 12 * DAY);
  t.like(await build('cancel'), { vestedAmount: 10, unvestedAmount: 65 });
  await move('cancel');
  t.is(await treasury.tokensOf(bob, category), 1_000n);
  t.is(await treasury.tokensOf(alice, category), 99_000n);
  t.like(await shown(), { status: 'CANCELLED', current_milestone: 1, thread: null });
});

test('release › given somebody else, or nothing that has elapsed › it is refused, with the next unlock', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundPlan(treasury, { startDate: TEST_TIME });
  const ask = (who: typeof bob) => ({ id, recipientAddress: treasury.addressOf(who).text });
  await treasury.refusal(t, null, 'budgets.release', ask(mallory), 'not_recipient');
  await treasury.refusal(t, null, 'budgets.release', ask(alice), 'not_recipient');
  const error = await treasury.refusal(t, null, 'budgets.release', ask(bob), 'nothing_releasable');
  t.is(error.details['nextUnlock'], TEST_TIME + 10 * DAY);
  t.like(await shown(), { next_unlock: TEST_TIME + 10 * DAY, releasable_amount: 0 });
});

test('release › given a clock that has reached the milestone and a chain that has not › chain time counts', async (t) => {
  const treasury = await openTreasury(t);
  const { clock } = treasury.app.context;
  const startDate = clock.now() - 10 * DAY + 60;
  const { id, build } = await fundPlan(treasury, { startDate });
  treasury.pass(60);
  t.true(clock.now() >= startDate + 10 * DAY);
  const input = { id, recipientAddress: treasury.addressOf(bob).text };
  const error = await treasury.refusal(t, null, 'budgets.release', input, 'nothing_releasable');
  t.true(Number(error.details['chainTime']) < startDate + 10 * DAY);
  await advance(treasury, 120);
  t.like(await build('release'), { milestonesReleasable: 1 });
});

test("release › given a payout too small for its fee › the recipient's own coins pay it", async (t) => {
  const treasury = await openTreasury(t);
  const { id, move } = await fundPlan(treasury, {
    milestones: [
      { amount: '0.00000546', durationSeconds: 60 },
      { amount: '0.001', durationSeconds: DAY },
    ],
  });
  await advance(treasury, 600);
  const recipientAddress = treasury.addressOf(bob).text;
  await treasury.refusal(t, null, 'budgets.release', { id, recipientAddress }, 'insufficient_funds');
  await treasury.give(bob, 10_000n);
  await move('release');
  t.true((await treasury.satoshisOf(bob)) > 8_500n);
});

test('release › given PAUSED › what had elapsed is paid, and otherwise it is wrong_state', async (t) => {
  const treasury = await openTreasury(t);
  const { id, build, move, shown } = await fundPlan(treasury);
  await advance(treasury, 10 * DAY);
  await move('pause');
  await advance(treasury, 100 * DAY);
  t.like(await shown(), { next_unlock: null, releasable_amount: 0.001 });
  t.like(await build('release'), { milestonesReleasable: 1, nextStatus: 'PAUSED' });
  await move('release');
  t.like(await shown(), { status: 'PAUSED', current_milestone: 1 });
  const recipientAddress = treasury.addressOf(bob).text;
  await treasury.refusal(t, null, 'budgets.release', { id, recipientAddress }, 'wrong_state');
});

test('confirm-release › given another amount or another move › it is tx_mismatch; the true one counts once', async (t) => {
  const treasury = await openTreasury(t);
  const { id, build, move, shown } = await fundPlan(treasury);
  await advance(treasury, 31 * DAY);
  const txHash = await treasury.send(bob, (await build('release'))['wcTransaction']);
  t.like(await shown(), { current_milestone: 2 }, 'nobody confirmed it, and it is known');
  const wrong = { id, txHash, releasedAmount: 0.0034 };
  await treasury.refusal(t, null, 'budgets.confirm-release', wrong, 'tx_mismatch');
  for (const releasedAmount of [undefined, 0.0035, '0.0035']) {
    const input = { id, txHash, ...(releasedAmount === undefined ? {} : { releasedAmount }) };
    t.like(await treasury.ask(null, 'budgets.confirm-release', input), {
      releasedAmount: 0.0035,
      currentMilestone: 2,
      status: 'ACTIVE',
    });
  }
  const rows = (await treasury.app.context.store.find(releaseCollection, { order: 'oldest' })).items;
  t.deepEqual(
    rows.map(({ milestone_index, amount, tx_hash }) => [milestone_index, amount, tx_hash]),
    [
      [1, 100_000n, txHash],
      [2, 250_000n, txHash],
    ],
  );
  const pause = await move('pause');
  await treasury.refusal(t, null, 'budgets.confirm-release', { id, txHash: pause }, 'tx_mismatch');
  await treasury.refusal(t, null, 'budgets.confirm-pause', { id, txHash }, 'tx_mismatch');
});

test('pause, resume, cancel › given somebody else, or another status › each is refused', async (t) => {
  const treasury = await openTreasury(t);
  const pending = await createPlan(treasury);
  const active = await fundPlan(treasury);
  for (const verb of ['pause', 'resume', 'cancel'] as const) {
    const refuse = (who: typeof alice, id: string, code: 'not_controller' | 'wrong_state') =>
      treasury.refusal(t, who, `budgets.${verb}`, { id }, code);
    await refuse(alice, pending.id, 'wrong_state');
    await refuse(mallory, active.id, 'not_controller');
    await refuse(bob, active.id, 'not_controller');
    if (verb === 'resume') await refuse(alice, active.id, 'wrong_state');
  }
});

test('pause, cancel › given a plan that is not cancelable › it is not_cancelable', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundPlan(treasury, { cancelable: false });
  for (const verb of ['pause', 'cancel']) {
    await treasury.refusal(t, alice, `budgets.${verb}`, { id }, 'not_cancelable');
  }
});

test('cancel › given BCH that had elapsed › the recipient gets exactly that, the controller the rest', async (t) => {
  const treasury = await openTreasury(t);
  const { id, build, move, shown } = await fundPlan(treasury);
  await advance(treasury, 10 * DAY);
  const before = await treasury.satoshisOf(alice);
  t.like(await build('cancel'), {
    nextStatus: 'CANCELLED',
    vestedAmount: 0.001,
    unvestedAmount: 0.0065,
    controllerAddress: treasury.addressOf(alice).text,
  });
  await move('cancel');
  t.is(await treasury.satoshisOf(bob), 100_000n);
  const back = (await treasury.satoshisOf(alice)) - before;
  t.true(back > 650_000n - 2_000n && back <= 651_000n, `${back}`);
  t.like(await shown(), { status: 'CANCELLED', released_amount: 0.001, current_milestone: 1 });
  const { events } = (await treasury.ask(null, 'budgets.show', { id })) as { events: object[] };
  t.like(events[0], { event_type: 'cancelled', amount: 0.0065, details: { vestedAmount: '100000' } });
});

test('release › given the last milestone › the plan is COMPLETED, and says so in both events', async (t) => {
  const treasury = await openTreasury(t);
  const { id, build, shown } = await fundPlan(treasury);
  await advance(treasury, 40 * DAY);
  const built = await build('release');
  t.like(built, { milestonesReleasable: 3, nextStatus: 'COMPLETED' });
  const txHash = await treasury.send(bob, built['wcTransaction']);
  const confirmed = await treasury.ask(null, 'budgets.confirm-release', {
    id,
    txHash,
    releasedAmount: 0.0075,
  });
  t.like(confirmed, { status: 'COMPLETED', releasedAmount: 0.0075, currentMilestone: 3 });
  const { events } = (await treasury.ask(null, 'budgets.show', { id })) as {
    events: { event_type: string }[];
  };
  t.deepEqual(
    events.map(({ event_type }) => event_type),
    ['completed', 'released', 'funded', 'created'],
  );
  t.like(await shown(), { thread: null, released_amount: 0.0075, next_unlock: null });
  await treasury.refusal(t, alice, 'budgets.cancel', { id }, 'wrong_state');
});

test('following › given a release that the chain takes back for good › the record goes back too', async (t) => {
  const treasury = await openTreasury(t);
  const { store } = treasury.app.context;
  const { move, shown } = await fundPlan(treasury);
  await advance(treasury, 10 * DAY);
  const txHash = await move('release');
  t.is((await store.find(releaseCollection)).total, 1);
  const local = treasury.app.context.localChain as unknown as {
    reorg: (depth: number, options: { drop: readonly string[] }) => Promise<unknown>;
  };
  await local.reorg(1, { drop: [txHash] });
  t.like(await shown(), { status: 'ACTIVE', current_milestone: 0, released_amount: 0 });
  t.is((await store.find(releaseCollection)).total, 0);
});
