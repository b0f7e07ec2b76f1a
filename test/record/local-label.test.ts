import test, { type ExecutionContext } from 'ava';
import { alice } from '../../fixtures/people.js';
import { openApp } from '../../src/app.js';
import { execute } from '../../src/operation/execute.js';
import { proposalCollection } from '../../src/products/governance/proposal.js';
import { vaultCollection } from '../../src/products/vaults/vault.js';
import { runOn } from '../cli/real-environment.js';
import { propose } from '../products/governance/proposal.js';
import { createVault } from '../products/streams/vault.js';
import { openTreasury, TEST_TIME, type Treasury } from '../treasury.js';

/** What a home of an earlier version has: no labels, and no counters of them. */
const unlabel = ({ app: { context } }: Treasury): Promise<void> =>
  context.store.transaction(async (writer) => {
    for (const collection of [vaultCollection, proposalCollection] as const) {
      const { items } = await writer.find(collection as typeof vaultCollection);
      for (const record of items)
        writer.put(collection as typeof vaultCollection, { ...record, label: null });
    }
  });

const labelsOf = async (treasury: Treasury): Promise<Record<string, unknown>> => {
  const { all } = (await treasury.ask(alice, 'vaults.list')) as { all: { id: string; label: unknown }[] };
  return Object.fromEntries(all.map(({ id, label }) => [id, label]));
};

const run = async (t: ExecutionContext, treasury: Treasury, words: readonly string[]): Promise<string> => {
  const { exit, stdout, stderr } = await runOn(treasury, [...words, '--wallet', 'alice']);
  t.is(exit, 0, stderr);
  return stdout;
};

test('a vault › when it is made › has the next label, which is shown, and names it in any spelling', async (t) => {
  const treasury = await openTreasury(t);
  const [first, second] = [await createVault(treasury), await createVault(treasury)];
  t.deepEqual(await labelsOf(treasury), { [first]: '#VAULT-0001', [second]: '#VAULT-0002' });
  t.regex(await run(t, treasury, ['vaults', 'list']), /#VAULT-0002 +Contributors/);
  for (const name of ['VAULT-0002', '#VAULT-0002', 'vault-0002'])
    t.is((await treasury.ask(alice, 'vaults.show', { id: name }))['id'], second, name);
  await treasury.refusal(t, alice, 'vaults.show', { id: 'VAULT-0003' }, 'vault_not_found');
});

test('a vault › by its label › is the one of what belongs to it, and is synchronised', async (t) => {
  const treasury = await openTreasury(t);
  const id = await createVault(treasury);
  const proposal = await treasury.ask(alice, 'governance.propose', {
    ...{ vaultId: 'vault-0001', title: 'Hire Dave', quorum: 1, votingDurationDays: 7 },
  });
  const { vaultId } = await treasury.ask(alice, 'vaults.show', { id });
  t.is(proposal['vaultId'], vaultId);
  t.like(await treasury.ask(alice, 'sync', { record: 'VAULT-0001' }), { summary: { total: 1 } });
  t.like(await treasury.ask(alice, 'sync', { record: 'Contributors' }), { summary: { total: 1 } });
});

test('a proposal › when it is made › has the next label, which is shown, and names it in any spelling', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  const [first, second] = [await propose(treasury, {}, vaultId), await propose(treasury, {}, vaultId)];
  const listed = await run(t, treasury, ['governance', 'list', 'VAULT-0001']);
  t.regex(listed, /#VOTE-0001 .*\n|#VOTE-0002 /);
  for (const [name, id] of [
    ['VOTE-0001', first],
    ['#vote-0002', second],
  ] as const)
    t.like(await treasury.ask(alice, 'governance.show', { proposalId: name }), { id });
  await run(t, treasury, ['governance', 'vote', 'vote-0002', '--vote', 'for']);
  t.like(await treasury.ask(alice, 'governance.show', { proposalId: second }), { votesFor: 1 });
});

test('records of an earlier version › when they are first read › get labels by their age, and keep them', async (t) => {
  const treasury = await openTreasury(t);
  const first = await createVault(treasury);
  treasury.pass(60);
  const second = await createVault(treasury);
  const proposal = await propose(treasury, {}, first);
  await unlabel(treasury);
  const given = await labelsOf(treasury);
  t.deepEqual(given, { [first]: '#VAULT-0003', [second]: '#VAULT-0004' }, 'no label is given twice');
  t.deepEqual(await labelsOf(treasury), given);
  t.like(await treasury.ask(alice, 'vaults.show', { id: 'VAULT-0003' }), { id: first });
  t.like(await treasury.ask(alice, 'governance.show', { proposalId: proposal }), { label: '#VOTE-0002' });
});

test('records of an earlier version › when a new one is made first › have the lower labels', async (t) => {
  const treasury = await openTreasury(t);
  const old = await createVault(treasury);
  await unlabel(treasury);
  const young = await createVault(treasury);
  t.deepEqual(await labelsOf(treasury), { [old]: '#VAULT-0002', [young]: '#VAULT-0003' });
});

test('records of another home › when they are imported › get labels of this one', async (t) => {
  const [home, other] = [await openTreasury(t), await openTreasury(t)];
  const [theirs, own] = [await createVault(other), await createVault(home)];
  const proposal = await propose(other, {}, theirs);
  const file: unknown = JSON.parse(JSON.stringify(await other.ask(null, 'deployments.export')));
  await home.ask(null, 'deployments.import', { file });
  t.deepEqual(await labelsOf(home), { [own]: '#VAULT-0001', [theirs]: '#VAULT-0002' });
  t.like(await home.ask(alice, 'governance.show', { proposalId: proposal }), { label: '#VOTE-0001' });
  // Once more, now that it has them with labels of its own.
  await home.ask(null, 'deployments.import', { file });
  t.deepEqual(await labelsOf(home), { [own]: '#VAULT-0001', [theirs]: '#VAULT-0002' });
});

test('records of an earlier version › when two programs read them at once › have one label each, the same in both', async (t) => {
  const treasury = await openTreasury(t);
  for (let count = 0; count < 5; count += 1) await createVault(treasury);
  await unlabel(treasury);
  const other = await openApp({ home: treasury.home, network: 'local', wall: () => TEST_TIME });
  t.teardown(() => other.close());
  const list = other.operations.find(({ id }) => id === 'vaults.list');
  if (list === undefined) return t.fail();
  const credentials = { kind: 'operator', address: treasury.addressOf(alice) } as const;
  const [mine, theirs] = await Promise.all([
    labelsOf(treasury),
    execute(list, {}, other.context, credentials),
  ]);
  const { all } = theirs as unknown as { all: { id: string; label: string }[] };
  t.deepEqual(Object.fromEntries(all.map(({ id, label }) => [id, label])), mine);
  t.is(new Set(Object.values(mine)).size, 5);
  t.deepEqual(await labelsOf(treasury), mine);
});
