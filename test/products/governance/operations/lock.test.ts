import test from 'ava';
import { alice, bob, carol, dave } from '../../../../fixtures/people.js';
import { proposalCollection, voteLockCollection } from '../../../../src/products/governance/index.js';
import type { LocalChain } from '../../../../src/adapters/local-chain/local-chain.js';
import { fundingPinCollection } from '../../../../src/offer/funding-pins.js';
import { openTreasury } from '../../../treasury.js';
import { buildLock, castLock, chainOf, DAY, fill, propose, share, shown } from '../proposal.js';

test('lock › given a vote › it says where the stake lies, and the record follows', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [[bob, '50']]);
  const proposalId = await propose(treasury);
  const vote = { proposalId, voteChoice: 'FOR', stakeAmount: '30.25', tokenCategory } as const;
  const built = await buildLock(treasury, bob, vote);
  const deployment = built['deployment'] as Record<string, unknown>;
  t.regex(String(deployment['contractAddress']), /^bchtest:p/);
  t.is((deployment['constructorParams'] as unknown[])[0], deployment['voteId']);
  t.regex(String(deployment['initialCommitment']), /^0101d10b000000000000[0-9a-f]{40}$/);
  t.like(await shown(treasury, proposalId), { votes: [], votesFor: 0 });

  const txHash = await treasury.send(bob, built['wcTransaction']);
  const voter = treasury.addressOf(bob).text;
  const claim = { ...deployment, proposalId, voterAddress: voter, voteChoice: 'FOR', weight: 30.25, txHash };
  const confirmed = await treasury.ask(null, 'governance.confirm-lock', {
    ...claim,
    nftCommitment: deployment['initialCommitment'],
  });
  t.like(confirmed, { state: 'confirmed', status: 'ACTIVE', txHash, votesFor: 30.25 });
  t.like(confirmed['vote'], {
    proposalId,
    voter,
    vote: 'FOR',
    weight: 30.25,
    weightOnChain: '3025',
    method: 'locked',
    tokenCategory,
    contractAddress: deployment['contractAddress'],
    voteId: deployment['voteId'],
    nftCommitment: deployment['initialCommitment'],
    lockTxHash: txHash,
    unlockTxHash: null,
  });
  t.is(await treasury.tokensOf(bob, tokenCategory), 1_975n);
});

test('lock › given a confirmation again, or none › the vote counts once', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [
    [bob, '50'],
    [carol, '7'],
  ]);
  const proposalId = await propose(treasury);
  const txHash = await castLock(treasury, bob, {
    proposalId,
    voteChoice: 'FOR',
    stakeAmount: 30,
    tokenCategory,
  });
  const unconfirmed = await buildLock(treasury, carol, {
    proposalId,
    voteChoice: 'AGAINST',
    stakeAmount: 7,
    tokenCategory,
  });
  await treasury.send(carol, unconfirmed['wcTransaction']);
  const claim = { proposalId, voterAddress: treasury.addressOf(bob).text, txHash };
  const first = await treasury.ask(null, 'governance.confirm-lock', claim);
  t.deepEqual(await treasury.ask(null, 'governance.confirm-lock', claim), first);
  const proposal = await shown(treasury, proposalId);
  t.like(proposal, {
    votesFor: 30,
    votesAgainst: 7,
    recount: { agrees: true, votesFor: 30, votesAgainst: 7 },
  });
  t.is((proposal['votes'] as unknown[]).length, 2);
  const events = proposal['events'] as { event_type: string }[];
  t.deepEqual(
    events.map(({ event_type }) => event_type),
    ['locked', 'locked', 'created'],
  );
});

test('lock › given a second vote with other tokens › it is already_voted, even when it is sent', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [[bob, '50']]);
  const proposalId = await propose(treasury);
  const vote = { proposalId, voteChoice: 'FOR', stakeAmount: 30, tokenCategory } as const;
  const other = { ...vote, voteChoice: 'AGAINST', stakeAmount: 10 } as const;
  const first = await buildLock(treasury, bob, vote);
  await treasury.send(bob, first['wcTransaction']);
  const voterAddress = treasury.addressOf(bob).text;
  const input = { ...other, voterAddress };
  await treasury.refusal(t, null, 'governance.lock', input, 'already_voted');
  await treasury.refusal(t, bob, 'governance.vote', { proposalId, vote: 'FOR' }, 'already_voted');

  // The tokens that vote are out of reach until the end.
  await treasury.refusal(t, null, 'governance.unlock', { proposalId, voterAddress }, 'voting_open');
  t.like(await shown(treasury, proposalId), { votesFor: 30, votesAgainst: 0 });
});

