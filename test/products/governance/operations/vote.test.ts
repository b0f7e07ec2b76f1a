import test from 'ava';
import { alice, bob, carol } from '../../../../fixtures/people.js';
import { openTreasury } from '../../../treasury.js';
import { castLock, chainOf, DAY, propose, share, shown } from '../proposal.js';

test('vote › given a choice › it is recorded as off-chain, and the tally moves', async (t) => {
  const treasury = await openTreasury(t);
  const proposalId = await propose(treasury);
  const cast = await treasury.ask(bob, 'governance.vote', { proposalId, vote: 'FOR' });
  t.like(cast, {
    votesFor: 1,
    vote: {
      vote: 'FOR',
      weight: 1,
      method: 'off-chain',
      voter: treasury.addressOf(bob).text,
      lockTxHash: null,
    },
  });
  await treasury.ask(carol, 'governance.vote', { proposalId, vote: 'AGAINST', weight: '2.5' });
  t.like(await shown(treasury, proposalId), {
    votesFor: 1,
    votesAgainst: 2.5,
    recount: { votesFor: 0, agrees: true },
  });
});

test('vote › given a second vote, of either kind › it is already_voted', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [[bob, '20']]);
  const proposalId = await propose(treasury);
  await treasury.ask(carol, 'governance.vote', { proposalId, vote: 'FOR' });
  const again = { proposalId, vote: 'AGAINST' };
  const { status } = await treasury.refusal(t, carol, 'governance.vote', again, 'already_voted');
  t.is(status, 409);
  await castLock(treasury, bob, { proposalId, voteChoice: 'FOR', stakeAmount: 5, tokenCategory });
  await treasury.refusal(t, bob, 'governance.vote', again, 'already_voted');
  t.like(await shown(treasury, proposalId), { votesFor: 6, votesAgainst: 0 });
});

test('vote › given a weight that is not above zero › it is invalid_amount', async (t) => {
  const treasury = await openTreasury(t);
  const proposalId = await propose(treasury);
  for (const weight of [0, -1, '0', 'much']) {
    const input = { proposalId, vote: 'FOR', weight };
    await treasury.refusal(t, bob, 'governance.vote', input, 'invalid_amount');
  }
  t.deepEqual((await shown(treasury, proposalId))['votes'], []);
});

test('vote › given the end › it is voting_ended', async (t) => {
  const treasury = await openTreasury(t);
  const proposalId = await propose(treasury, { votingDurationDays: 1 });
  await chainOf(treasury).advance(DAY);
  await treasury.refusal(t, bob, 'governance.vote', { proposalId, vote: 'FOR' }, 'voting_ended');
});

test('vote › given a voting token › it is shown apart and not tallied', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [[bob, '20']]);
  const proposalId = await propose(treasury, { tokenCategory });
  await treasury.ask(alice, 'governance.vote', { proposalId, vote: 'AGAINST', weight: 1_000 });
  await castLock(treasury, bob, { proposalId, voteChoice: 'FOR', stakeAmount: 20 });
  await chainOf(treasury).advance(7 * DAY);
  const proposal = await shown(treasury, proposalId);
  t.like(proposal, { status: 'PASSED', votesFor: 20, votesForOnChain: '2000', votesAgainst: 0 });
  t.like((proposal['breakdown'] as unknown[])[1], {
    method: 'off-chain',
    tallied: false,
    votesAgainst: 1_000,
  });
});
