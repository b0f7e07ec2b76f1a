import test from 'ava';
import { bob, carol, dave } from '../../../../fixtures/people.js';
import { parseAddress } from '../../../../src/bch/address.js';
import { buildPayment } from '../../../../src/bch/payment.js';
import { encodeWalletTransaction } from '../../../../src/bch/wallet-transaction.js';
import { voteLockCollection } from '../../../../src/products/governance/index.js';
import { openTreasury, type Treasury } from '../../../treasury.js';
import { castLock, chainOf, DAY, fill, propose, share, shown, takeBack } from '../proposal.js';

const END = 7 * DAY;

/** Bob has locked 30 of his 50 tokens, and carol has voted off-chain. */
const votedOn = async (treasury: Treasury) => {
  const tokenCategory = await share(treasury, [[bob, '50']]);
  const proposalId = await propose(treasury);
  await castLock(treasury, bob, { proposalId, voteChoice: 'FOR', stakeAmount: 30, tokenCategory });
  await treasury.ask(carol, 'governance.vote', { proposalId, vote: 'AGAINST', weight: 1 });
  const input = (who: typeof bob) => ({ proposalId, voterAddress: treasury.addressOf(who).text });
  return { tokenCategory, proposalId, input };
};

test('unlock › given the end › every token comes back, the ballot is burned, and the vote stays', async (t) => {
  const treasury = await openTreasury(t);
  const { tokenCategory, proposalId, input } = await votedOn(treasury);
  await chainOf(treasury).advance(END);
  const built = await treasury.ask(null, 'governance.unlock', { ...input(bob), tokenCategory });
  t.like(built['unlockTransaction'], { unlockedAmount: 30, unlockedAmountOnChain: '3000', tokenCategory });
  const txHash = await treasury.send(
    bob,
    (built['unlockTransaction'] as Record<string, unknown>)['wcTransaction'],
  );
  const confirmed = await treasury.ask(null, 'governance.confirm-unlock', { ...input(bob), txHash });
  t.like(confirmed, { state: 'confirmed', status: 'UNLOCKED', unlockedAmount: 30, txHash });
  t.deepEqual(await treasury.ask(null, 'governance.confirm-unlock', { ...input(bob), txHash }), confirmed);
  t.is(await treasury.tokensOf(bob, tokenCategory), 5_000n);
  const coins = await treasury.app.context.chain.coins(treasury.addressOf(bob).lockingBytecode);
  t.false(coins.some(({ token }) => token?.nft !== undefined));

  const proposal = await shown(treasury, proposalId);
  t.like(proposal, {
    status: 'PASSED',
    votesFor: 30,
    votesAgainst: 1,
    recount: { agrees: true, votesFor: 30, stakes: { locked: 0, returned: 1 } },
    votes: [{ status: 'UNLOCKED', unlockTxHash: txHash }, { method: 'off-chain' }],
  });
  t.is((proposal['events'] as { event_type: string }[])[0]?.event_type, 'unlocked');
  await treasury.refusal(t, null, 'governance.unlock', input(bob), 'wrong_state');
});

test('unlock › given what cannot be › each refusal has its own code', async (t) => {
  const treasury = await openTreasury(t);
  const { input, tokenCategory } = await votedOn(treasury);
  const gift = await treasury.ask(bob, 'wallet.send', {
    to: treasury.addressOf(dave).text,
    amount: '1',
    tokenCategory,
  });
  await treasury.send(bob, gift['wcTransaction']);
  await fill(treasury, dave);
  await treasury.refusal(t, null, 'governance.unlock', input(bob), 'voting_open');
  await treasury.refusal(t, null, 'governance.unlock', input(carol), 'not_voter');
  await treasury.refusal(t, null, 'governance.unlock', input(dave), 'vote_not_found');
  const offered = { ...input(dave), voteChoice: 'FOR', stakeAmount: 1, tokenCategory };
  await treasury.ask(null, 'governance.lock', offered);
  await treasury.refusal(t, null, 'governance.unlock', { ...input(dave), tokenCategory }, 'vote_not_found');
  await chainOf(treasury).advance(END - 60);
  await treasury.refusal(t, null, 'governance.unlock', input(bob), 'voting_open');
  await chainOf(treasury).advance(120);
  const other = { ...input(bob), tokenCategory: 'ab'.repeat(32) };
  await treasury.refusal(t, null, 'governance.unlock', other, 'token_category_mismatch');
  const unknown = { ...input(bob), txHash: '00'.repeat(32) };
  await treasury.refusal(t, null, 'governance.confirm-unlock', unknown, 'tx_not_indexed');
  await treasury.refusal(t, null, 'governance.confirm-unlock', { ...unknown, ...input(carol) }, 'not_voter');
});

test('unlock › given what strangers sent to the address › it takes only what it should', async (t) => {
  const treasury = await openTreasury(t);
  const { tokenCategory, proposalId } = await votedOn(treasury);
  const { votes } = (await shown(treasury, proposalId)) as { votes: { contractAddress: string }[] };
  const { lockingBytecode } = parseAddress(votes[0]?.contractAddress ?? '');
  const token = { category: tokenCategory, amount: 200n };
  await treasury.payAnywhere(bob, [{ lockingBytecode, satoshis: 1_000n, token }]);
  t.like(await shown(treasury, proposalId), { votesFor: 30, recount: { agrees: true, votesFor: 30 } });
  await chainOf(treasury).advance(END);
  await takeBack(treasury, bob, proposalId);
  t.is(await treasury.tokensOf(bob, tokenCategory), 5_000n);
});

test('confirm-unlock › given a transaction that spends nothing of the lock › it is tx_mismatch', async (t) => {
  const treasury = await openTreasury(t);
  const { proposalId, input } = await votedOn(treasury);
  await chainOf(treasury).advance(END);
  const payer = treasury.addressOf(bob);
  const coins = await treasury.app.context.chain.coins(payer.lockingBytecode);
  const { transaction, sourceOutputs } = buildPayment({ payer, coins, outputs: [] });
  const txHash = await treasury.send(
    bob,
    encodeWalletTransaction({ transaction, sourceOutputs, broadcast: false }),
  );
  await treasury.refusal(t, null, 'governance.confirm-unlock', { ...input(bob), txHash }, 'tx_mismatch');
  t.like(await shown(treasury, proposalId), { votes: [{ status: 'LOCKED' }, { status: 'SAID' }] });
});

test('recount › given a record that says otherwise than the chain › it does not agree', async (t) => {
  const treasury = await openTreasury(t);
  const { proposalId } = await votedOn(treasury);
  t.like(await treasury.ask(null, 'governance.recount', { proposalId }), {
    proposalId,
    recount: { agrees: true, votesFor: 30 },
  });
  const { store } = treasury.app.context;
  const [record] = (await store.find(voteLockCollection)).items;
  await store.transaction((writer) => {
    if (record?.lock == null) throw new Error('there is no lock');
    writer.put(voteLockCollection, { ...record, lock: { ...record.lock, stake: 9_000n } });
  });
  t.like(await treasury.ask(null, 'governance.recount', { proposalId }), {
    recount: { agrees: false, votesFor: 30 },
  });
});