test('lock › given two locks that were handed out before either was sent › the first one counts, and both come back', async (t) => {
  const treasury = await openTreasury(t);
  const category = await share(treasury, [
    [bob, '30'],
    [bob, '20'],
  ]);
  await fill(treasury, bob);
  const other = await treasury.mint(bob, '9', 0);
  const proposalId = await propose(treasury);
  const voterAddress = treasury.addressOf(bob).text;
  const vote = { proposalId, voteChoice: 'FOR', stakeAmount: 30, tokenCategory: category } as const;
  const first = await buildLock(treasury, bob, vote);
  // Another home of bob's knows no pin, and has a larger coin: its lock spends nothing that the first does.
  await treasury.app.context.store.transaction(async (writer) => {
    for (const { id } of (await writer.find(fundingPinCollection)).items)
      writer.remove(fundingPinCollection, id);
  });
  await treasury.give(bob, 900_000n);
  const second = await buildLock(treasury, bob, {
    ...vote,
    voteChoice: 'AGAINST',
    stakeAmount: 9,
    tokenCategory: other,
  });
  const firstTx = await treasury.send(bob, first['wcTransaction']);
  const secondTx = await treasury.send(bob, second['wcTransaction']);
  await treasury.refusal(
    t,
    null,
    'governance.confirm-lock',
    { proposalId, voterAddress, txHash: secondTx },
    'already_voted',
  );
  t.like(await shown(treasury, proposalId), {
    votesFor: 30,
    votesAgainst: 0,
    recount: { agrees: true, ignored: [{ txHash: secondTx, voter: voterAddress }] },
    votes: [{ lockTxHash: firstTx }],
  });

  await chainOf(treasury).advance(7 * DAY);
  for (const tokenCategory of [category, other]) {
    const built = await treasury.ask(null, 'governance.unlock', { proposalId, voterAddress, tokenCategory });
    const txHash = await treasury.send(bob, built['wcTransaction']);
    await treasury.ask(null, 'governance.confirm-unlock', { proposalId, voterAddress, txHash });
  }
  t.is(await treasury.tokensOf(bob, category), 5_000n);
  t.is(await treasury.tokensOf(bob, other), 9n);
});

test('lock › given what cannot be › each refusal has its own code, and nothing is stored', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [[bob, '50']]);
  const proposalId = await propose(treasury, { tokenCategory });
  const voterAddress = treasury.addressOf(bob).text;
  const vote = { proposalId, voterAddress, voteChoice: 'FOR', stakeAmount: 5 };
  for (const [bad, code] of [
    [{ proposalId: 'nothing' }, 'proposal_not_found'],
    [{ stakeAmount: 0 }, 'invalid_amount'],
    [{ stakeAmount: -5 }, 'invalid_amount'],
    [{ stakeAmount: '0.001' }, 'invalid_amount'],
    [{ stakeAmount: '50.01' }, 'insufficient_funds'],
    [{ tokenCategory: 'ab'.repeat(32) }, 'token_category_mismatch'],
    [{ voteChoice: 'MAYBE' }, 'invalid_input'],
    [{ voterAddress: treasury.addressOf(dave).text }, 'insufficient_funds'],
  ] as const) {
    await treasury.refusal(t, null, 'governance.lock', { ...vote, ...bad }, code);
  }
  const free = await propose(treasury);
  const unnamed = { ...vote, proposalId: free };
  const error = await treasury.refusal(t, null, 'governance.lock', unnamed, 'invalid_input');
  t.regex(error.message, /tokenCategory/);
  await chainOf(treasury).advance(7 * DAY);
  await treasury.refusal(t, null, 'governance.lock', vote, 'voting_ended');
  t.is((await treasury.app.context.store.find(voteLockCollection)).total, 0);
});

