/** What strangers get to hear of a private vault's records through a real socket, and in whose name records stand. */
import { binToHex } from '@bitauth/libauth';
import type { ExecutionContext } from 'ava';
import type { Person } from '../../fixtures/people.js';
import { openTreasury } from '../treasury.js';
import { serve, type Json } from './client.js';
import { onEmbeddedChain } from './on-every-chain.js';

const WHY = 'what is asked is who may read, whatever the chain';

/** A private vault of three, with a record of each product in it: nobody has funded any. */
const openPrivate = async (t: ExecutionContext) => {
  const treasury = await openTreasury(t);
  const { alice, bob, carol, dave } = treasury.people;
  const textOf = (who: Person): string => treasury.addressOf(who).text;
  for (const who of [alice, alice, bob]) await treasury.give(who, 50_000_000n);
  const tokenCategory = await treasury.mint(bob, '1000', 2);
  const signers = [alice, bob, carol];
  const vault = await treasury.ask(alice, 'vaults.create', {
    name: 'Quiet',
    signers: signers.map(textOf),
    signerPubkeys: signers.map(({ publicKey }) => binToHex(publicKey)),
    totalDeposit: 0.001,
    isPublic: false,
  });
  const vaultId = String(vault['id']);
  const [sender, recipient] = [textOf(alice), textOf(dave)];
  await treasury.ask(alice, 'streams.create', {
    sender,
    recipient,
    totalAmount: 0.1,
    streamType: 'LINEAR',
    vaultId,
  });
  await treasury.ask(alice, 'payments.create', {
    sender,
    recipient,
    tokenType: 'BCH',
    amountPerPeriod: 0.001,
    interval: 'MONTHLY',
    vaultId,
  });
  await treasury.ask(alice, 'rewards.create', {
    title: 'Thanks',
    totalPool: 0.1,
    maxRewardAmount: 0.01,
    vaultId,
  });
  const milestones = [{ amount: 0.1, durationSeconds: 60, description: 'One' }];
  await treasury.ask(alice, 'budgets.create', { vaultId, recipient, tokenType: 'BCH', milestones });
  const terms = { title: 'Secret', description: 'Plans', quorum: 1, votingDurationDays: 1, vaultId };
  const proposal = await treasury.ask(alice, 'governance.propose', terms);
  return { treasury, textOf, vaultId, tokenCategory, proposalId: String(proposal['id']) };
};

onEmbeddedChain(
  'a private vault › its records by guessed labels › nobody and strangers are told nothing',
  WHY,
  async (t) => {
    const { treasury, textOf, proposalId, tokenCategory } = await openPrivate(t);
    const { alice, bob, dave, mallory } = treasury.people;
    const { call } = await serve(t, treasury, { naming: 'given' });
    const lock = { voteChoice: 'FOR', stakeAmount: 1, tokenCategory };
    const asked: readonly (readonly [method: string, path: string, body?: Json])[] = [
      ['GET', '/api/streams/STREAM-0001/claim-info'],
      ['GET', '/api/streams/STREAM-0001/funding-info'],
      ['POST', '/api/streams/STREAM-0001/refill', { refillAmount: 0.1 }],
      ['POST', '/api/streams/STREAM-0001/transfer', { newRecipientAddress: textOf(mallory) }],
      ['GET', '/api/payments/PAY-0001/funding-info'],
      ['GET', '/api/rewards/REWARD-0001/funding-info'],
      ['POST', '/api/budget-plans/BUDGET-0001/release', { recipientAddress: textOf(mallory) }],
      ['POST', `/api/governance/${proposalId}/lock`, { ...lock, voterAddress: textOf(mallory) }],
      ['POST', `/api/governance/${proposalId}/unlock`, { voterAddress: textOf(mallory), tokenCategory }],
    ];
    for (const [method, path, body] of asked) {
      for (const naming of [{}, { address: textOf(mallory) }]) {
        const { status, body: reply } = await call(method, path, body, naming);
        t.like({ status, code: reply['code'] }, { status: 403, code: 'private_vault' }, `${method} ${path}`);
        const said = JSON.stringify(reply);
        for (const secret of [textOf(alice), textOf(dave), 'Secret', 'Thanks'])
          t.false(said.includes(secret), said);
      }
    }
    // Its members and the parties of a record are told.
    for (const who of [alice, bob, dave]) {
      const { status } = await call('GET', '/api/streams/STREAM-0001/funding-info', undefined, {
        address: textOf(who),
      });
      t.is(status, 200, who.name);
    }
    const others = await serve(t, treasury, { trustAddressHeader: false, naming: 'given' });
    const named = await others.call('POST', `/api/governance/${proposalId}/lock`, {
      ...lock,
      voterAddress: textOf(bob),
    });
    t.like(named, { status: 403, body: { code: 'private_vault' } });
    const proven = { token: await others.logIn(bob) };
    const built = await others.call(
      'POST',
      `/api/governance/${proposalId}/lock`,
      { ...lock, voterAddress: textOf(bob) },
      proven,
    );
    t.is(built.status, 200, JSON.stringify(built.body));
  },
);

onEmbeddedChain('a batch › in the name of somebody who does not ask › nothing is stored', WHY, async (t) => {
  const { treasury, textOf, vaultId } = await openPrivate(t);
  const { alice, bob, mallory } = treasury.people;
  await treasury.give(mallory, 50_000_000n);
  const { call } = await serve(t, treasury, { naming: 'given' });
  const path = `/api/treasuries/${vaultId}/batch-create`;
  const entries = [{ recipient: textOf(bob), totalAmount: 0.01, streamType: 'LINEAR' }];
  const body = { senderAddress: textOf(alice), entries };
  const stored = async () => (await treasury.ask(alice, 'streams.list'))['total'];
  const before = await stored();

  // From the query, by a page, as somebody else, as a stranger.
  const query = new URLSearchParams({ senderAddress: textOf(alice), entries: JSON.stringify(entries) });
  t.is((await call('POST', `${path}?${query.toString()}`)).status, 400);
  t.like(await call('POST', path, body, { address: textOf(bob) }), {
    status: 403,
    body: { code: 'caller_mismatch' },
  });
  t.like(await call('POST', path, { ...body, senderAddress: textOf(mallory) }), {
    status: 403,
    body: { code: 'private_vault' },
  });
  // Where the header proves nothing, a sender in the body proves nothing either.
  const others = await serve(t, treasury, { trustAddressHeader: false, naming: 'given' });
  t.is((await others.call('POST', path, body)).status, 401);
  t.is((await others.call('POST', path, body, { address: textOf(alice) })).status, 401);
  t.is(await stored(), before);

  // The sender that a loopback wallet names, and the one that a token proves.
  t.is((await call('POST', path, body)).status, 200);
  t.is((await others.call('POST', path, body, { token: await others.logIn(alice) })).status, 200);
  t.is(await stored(), Number(before) + 2);
});
