import test from 'ava';
import { alice, bob, carol, dave, mallory, type Person } from '../../../../fixtures/people.js';
import { sightOf } from '../../../../src/products/vaults/index.js';
import { openTreasury } from '../../../treasury.js';
import { createVault, vaultTerms, type Json } from '../vault.js';

const idsOf = (vaults: unknown) => (vaults as Json[]).map(({ id }) => id);

test('list › given vaults of every kind › the lists are disjoint by role, and all is their union', async (t) => {
  const treasury = await openTreasury(t);
  const create = async (who: Person, isPublic: boolean) =>
    String((await treasury.ask(who, 'vaults.create', vaultTerms({ isPublic })))['id']);
  const own = await create(alice, true);
  const ownPrivate = await create(alice, false);
  const open = await create(dave, true);
  const closed = await create(dave, false);

  const hers = await treasury.ask(alice, 'vaults.list');
  t.deepEqual(idsOf(hers['created']), [ownPrivate, own]);
  t.deepEqual(idsOf(hers['signerIn']), [closed, open]);
  t.deepEqual(idsOf(hers['public']), []);
  t.deepEqual(idsOf(hers['all']).sort(), [own, ownPrivate, open, closed].sort());

  const stranger = await treasury.ask(mallory, 'vaults.list');
  t.deepEqual([stranger['created'], stranger['signerIn']], [[], []]);
  t.deepEqual(idsOf(stranger['public']), [open, own]);
  t.deepEqual(idsOf(stranger['all']).sort(), [own, open].sort());

  await treasury.ask(dave, 'vaults.add-signer', {
    id: closed,
    signerAddress: treasury.addressOf(mallory).text,
  });
  const viewer = await treasury.ask(mallory, 'vaults.list');
  t.deepEqual(idsOf(viewer['public']), [open, own]);
  t.deepEqual(idsOf(viewer['all']).sort(), [own, open, closed].sort());
  t.deepEqual(
    (viewer['all'] as Json[]).map(({ role }) => role),
    ['viewer', 'viewer', 'viewer'],
  );
});

test('show, state › given a private vault › members read it in their role, and others get private_vault', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createVault(treasury, { isPublic: false, signers: vaultTerms()['signers'] });
  const { vaultId } = await treasury.ask(alice, 'vaults.show', { id });
  t.like(await treasury.ask(bob, 'vaults.show', { id: vaultId }), { id, role: 'signer' });
  t.like(await treasury.ask(alice, 'vaults.show', { id: String(vaultId).toUpperCase() }), {
    role: 'creator',
  });
  t.like(await treasury.ask(carol, 'vaults.state', { id }), { state: 'pending', vaultId });

  const txid = 'ab'.repeat(32);
  const spendId = 'SPEND-0001';
  for (const [operation, input] of [
    ['show', {}],
    ['state', {}],
    ['deposit', {}],
    ['update-balance', { txid }],
    ['spend-list', {}],
    ['spend-show', { spendId }],
    ['spend-create', { outputs: [{ to: treasury.addressOf(mallory).text, amount: 1 }] }],
    ['spend-transaction', { spendId }],
    ['spend-submit', { spendId, signedTransaction: '00' }],
    ['spend-broadcast', { spendId }],
    ['spend-cancel', { spendId }],
  ] as const) {
    await treasury.refusal(t, mallory, `vaults.${operation}`, { id, ...input }, 'private_vault');
  }
});

test('show › given a public vault › others read it as viewers', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createVault(treasury);
  t.like(await treasury.ask(mallory, 'vaults.show', { id }), { id, role: 'viewer', viewers: [] });
});

test('show › given an unknown id › it is vault_not_found', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.refusal(t, alice, 'vaults.show', { id: 'nothing' }, 'vault_not_found');
  await treasury.refusal(t, alice, 'vaults.state', { id: 'cd'.repeat(32) }, 'vault_not_found');
});

test('add-viewer › given the creator › the address may read, and can do nothing else', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createVault(treasury, { isPublic: false });
  const signerAddress = treasury.addressOf(mallory).text;
  const add = (address: string) => treasury.ask(alice, 'vaults.add-signer', { id, signerAddress: address });
  const added = await add(signerAddress);
  t.like(added, { signerAddress, signerRole: 'viewer', viewers: [signerAddress] });
  t.deepEqual(await add(treasury.addressOf(mallory).tokenText), {
    ...added,
    message: `${signerAddress} is a viewer of Common funds`,
  });
  t.like(await add(treasury.addressOf(bob).text), { signerRole: 'signer', viewers: [signerAddress] });
  t.like(await treasury.ask(mallory, 'vaults.show', { id }), { role: 'viewer' });
  const outputs = [{ to: signerAddress, amount: 1 }];
  await treasury.refusal(t, mallory, 'vaults.spend-create', { id, outputs }, 'not_vault_signer');
});

test('add-viewer › given somebody else › it is not_creator', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createVault(treasury, { isPublic: false });
  for (const who of [bob, mallory]) {
    const signerAddress = treasury.addressOf(mallory).text;
    await treasury.refusal(t, who, 'vaults.add-signer', { id, signerAddress }, 'not_creator');
  }
});

test('sightOf › given a record of a private vault › members and parties see it, others do not', async (t) => {
  const treasury = await openTreasury(t);
  const { store } = treasury.app.context;
  const { id: vaultId } = await createVault(treasury, { isPublic: false });
  const { id: open } = await createVault(treasury);
  const parties = [treasury.addressOf(dave).text];
  const sees = async (who: Person | null, scope: string | null) =>
    (await sightOf(store, who === null ? null : treasury.addressOf(who)))({ vaultId: scope, parties });
  t.deepEqual(await Promise.all([alice, carol, dave, mallory, null].map((who) => sees(who, vaultId))), [
    true,
    true,
    true,
    false,
    false,
  ]);
  t.true(await sees(mallory, open));
  t.true(await sees(null, null));
});

test('sightOf › given private vaults of others › none of them is read', async (t) => {
  const treasury = await openTreasury(t);
  const { store } = treasury.app.context;
  const { id: theirs } = await createVault(treasury, { isPublic: false });
  const { id: open } = await createVault(treasury);
  const read: string[] = [];
  const watched: typeof store = {
    ...store,
    find: async (collection, query) => {
      const { filter: _, ...walked } = query ?? {};
      read.push(...(await store.find(collection, walked)).items.map(({ id }) => id));
      return store.find(collection, query);
    },
  };
  const isSeen = await sightOf(watched, treasury.addressOf(mallory));
  t.deepEqual(
    [isSeen({ vaultId: open, parties: [] }), isSeen({ vaultId: theirs, parties: [] })],
    [true, false],
  );
  t.true(read.includes(open));
  t.false(read.includes(theirs));
});