test('lock › given no coin at index 0 › a preparation comes first', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [[bob, '50']]);
  const proposalId = await propose(treasury);
  // Bob's plain coins become one at index 1.
  const all = await treasury.ask(bob, 'wallet.send', {
    outputs: [
      { to: treasury.addressOf(carol).text, amount: '0.00001' },
      { to: treasury.addressOf(bob).text, amount: '0.0025' },
    ],
  });
  await treasury.send(bob, all['wcTransaction']);
  const { chain } = treasury.app.context;
  const plain = (await chain.coins(treasury.addressOf(bob).lockingBytecode)).filter(
    ({ token }) => token === undefined,
  );
  t.true(plain.every(({ vout }) => vout !== 0));
  const vote = { proposalId, voteChoice: 'ABSTAIN', stakeAmount: 50, tokenCategory } as const;
  const reply = await buildLock(treasury, bob, vote);
  t.like(reply, { success: false, code: 'preparation_required', requiresPreparation: true });
  await treasury.send(bob, reply['preparationTransaction']);
  await castLock(treasury, bob, vote);
  t.like(await shown(treasury, proposalId), { votesAbstain: 50 });
});

test('confirm-lock › given a body that says otherwise › it is tx_mismatch, and nothing is stored', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [[bob, '50']]);
  const proposalId = await propose(treasury);
  const vote = { proposalId, voteChoice: 'FOR', stakeAmount: 30, tokenCategory } as const;
  const built = await buildLock(treasury, bob, vote);
  const txHash = await treasury.send(bob, built['wcTransaction']);
  const { store } = treasury.app.context;
  const before = (await store.find(voteLockCollection)).items;
  const voterAddress = treasury.addressOf(bob).text;
  const claim = { proposalId, voterAddress, txHash };
  for (const lie of [
    { weight: 31 },
    { weight: '29.99' },
    { voteChoice: 'AGAINST' },
    { contractAddress: treasury.addressOf(bob).text },
    { voteId: '00'.repeat(32) },
    { constructorParams: ['00'.repeat(32), '00'.repeat(20), '1'] },
    { constructorParams: [] },
    { nftCommitment: '00'.repeat(30) },
    { voterAddress: treasury.addressOf(carol).text },
    { txHash: await treasury.give(bob, 1_000n) },
  ]) {
    const error = await treasury.refusal(
      t,
      null,
      'governance.confirm-lock',
      { ...claim, ...lie },
      'tx_mismatch',
    );
    t.is(error.status, 422);
  }
  for (const weight of [0, -1])
    await treasury.refusal(t, null, 'governance.confirm-lock', { ...claim, weight }, 'invalid_amount');
  const unknown = { ...claim, txHash: '00'.repeat(32) };
  await treasury.refusal(t, null, 'governance.confirm-lock', unknown, 'tx_not_indexed');
  t.deepEqual((await store.find(voteLockCollection)).items, before);
});

test('confirm-lock › given a lock of another token than the fixed one › it is token_category_mismatch', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [[bob, '50']]);
  const proposalId = await propose(treasury);
  const vote = { proposalId, voteChoice: 'FOR', stakeAmount: 30, tokenCategory } as const;
  const txHash = await castLock(treasury, bob, vote);
  // The same proposal, had it fixed another token.
  const { store } = treasury.app.context;
  const proposal = await store.get(proposalCollection, proposalId);
  if (proposal === null) throw new Error('there is no proposal');
  await store.transaction((writer) => {
    writer.put(proposalCollection, { ...proposal, token_category: 'ab'.repeat(32), decimals: 2 });
  });
  const claim = { proposalId, voterAddress: treasury.addressOf(bob).text, txHash };
  await treasury.refusal(t, null, 'governance.confirm-lock', claim, 'token_category_mismatch');
  t.like(await shown(treasury, proposalId), { votesFor: 0, votes: [], recount: { agrees: true } });
});

