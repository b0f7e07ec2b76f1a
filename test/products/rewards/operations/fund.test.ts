import test from 'ava';
import { alice, bob, mallory } from '../../../../fixtures/people.js';
import type { LocalChain } from '../../../../src/adapters/local-chain/local-chain.js';
import { parseAddress } from '../../../../src/bch/address.js';
import { openTreasury, type Treasury } from '../../../treasury.js';
import { createCampaign, fundCampaign, fundTokenCampaign, terms } from '../campaign.js';

type Funding = {
  readonly success: boolean;
  readonly requiresPreparation?: boolean;
  readonly preparationTransaction?: unknown;
  readonly wcTransaction?: unknown;
  readonly fundingInfo?: {
    readonly inputs: readonly { readonly satoshis: number }[];
    readonly outputs: readonly { readonly satoshis: number; readonly address: string }[];
    readonly fee: number;
    readonly onChainAmount: string;
  };
};

const fundingOf = async (treasury: Treasury, id: string) =>
  (await treasury.ask(null, 'rewards.funding-info', { id })) as unknown as Funding;

const sum = (items: readonly { readonly satoshis: number }[] = []) =>
  items.reduce((total, { satoshis }) => total + satoshis, 0);

test('funding-info › given a coin at index 0 › the inputs, outputs and fee add up', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createCampaign(treasury);
  const { fundingInfo } = await fundingOf(treasury, id);
  t.is(sum(fundingInfo?.inputs), sum(fundingInfo?.outputs) + (fundingInfo?.fee ?? 0));
  t.is(fundingInfo?.outputs[0]?.satoshis, 3_001_000);
  t.is(fundingInfo?.onChainAmount, '3000000');
});

test('funding-info › given only coins at other indexes › it is prepared, and then ready', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await createCampaign(treasury);
  await moveToIndexOne(treasury);
  const first = await fundingOf(treasury, id);
  t.like(first, { success: false, requiresPreparation: true, code: 'preparation_required' });
  await treasury.send(alice, first.preparationTransaction);
  const second = await fundingOf(treasury, id);
  const txHash = await treasury.send(alice, second.wcTransaction);
  await treasury.ask(alice, 'rewards.confirm-funding', { id, txHash });
  t.like(await shown(), { status: 'ACTIVE' });
});

/** Leaves alice with one coin at output index 1. */
const moveToIndexOne = async (treasury: Treasury): Promise<void> => {
  const { text } = treasury.addressOf(bob);
  const built = await treasury.ask(alice, 'wallet.send', { to: text, amount: '0.2' });
  await treasury.send(alice, built['wcTransaction']);
  const rest = await treasury.app.context.chain.coins(treasury.addressOf(alice).lockingBytecode);
  const atZero = rest.filter(({ vout }) => vout === 0);
  if (atZero.length === 0) return;
  const again = await treasury.ask(alice, 'wallet.send', { to: text, amount: '0.05' });
  await treasury.send(alice, again['wcTransaction']);
};

test('funding-info › given a creator with too little › it is insufficient_funds', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 100_000n);
  const { campaign } = (await treasury.ask(alice, 'rewards.create', terms)) as { campaign: { id: string } };
  const error = await treasury.refusal(
    t,
    null,
    'rewards.funding-info',
    { id: campaign.id },
    'insufficient_funds',
  );
  t.is(error.details['address'], treasury.addressOf(alice).text);
});

test('funding-info › given too few tokens › it is insufficient_funds in the token', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createCampaign(treasury, {
    tokenType: 'FUNGIBLE_TOKEN',
    tokenCategory: 'ab'.repeat(32),
    totalPool: 5,
    maxRewardAmount: 1,
  });
  const error = await treasury.refusal(t, null, 'rewards.funding-info', { id }, 'insufficient_funds');
  t.regex(error.message, /abab/);
});

test('funding-info › given an ACTIVE campaign › it is wrong_state', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  await treasury.refusal(t, null, 'rewards.funding-info', { id }, 'wrong_state');
});

test('confirm-funding › given a transaction that the chain does not know › the campaign stays PENDING', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await createCampaign(treasury);
  const error = await treasury.refusal(
    t,
    alice,
    'rewards.confirm-funding',
    { id, txHash: 'cd'.repeat(32) },
    'tx_not_indexed',
  );
  t.like(error.details, { state: 'pending' });
  t.like(await shown(), { status: 'PENDING', tx_hash: null });
});

test("confirm-funding › given another campaign's funding › the campaign stays PENDING", async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await createCampaign(treasury);
  const other = await createCampaign(treasury);
  const txHash = await other.move('funding');
  await treasury.refusal(t, alice, 'rewards.confirm-funding', { id, txHash }, 'tx_mismatch');
  t.like(await shown(), { status: 'PENDING' });
});

test('confirm-funding › given a plain payment to the address › the campaign stays PENDING', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await createCampaign(treasury);
  const { lockingBytecode } = parseAddress(String((await shown())['contract_address']));
  const txHash = await treasury.payAnywhere(alice, [{ lockingBytecode, satoshis: 3_001_000n }]);
  await treasury.refusal(t, alice, 'rewards.confirm-funding', { id, txHash }, 'tx_mismatch');
  t.like(await shown(), { status: 'PENDING' });
});

test('confirm-funding › given a caller who did not pay › it is tx_mismatch', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundCampaign(treasury);
  const { tx_hash: txHash } = await shown();
  await treasury.refusal(t, mallory, 'rewards.confirm-funding', { id, txHash }, 'tx_mismatch');
});

test('confirm-funding › given it twice › it answers the same', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundCampaign(treasury);
  const { tx_hash: txHash } = await shown();
  const again = await treasury.ask(alice, 'rewards.confirm-funding', { id, txHash });
  t.like(again, { status: 'ACTIVE', state: 'confirmed', retryable: false, txHash });
});

test('confirm-funding › given a funding that nobody confirmed › it is found instead of paid twice', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await createCampaign(treasury);
  const { wcTransaction } = await fundingOf(treasury, id);
  const txHash = await treasury.send(alice, wcTransaction);
  await treasury.refusal(t, null, 'rewards.funding-info', { id }, 'wrong_state');
  t.like(await shown(), { status: 'ACTIVE', tx_hash: txHash });
});

test('confirm-funding › given a funding that left the chain › the campaign is PENDING again', async (t) => {
  const treasury = await openTreasury(t);
  const { shown, pay } = await fundTokenCampaign(treasury);
  await pay(bob, '1');
  const { tx_hash: txHash } = await shown();
  const chain = treasury.app.context.localChain as LocalChain;
  await chain.reorg(3, { drop: [String(txHash)] });
  t.like(await shown(), { status: 'PENDING', tx_hash: null, thread: null, distributed_count: 0 });
});

test('confirm-funding › given a funding that was only reordered › the campaign is as it was', async (t) => {
  const treasury = await openTreasury(t);
  const { shown, pay } = await fundCampaign(treasury);
  await pay(bob, '0.001');
  const before = await shown();
  await treasury.app.context.localChain?.reorg(2);
  await treasury.app.context.localChain?.mine(1);
  const after = await shown();
  t.deepEqual({ ...after, confirmations: 0, updated_at: 0 }, { ...before, confirmations: 0, updated_at: 0 });
});
