import test from 'ava';
import { alice, authority, bob, carol, dave, mallory } from '../../../../fixtures/people.js';
import { planContract } from '../../../../src/products/budgets/contract.js';
import { planCollection } from '../../../../src/products/budgets/plan.js';
import { openTreasury, TEST_TIME, type Treasury } from '../../../treasury.js';
import { createPlan, DAY, milestones, putVault } from '../plan.js';

type Row = { amount: number; amountOnChain: string; durationSeconds: number; description: string };
type Made = { id: string; milestones: Row[]; contract_address: string };

const make = async (treasury: Treasury, vaultId: string, terms: Record<string, unknown>, who = alice) => {
  const recipient = treasury.addressOf(bob).text;
  const created = await treasury.ask(who, 'budgets.create', { vaultId, recipient, ...terms });
  return created as unknown as { plan: Made; deployment: Record<string, unknown> };
};

test('create › given milestones › it is PENDING and has them exactly as given', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await putVault(treasury);
  const { plan, deployment } = await make(treasury, vaultId, { milestones, recipientName: 'Bob' });
  t.like(plan, {
    budget_id: '#BUDGET-0001',
    status: 'PENDING',
    vault_id: vaultId,
    creator: treasury.addressOf(alice).text,
    recipient: treasury.addressOf(bob).text,
    recipientName: 'Bob',
    tokenType: 'BCH',
    cancelable: true,
    total_amount: 0.0075,
    total_amountOnChain: '750000',
    total_milestones: 3,
    current_milestone: 0,
    releases: [],
    next_unlock: null,
  });
  t.deepEqual(
    plan.milestones.map(({ amountOnChain, durationSeconds, description }) => [
      amountOnChain,
      durationSeconds,
      description,
    ]),
    [
      ['100000', 10 * DAY, 'Design'],
      ['250000', 20 * DAY, 'Code'],
      ['400000', 5 * DAY, 'Review'],
    ],
  );
  t.like(deployment, { fundingRequired: true, contractAddress: plan.contract_address });
  t.regex(String(deployment['budgetId']), /^[0-9a-f]{64}$/);
  const record = await treasury.app.context.store.get(planCollection, plan.id);
  t.is(record === null ? '' : planContract(record, 'local').address.text, plan.contract_address);
  t.is(record?.constructor_params[1], treasury.addressOf(alice).hash);

  const again = await make(treasury, vaultId, { milestones });
  t.not(again.plan.contract_address, plan.contract_address);
});

test('create › given the legacy interval body › equal parts, the last one the remainder', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await putVault(treasury);
  const legacy = { totalAmount: 1, amountPerInterval: 0.3, intervalSeconds: 3_600, startDate: TEST_TIME };
  const { plan } = await make(treasury, vaultId, legacy);
  t.deepEqual(
    plan.milestones.map(({ amount, durationSeconds }) => [amount, durationSeconds]),
    [
      [0.3, 3_600],
      [0.3, 3_600],
      [0.3, 3_600],
      [0.1, 3_600],
    ],
  );
  const single = await make(treasury, vaultId, { ...legacy, amountPerInterval: 5 });
  t.deepEqual(
    single.plan.milestones.map(({ amount }) => amount),
    [1],
  );
});

const row = { amount: 0.01, durationSeconds: 60 };
const interval = { totalAmount: 31, amountPerInterval: 1, intervalSeconds: 60 };
for (const [what, terms, code, paths] of [
  ['an amount of 0', { milestones: [row, { ...row, amount: 0 }] }, 'invalid_input', ['milestones.1.amount']],
  ['a negative amount', { milestones: [{ ...row, amount: -1 }] }, 'invalid_amount', ['milestones.0.amount']],
  [
    'too many decimals',
    { milestones: [row, row, { ...row, amount: '0.000000001' }] },
    'invalid_input',
    ['milestones.2.amount'],
  ],
  [
    'durations of 0, below 0 and in parts',
    { milestones: [0, -5, 1.5].map((durationSeconds) => ({ ...row, durationSeconds })) },
    'invalid_input',
    ['milestones.0.durationSeconds', 'milestones.1.durationSeconds', 'milestones.2.durationSeconds'],
  ],
  ['an empty list', { milestones: [] }, 'invalid_input', ['milestones']],
  ['31 milestones', { milestones: Array.from({ length: 31 }, () => row) }, 'invalid_input', ['milestones']],
  ['31 intervals', interval, 'invalid_input', ['amountPerInterval']],
  ['both bodies', { ...interval, milestones: [row] }, 'invalid_input', Object.keys(interval)],
  [
    'part of the legacy body',
    { totalAmount: 1, intervalSeconds: 60 },
    'invalid_input',
    ['amountPerInterval'],
  ],
  ['neither body', {}, 'invalid_input', ['milestones']],
  [
    'a last milestone after the year 2096',
    { milestones: [{ ...row, durationSeconds: 3_000_000_000 }] },
    'invalid_input',
    ['milestones.0'],
  ],
  [
    'more than there is',
    {
      milestones: [
        { ...row, amount: 20_000_000 },
        { ...row, amount: 2_000_000 },
      ],
    },
    'invalid_input',
    ['milestones'],
  ],
] as const) {
  test(`create › given ${what} › it is ${code}, and nothing is stored`, async (t) => {
    const treasury = await openTreasury(t);
    const input = { vaultId: await putVault(treasury), recipient: treasury.addressOf(bob).text, ...terms };
    const error = await treasury.refusal(t, alice, 'budgets.create', input, code);
    const issues = error.details['issues'] as { path: string }[];
    t.deepEqual(
      issues.map(({ path }) => path),
      [...paths],
    );
    t.is((await treasury.app.context.store.find(planCollection)).total, 0);
  });
}