test('confirm-lock › given a lock that was sent after the end › it is voting_ended, and the stake comes back', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [[bob, '50']]);
  const proposalId = await propose(treasury);
  const vote = { proposalId, voteChoice: 'FOR', stakeAmount: 30, tokenCategory } as const;
  const built = await buildLock(treasury, bob, vote);
  await chainOf(treasury).advance(7 * DAY);
  const txHash = await treasury.send(bob, built['wcTransaction']);
  const voterAddress = treasury.addressOf(bob).text;
  const claim = { proposalId, voterAddress, txHash };
  await treasury.refusal(t, null, 'governance.confirm-lock', claim, 'voting_ended');
  t.like(await shown(treasury, proposalId), {
    status: 'EXPIRED',
    votesFor: 0,
    recount: { agrees: true, ignored: [{ txHash }] },
  });
  const unlock = await treasury.ask(null, 'governance.unlock', { proposalId, voterAddress });
  const returned = await treasury.send(bob, unlock['wcTransaction']);
  await treasury.ask(null, 'governance.confirm-unlock', { proposalId, voterAddress, txHash: returned });
  t.is(await treasury.tokensOf(bob, tokenCategory), 5_000n);
});

test('a lock that leaves the chain › it is forgotten, and another may take its place', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [[bob, '50']]);
  const proposalId = await propose(treasury);
  const vote = { proposalId, voteChoice: 'FOR', stakeAmount: 30, tokenCategory } as const;
  const txHash = await castLock(treasury, bob, vote);
  t.like(await shown(treasury, proposalId), { votesFor: 30 });
  const chain = chainOf(treasury) as LocalChain;
  await chain.reorg(1, { drop: [txHash] });
  const proposal = await shown(treasury, proposalId);
  t.like(proposal, { votesFor: 0, votes: [], recount: { agrees: true } });
  t.deepEqual(
    (proposal['events'] as { event_type: string }[]).map(({ event_type }) => event_type),
    ['created'],
  );
  await castLock(treasury, bob, { ...vote, voteChoice: 'AGAINST', stakeAmount: 50 });
  t.like(await shown(treasury, proposalId), { votesFor: 0, votesAgainst: 50, recount: { agrees: true } });
});

test('a lock that leaves the chain › the votes of others, and what is told of them, stay', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [
    [bob, '50'],
    [carol, '7'],
  ]);
  const proposalId = await propose(treasury);
  const vote = { proposalId, voteChoice: 'FOR', tokenCategory } as const;
  const txHash = await castLock(treasury, bob, { ...vote, stakeAmount: 30 });
  const kept = await castLock(treasury, carol, { ...vote, stakeAmount: 7 });
  await treasury.ask(dave, 'governance.vote', { proposalId, vote: 'AGAINST' });
  const told = async () =>
    ((await shown(treasury, proposalId))['events'] as { event_type: string; tx_hash: string }[]).map(
      ({ event_type, tx_hash }) => [event_type, tx_hash],
    );
  const others = [
    ['voted', null],
    ['locked', kept],
  ];
  t.deepEqual(await told(), [...others, ['locked', txHash], ['created', null]]);
  await (chainOf(treasury) as LocalChain).reorg(2, { drop: [txHash] });
  t.deepEqual(await told(), [...others, ['created', null]]);
  t.like(await shown(treasury, proposalId), { votesFor: 7, votesAgainst: 1, recount: { agrees: true } });
});

test('a lock › given one handed out before an off-chain vote and sent after it › the lock takes its place', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [[bob, '50']]);
  const proposalId = await propose(treasury);
  const vote = { proposalId, voteChoice: 'FOR', stakeAmount: 30, tokenCategory } as const;
  const built = await buildLock(treasury, bob, vote);
  await treasury.ask(bob, 'governance.vote', { proposalId, vote: 'AGAINST', weight: 4 });
  const input = { ...vote, voterAddress: treasury.addressOf(bob).text };
  await treasury.refusal(t, null, 'governance.lock', input, 'already_voted');
  await treasury.send(bob, built['wcTransaction']);
  const proposal = await shown(treasury, proposalId);
  t.like(proposal, { votesFor: 30, votesAgainst: 0, recount: { agrees: true } });
  t.is((proposal['votes'] as unknown[]).length, 1);
  t.is(await treasury.tokensOf(alice, tokenCategory), 95_000n);
});
