import test from 'ava';
import { alice, bob, carol, mallory } from '../../../../fixtures/people.js';
import type { LocalChain } from '../../../../src/adapters/local-chain/local-chain.js';
import { openTreasury } from '../../../treasury.js';
import { createCampaign, fundCampaign, fundTokenCampaign } from '../campaign.js';

test('pause › given somebody else › it is not_creator', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  await treasury.refusal(t, mallory, 'rewards.pause', { id }, 'not_creator');
});

test('pause › given ACTIVE › it is PAUSED for good, and the pool stays', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move, shown } = await fundCampaign(treasury);
  const built = await treasury.ask(alice, 'rewards.pause', { id });
  t.is(built['nextStatus'], 'PAUSED');
  await move('pause');
  t.like(await shown(), { status: 'PAUSED', distributed_total: 0 });
  await treasury.refusal(t, alice, 'rewards.pause', { id }, 'wrong_state');
});

test('pause › given PENDING › it is wrong_state', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createCampaign(treasury);
  await treasury.refusal(t, alice, 'rewards.pause', { id }, 'wrong_state');
});

test('confirm-pause › given a distribution › it is tx_mismatch', async (t) => {
  const treasury = await openTreasury(t);
  const { id, pay, shown } = await fundCampaign(treasury);
  const txHash = await pay(bob, '0.001');
  await treasury.refusal(t, alice, 'rewards.confirm-pause', { id, txHash }, 'tx_mismatch');
  t.like(await shown(), { status: 'ACTIVE' });
});

test('confirm-pause › given somebody else › it is not_creator', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move } = await fundCampaign(treasury);
  const txHash = await move('pause');
  await treasury.refusal(t, mallory, 'rewards.confirm-pause', { id, txHash }, 'not_creator');
});

test('cancel › given ACTIVE › what remains comes back, and nothing but fees is lost', async (t) => {
  const treasury = await openTreasury(t);
  const { id, move, pay, shown } = await fundCampaign(treasury);
  await pay(bob, '0.004');
  const built = await treasury.ask(alice, 'rewards.cancel', { id });
  t.like(built, {
    nextStatus: 'CANCELLED',
    signerMatchesReturn: true,
    remainingPool: '2600000',
    cancelReturnAddress: treasury.addressOf(alice).text,
  });
  t.false('warning' in built);
  await move('cancel');
  t.like(await shown(), { status: 'CANCELLED', thread: null, distributed_total: 0.004 });
  const lost = 30_000_000n - (await treasury.satoshisOf(alice)) - (await treasury.satoshisOf(bob));
  t.true(lost > 0n && lost < 4_000n, `fees of ${lost}`);
});

test('cancel › given a refund address of somebody else › it warns, and pays there', async (t) => {
  const treasury = await openTreasury(t);
  const refundAddress = treasury.addressOf(carol).text;
  const { id, move } = await fundCampaign(treasury, { refundAddress });
  const built = await treasury.ask(alice, 'rewards.cancel', { id });
  t.like(built, { signerMatchesReturn: false, authorityReturnAddress: refundAddress });
  t.regex(String(built['warning']), /not to you/);
  await move('cancel');
  t.is(await treasury.satoshisOf(carol), 3_000_000n);
});

test('cancel › given PAUSED and tokens › every token that was not paid comes back', async (t) => {
  const treasury = await openTreasury(t);
  const { move, pay, category } = await fundTokenCampaign(treasury);
  await pay(bob, '7.5');
  await move('pause');
  await move('cancel');
  t.is(await treasury.tokensOf(bob, category), 750n);
  t.is(await treasury.tokensOf(alice, category), 100_000n - 750n);
});

test('cancel › given a remainder below dust › the creator raises it', async (t) => {
  const treasury = await openTreasury(t);
  const refundAddress = treasury.addressOf(carol).text;
  const { move, pay } = await fundCampaign(treasury, { refundAddress });
  for (const amount of ['0.01', '0.01', '0.009999']) await pay(bob, amount);
  await move('cancel');
  t.is(await treasury.satoshisOf(carol), 546n);
});

test('cancel › given PENDING or CANCELLED › it is wrong_state', async (t) => {
  const treasury = await openTreasury(t);
  const pending = await createCampaign(treasury);
  await treasury.refusal(t, alice, 'rewards.cancel', { id: pending.id }, 'wrong_state');
  const ended = await fundCampaign(treasury);
  await ended.move('cancel');
  await treasury.refusal(t, alice, 'rewards.cancel', { id: ended.id }, 'wrong_state');
});

test('list › given a creator › theirs, newest first, with the latest event', async (t) => {
  const treasury = await openTreasury(t);
  const first = await fundCampaign(treasury);
  const second = await createCampaign(treasury);
  const creator = treasury.addressOf(alice).text;
  const { campaigns, total } = (await treasury.ask(null, 'rewards.list', { creator })) as {
    campaigns: Record<string, unknown>[];
    total: number;
  };
  t.is(total, 2);
  t.deepEqual(
    campaigns.map(({ id }) => id),
    [second.id, first.id],
  );
  t.like(campaigns[1], { latest_event: { event_type: 'funded', actor: creator, amount: 0.03 } });
  const others = await treasury.ask(null, 'rewards.list', { creator: treasury.addressOf(bob).text });
  t.is(others['total'], 0);
});

test('list › given more than a page › it pages', async (t) => {
  const treasury = await openTreasury(t);
  for (let count = 0; count < 3; count += 1) await createCampaign(treasury);
  const creator = treasury.addressOf(alice).text;
  const page = await treasury.ask(null, 'rewards.list', { creator, page: 2, limit: 2 });
  t.like(page, { total: 3, page: 2, limit: 2, totalPages: 2, hasNextPage: false, hasPreviousPage: true });
  t.is((page['campaigns'] as unknown[]).length, 1);
});

test('remove › given PENDING › it is hidden unless showDeprecated is asked for', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createCampaign(treasury);
  const creator = treasury.addressOf(alice).text;
  await treasury.ask(alice, 'rewards.remove', { id });
  t.is((await treasury.ask(null, 'rewards.list', { creator }))['total'], 0);
  t.is((await treasury.ask(null, 'rewards.list', { creator, showDeprecated: true }))['total'], 1);
});

test('remove › given ACTIVE or somebody else › it is refused', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  await treasury.refusal(t, alice, 'rewards.remove', { id }, 'wrong_state');
  const pending = await createCampaign(treasury);
  await treasury.refusal(t, mallory, 'rewards.remove', { id: pending.id }, 'not_creator');
});

test('show › given a label in any case, without # › it is found', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createCampaign(treasury);
  const shown = (await treasury.ask(null, 'rewards.show', { id: 'reward-0001' })) as {
    campaign: { id: string };
  };
  t.is(shown.campaign.id, id);
});

test('show › given an unknown id › it is reward_not_found', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.refusal(t, null, 'rewards.show', { id: 'REWARD-0009' }, 'reward_not_found');
});

test('cancel › given a cancellation that left the chain › the campaign is ACTIVE again', async (t) => {
  const treasury = await openTreasury(t);
  const { move, shown } = await fundCampaign(treasury);
  const txHash = await move('cancel');
  t.like(await shown(), { status: 'CANCELLED' });
  await (treasury.app.context.localChain as LocalChain).reorg(1, { drop: [txHash] });
  t.like(await shown(), { status: 'ACTIVE', distributed_count: 0 });
});