test('create › given a milestone of BCH below dust › it is amount_below_dust by its row', async (t) => {
  const treasury = await openTreasury(t);
  const input = { vaultId: await putVault(treasury), recipient: treasury.addressOf(bob).text };
  const rows = [row, { ...row, amount: '0.00000545' }];
  const refuse = (terms: Record<string, unknown>) =>
    treasury.refusal(t, alice, 'budgets.create', { ...input, ...terms }, 'amount_below_dust');
  t.is((await refuse({ milestones: rows })).details['field'], 'milestones.1.amount');
  await refuse({ totalAmount: '0.00001', amountPerInterval: '0.00000546', intervalSeconds: 60 });
  await t.notThrowsAsync(
    make(treasury, input.vaultId, { milestones: [row, { ...row, amount: '0.00000546' }] }),
  );
});

test("create › given a token › the registry's decimals are pinned", async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 1_000_000n);
  const tokenCategory = await treasury.mint(alice, '1000', 2);
  const vaultId = await putVault(treasury);
  const token = { tokenType: 'FUNGIBLE_TOKEN', tokenCategory };
  const { plan } = await make(treasury, vaultId, { ...token, milestones: [{ ...row, amount: '0.01' }] });
  t.like(plan, { decimals: 2, total_amountOnChain: '1', tokenCategory });
});

test('create › given the authority or a contract as recipient › it is refused', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await putVault(treasury);
  const { plan } = await make(treasury, vaultId, { milestones });
  for (const [recipient, code] of [
    [authority.address('local').text, 'invalid_input'],
    [plan.contract_address, 'not_payable'],
  ] as const) {
    await treasury.refusal(t, alice, 'budgets.create', { vaultId, milestones, recipient }, code);
  }
});

test('create › given a vault › anyone in a public one, members only in a private one', async (t) => {
  const treasury = await openTreasury(t);
  const open = await putVault(treasury);
  const closed = await putVault(treasury, false);
  await t.notThrowsAsync(make(treasury, open, { milestones }, mallory));
  const { plan } = await make(treasury, closed, { milestones }, carol);
  const recipient = treasury.addressOf(bob).text;
  const input = { recipient, milestones };
  const vaultId = 'no-such-vault';
  await treasury.refusal(t, alice, 'budgets.create', { ...input, vaultId }, 'vault_not_found');
  await treasury.refusal(t, mallory, 'budgets.create', { ...input, vaultId: closed }, 'private_vault');
  await treasury.refusal(t, null, 'budgets.create', { ...input, vaultId: open }, 'unauthenticated');

  const seenBy = async (who: typeof alice | null, operation: string, extra = {}) =>
    (await treasury.ask(who, operation, extra))['total'];
  for (const [who, total] of [
    [dave, 2],
    [bob, 2],
    [mallory, 1],
    [null, 1],
  ] as const) {
    t.is(await seenBy(who, 'budgets.list'), total, who?.name ?? 'nobody');
    t.is(await seenBy(who, 'budgets.list-of-vault', { vaultId: closed }), total - 1);
  }
  t.is(await seenBy(bob, 'budgets.list', { recipient, status: 'PENDING', vaultId: open }), 1);
  t.is(await seenBy(bob, 'budgets.list', { status: 'ACTIVE' }), 0);
  await treasury.refusal(t, mallory, 'budgets.show', { id: plan.id }, 'private_vault');
  for (const who of [bob, dave])
    t.like((await treasury.ask(who, 'budgets.show', { id: plan.id }))['plan'], { id: plan.id });
});

test('funding-info › given somebody else, or a plan that is funded › it is refused', async (t) => {
  const treasury = await openTreasury(t);
  const plan = await createPlan(treasury);
  const { id } = plan;
  await treasury.refusal(t, mallory, 'budgets.funding-info', { id }, 'not_controller');
  const built = await treasury.ask(alice, 'budgets.funding-info', { id });
  t.like(built, {
    success: true,
    fundingInfo: { amount: 0.0075, onChainAmount: '750000', tokenType: 'BCH', threadDustSatoshis: 1_000 },
  });
  const early = { id, txHash: '00'.repeat(32) };
  await treasury.refusal(t, null, 'budgets.confirm-funding', early, 'tx_not_indexed');
  const txHash = await treasury.send(alice, built['wcTransaction']);
  const other = await treasury.give(bob, 5_000n);
  await treasury.refusal(t, null, 'budgets.confirm-funding', { id, txHash: other }, 'tx_mismatch');
  for (let time = 0; time < 2; time += 1) {
    const confirmed = await treasury.ask(null, 'budgets.confirm-funding', { id, txHash });
    t.like(confirmed, { status: 'ACTIVE', state: 'confirmed', txHash });
  }
  await treasury.refusal(t, alice, 'budgets.funding-info', { id }, 'wrong_state');
});
