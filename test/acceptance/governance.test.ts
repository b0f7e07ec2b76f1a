/** The specification's vote, through a real socket, with wallets that know only wc2-bch-bcr. */
import { binToHex } from '@bitauth/libauth';
import type { Person } from '../../fixtures/people.js';
import { openTreasury } from '../treasury.js';
import { serve, type Json } from './client.js';
import { onEveryChain } from './on-every-chain.js';

const DAY = 86_400;

const title =
  'three voters, two locks and one off-chain: the end passes, the recount agrees, the tokens return';

onEveryChain(title, ['advance'], async (t, world) => {
  const treasury = await openTreasury(t, world);
  const { alice, bob, carol, dave } = treasury.people;
  const textOf = (who: Person) => treasury.addressOf(who).text;
  const { call, send } = await serve(t, treasury);
  const by = (who: Person) => ({ address: textOf(who) });

  // A vault, and a token of which two voters have some
  for (const who of [alice, alice, alice, bob, bob, carol, carol]) await treasury.give(who, 100_000n);
  const tokenCategory = await treasury.mint(alice, '1000', 2);
  const outputs = [bob, carol].map((who) => ({ to: textOf(who), amount: '100', tokenCategory }));
  const shared = await treasury.ask(alice, 'wallet.send', { outputs });
  await treasury.send(alice, shared['wcTransaction']);
  const signers = [alice, bob, carol];
  const vault = await treasury.ask(alice, 'vaults.create', {
    name: 'Commons',
    signers: signers.map(textOf),
    signerPubkeys: signers.map(({ publicKey }) => binToHex(publicKey)),
    totalDeposit: 0.001,
    isPublic: true,
  });

  // Propose
  const governance = `/api/vaults/${String(vault['id'])}/governance`;
  const terms = { title: 'Hire Dave', description: 'For a year', quorum: 60, votingDurationDays: 7 };
  t.is((await call('POST', governance, terms)).status, 401);
  const proposed = await call('POST', governance, terms, by(alice));
  t.is(proposed.status, 201, JSON.stringify(proposed.body));
  t.like(proposed.body, { success: true, title: 'Hire Dave', status: 'ACTIVE', votesFor: 0, quorum: 60 });
  t.regex(String(proposed.body['vaultId']), /^[0-9a-f]{64}$/);
  const path = `/api/governance/${String(proposed.body['id'])}`;

  // Two locks
  for (const [who, voteChoice, stakeAmount] of [
    [bob, 'FOR', 50.5],
    [carol, 'AGAINST', 20],
  ] as const) {
    const voterAddress = textOf(who);
    const built = await call('POST', `${path}/lock`, {
      voterAddress,
      voteChoice,
      stakeAmount,
      tokenCategory,
    });
    t.is(built.status, 200, JSON.stringify(built.body));
    const { contractAddress, voteId, constructorParams, initialCommitment } = built.body[
      'deployment'
    ] as Json;
    const sent = await send(who, built.body['wcTransaction']);
    t.is(sent.status, 200, JSON.stringify(sent.body));
    const claim = {
      voterAddress,
      voteChoice,
      weight: stakeAmount,
      txHash: sent.body['txHash'],
      contractAddress,
      voteId,
      constructorParams,
      nftCommitment: initialCommitment,
    };
    const lie = await call('POST', `${path}/confirm-lock`, { ...claim, weight: stakeAmount + 1 });
    t.is(lie.status, 422);
    t.like(lie.body, { success: false, code: 'tx_mismatch', state: 'failed' });
    for (let time = 0; time < 2; time += 1) {
      const confirmed = await call('POST', `${path}/confirm-lock`, claim);
      t.is(confirmed.status, 200, JSON.stringify(confirmed.body));
      t.like(confirmed.body, { success: true, state: 'confirmed', status: 'ACTIVE' });
    }
    // A token cannot vote twice: it is locked, and its voter has voted.
    const again = await call('POST', `${path}/lock`, { ...claim, stakeAmount: 1, tokenCategory });
    t.is(again.status, 409);
    t.like(again.body, { code: 'already_voted' });
    const early = await call('POST', `${path}/unlock`, { voterAddress, tokenCategory });
    t.is(early.status, 422);
    t.like(early.body, { code: 'voting_open' });
  }

  // One off-chain vote
  const vote = await call('POST', `${path}/vote`, { vote: 'ABSTAIN', weight: 2 }, by(dave));
  t.is(vote.status, 200, JSON.stringify(vote.body));
  t.like(vote.body, { success: true, votesAbstain: 2 });
  t.is((await call('POST', `${path}/vote`, { vote: 'FOR' }, by(dave))).status, 409);
  t.is((await call('POST', `${path}/vote`, { vote: 'FOR' }, by(bob))).status, 409);

  // The end
  const active = await call('GET', `${governance}?status=ACTIVE`);
  t.like(active.body, { success: true, total: 1, proposals: [{ votesFor: 50.5, votesAgainst: 20 }] });
  // A vote counts by the time of its block: it is mined before time moves on.
  await treasury.chain.mine(1);
  await treasury.chain.advance(7 * DAY);
  t.is((await call('POST', `${path}/vote`, { vote: 'FOR' }, by(alice))).status, 422);
  const ended = await call('GET', path);
  t.is(ended.status, 200);
  t.like(ended.body, {
    success: true,
    status: 'PASSED',
    votesFor: 50.5,
    votesAgainst: 20,
    votesAbstain: 2,
    recount: {
      agrees: true,
      votesFor: 50.5,
      votesAgainst: 20,
      votesAbstain: 0,
      stakes: { locked: 2, returned: 0 },
    },
  });
  t.deepEqual(
    (ended.body['votes'] as Json[]).map((row) => [row['voter'], row['vote'], row['weight'], row['method']]),
    [
      [textOf(bob), 'FOR', 50.5, 'locked'],
      [textOf(carol), 'AGAINST', 20, 'locked'],
      [textOf(dave), 'ABSTAIN', 2, 'off-chain'],
    ],
  );

  // The tokens return
  for (const who of [bob, carol]) {
    const voterAddress = textOf(who);
    const built = await call('POST', `${path}/unlock`, { voterAddress, tokenCategory });
    t.is(built.status, 200, JSON.stringify(built.body));
    const sent = await send(who, (built.body['unlockTransaction'] as Json)['wcTransaction']);
    t.is(sent.status, 200, JSON.stringify(sent.body));
    const claim = { voterAddress, txHash: sent.body['txHash'] };
    t.like((await call('POST', `${path}/confirm-unlock`, claim)).body, { success: true, status: 'UNLOCKED' });
    t.is(await treasury.tokensOf(who, tokenCategory), 10_000n);
    t.is((await call('POST', `${path}/unlock`, { voterAddress, tokenCategory })).status, 409);
  }
  t.like((await call('GET', path)).body, {
    status: 'PASSED',
    votesFor: 50.5,
    recount: { agrees: true, votesFor: 50.5, votesAgainst: 20, stakes: { locked: 0, returned: 2 } },
  });
});
