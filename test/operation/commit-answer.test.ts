/** Every operation that creates something commits what it makes and its answer together. */
import test from 'ava';
import { alice, bob } from '../../fixtures/people.js';
import { collections } from '../../src/collections.js';
import { execute } from '../../src/operation/execute.js';
import { milestones } from '../products/budgets/plan.js';
import { terms as proposalTerms } from '../products/governance/proposal.js';
import { terms as paymentTerms } from '../products/payments/payment.js';
import { terms as campaignTerms } from '../products/rewards/campaign.js';
import { createVault, vaultTerms } from '../products/vaults/vault.js';
import { openTreasury } from '../treasury.js';

test('every operation that creates › its answer is kept in the commit that makes what it tells of', async (t) => {
  const treasury = await openTreasury(t);
  const { context, operations } = treasury.app;
  const vault = await createVault(treasury);
  await vault.deposit('0.1');
  const proposal = await treasury.ask(alice, 'governance.propose', { vaultId: vault.id, ...proposalTerms });
  const recipient = bob.address('local').text;
  const schedule = { recipient, totalAmount: '0.01', scheduleTemplate: 'linear-cliff' };
  const inputs: Readonly<Record<string, Record<string, unknown>>> = {
    'vaults.create': vaultTerms(),
    'vaults.spend-create': { id: vault.id, outputs: [{ to: recipient, amount: '0.001' }] },
    'rewards.create': campaignTerms,
    'streams.create': schedule,
    'streams.batch-create': {
      vaultId: vault.id,
      senderAddress: alice.address('local').text,
      entries: [schedule, schedule],
    },
    'payments.create': { recipient, ...paymentTerms },
    'budgets.create': { vaultId: vault.id, recipient, milestones },
    'governance.propose': { vaultId: vault.id, ...proposalTerms },
    'governance.vote': { proposalId: proposal['id'], vote: 'FOR' },
  };
  const creating = operations.filter(({ http }) => http?.creates === true);
  t.deepEqual(creating.map(({ id }) => id).sort(), Object.keys(inputs).sort());

  const credentials = { kind: 'operator', address: alice.address('local') } as const;
  const content = async () =>
    await Promise.all(
      collections.map(
        async (one) => (await context.store.find(one, { limit: 1_000 })).items as readonly unknown[],
      ),
    );
  for (const operation of creating) {
    const input = inputs[operation.id] ?? {};
    const before = await content();
    // A commit that is cut off when the answer is to be kept has made nothing at all.
    const cut = {
      ...context,
      keepAnswer: () => {
        throw new Error('the power is cut');
      },
    };
    await t.throwsAsync(
      execute(operation, input, cut, credentials),
      { message: 'the power is cut' },
      operation.id,
    );
    t.deepEqual(await content(), before, operation.id);

    let kept: unknown = null;
    const keepAnswer = (_: unknown, reply: unknown) => {
      kept = reply;
      return Promise.resolve();
    };
    const reply = await execute(operation, input, { ...context, keepAnswer }, credentials);
    t.deepEqual(kept, reply, operation.id);
    t.notDeepEqual(await content(), before, operation.id);
  }
});
