import test from 'ava';
import { alice, bob, dave } from '../../../../fixtures/people.js';
import { proposalCollection } from '../../../../src/products/governance/index.js';
import { openTreasury } from '../../../treasury.js';
import { chainOf, createVault, DAY, propose, shown, terms } from '../proposal.js';

test('propose › given no caller, or no such vault › it is refused', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.refusal(t, null, 'governance.propose', {}, 'unauthenticated');
  const input = { vaultId: 'aa'.repeat(32), ...terms };
  await treasury.refusal(t, alice, 'governance.propose', input, 'vault_not_found');
});

test('propose › given terms › it is ACTIVE with an empty tally, and ends in chain time', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  const proposal = await treasury.ask(dave, 'governance.propose', { vaultId, ...terms });
  const { medianTimePast } = await treasury.app.context.chain.tip();
  t.like(proposal, {
    title: 'Hire Dave',
    status: 'ACTIVE',
    votesFor: 0,
    votesAgainst: 0,
    votesAbstain: 0,
    quorum: 10,
    tokenCategory: null,
    creator: treasury.addressOf(dave).text,
    votingEndsAt: new Date((medianTimePast - 1 + 7 * DAY) * 1000).toISOString(),
    createdAt: medianTimePast - 1,
  });
  t.regex(String(proposal['vaultId']), /^[0-9a-f]{64}$/);
  t.regex(String(proposal['warning']), /anyone can mint/);
  const again = await treasury.ask(alice, 'governance.propose', { ...terms, vaultId: proposal['vaultId'] });
  t.is(again['vaultId'], proposal['vaultId']);
});

test('propose › given a voting token › it is fixed with its decimals, and nothing warns', async (t) => {
  const treasury = await openTreasury(t);
  const category = 'ab'.repeat(32);
  await treasury.ask(null, 'tokens.add', { category, symbol: 'GEMS', decimals: 2 });
  const proposalId = await propose(treasury, { tokenCategory: category, quorum: '10.25' });
  const proposal = await shown(treasury, proposalId);
  t.like(proposal, { tokenCategory: category, quorum: 10.25, quorumOnChain: '1025', votesForOnChain: '0' });
  t.false('warning' in proposal);
});

test('propose › given bad terms › it is refused and nothing is stored', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  for (const [bad, code] of [
    [{ quorum: 0 }, 'invalid_amount'],
    [{ quorum: -1 }, 'invalid_amount'],
    [{ quorum: '1.5', tokenCategory: 'ab'.repeat(32) }, 'invalid_amount'],
    [{ votingDurationDays: 0 }, 'invalid_input'],
    [{ votingDurationDays: 365.5 }, 'invalid_input'],
    [{ title: '' }, 'invalid_input'],
  ] as const) {
    await treasury.refusal(t, alice, 'governance.propose', { vaultId, ...terms, ...bad }, code);
  }
  t.is((await treasury.app.context.store.find(proposalCollection)).total, 0);
});

test('a private vault › only its members propose, read and vote', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury, false);
  await treasury.refusal(t, dave, 'governance.propose', { vaultId, ...terms }, 'private_vault');
  const proposalId = await propose(treasury, {}, vaultId);
  for (const who of [null, dave])
    await treasury.refusal(t, who, 'governance.show', { proposalId }, 'private_vault');
  await treasury.refusal(t, dave, 'governance.vote', { proposalId, vote: 'FOR' }, 'private_vault');
  const voterAddress = treasury.addressOf(dave).text;
  const lock = {
    proposalId,
    voterAddress,
    voteChoice: 'FOR',
    stakeAmount: 1,
    tokenCategory: 'ab'.repeat(32),
  };
  await treasury.refusal(t, null, 'governance.lock', lock, 'private_vault');
  t.like(await treasury.ask(null, 'governance.list', { vaultId }), { total: 0 });
  t.like(await treasury.ask(bob, 'governance.list', { vaultId }), { total: 1 });
  t.like(await treasury.ask(bob, 'governance.show', { proposalId }), { id: proposalId });
});

test('list › given a status › it is that of now', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  const first = await propose(treasury, { votingDurationDays: 1 }, vaultId);
  const second = await propose(treasury, {}, vaultId);
  const listed = async (status?: string) => {
    const { proposals } = await treasury.ask(null, 'governance.list', { vaultId, ...(status && { status }) });
    return (proposals as { id: string }[]).map(({ id }) => id);
  };
  t.deepEqual(await listed(), [second, first]);
  t.deepEqual(await listed('ACTIVE'), [second, first]);
  await chainOf(treasury).advance(DAY);
  t.deepEqual(await listed('ACTIVE'), [second]);
  t.deepEqual(await listed('EXPIRED'), [first]);
});
