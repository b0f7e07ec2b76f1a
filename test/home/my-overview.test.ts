import test from 'ava';
import { alice, bob, carol, dave, type Person } from '../../fixtures/people.js';
import { TreasuryError } from '../../src/errors.js';
import { execute } from '../../src/operation/execute.js';
import { advance, createPayment, DAY, fundPayment, nowOf } from '../products/payments/payment.js';
import { fundVault } from '../products/vaults/vault.js';
import { openTreasury, type Treasury } from '../treasury.js';

type Shown = { readonly kind: string; readonly label: string; readonly by: string; readonly page?: string };
type Runway = {
  readonly label: string;
  readonly to: string;
  readonly endsAt: number | null;
  readonly held: { readonly amountOnChain: string };
};

const look = async (treasury: Treasury, as: Person) => {
  const reply = await treasury.ask(as, 'overview.mine');
  return {
    reply,
    matters: reply['matters'] as readonly Shown[],
    runways: reply['runways'] as readonly Runway[],
  };
};

test('my overview › given a caller with coins and tokens › their own balance and nobody else’s', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(bob, 150_000_000n);
  await treasury.give(alice, 1_000_000n);
  await treasury.mint(alice, '1000', 2);
  const { reply } = await look(treasury, bob);
  t.like(reply, { balanceOnChain: '150000000', tokens: [], address: treasury.addressOf(bob).text });
  t.false(JSON.stringify(reply).includes(treasury.addressOf(alice).text));
});

test('my overview › given a payment that is due › the recipient claims it, and a stranger hears nothing of it', async (t) => {
  const treasury = await openTreasury(t);
  await fundPayment(treasury);
  await advance(treasury, 2 * DAY + 60);
  const { reply, matters } = await look(treasury, bob);
  t.like(matters, [{ kind: 'claim', label: '#PAY-0001', by: treasury.addressOf(bob).text }]);
  t.like(reply['claimable'], [{ symbol: 'BCH', amountOnChain: '200000' }]);
  const stranger = await look(treasury, dave);
  t.deepEqual([stranger.matters, stranger.runways], [[], []]);
});

test('my overview › given a payment that lives on refills › its sender is told how long it lasts', async (t) => {
  const treasury = await openTreasury(t);
  const startDate = await nowOf(treasury);
  await fundPayment(treasury, { startDate });
  const { runways } = await look(treasury, alice);
  t.like(runways, [
    {
      label: '#PAY-0001',
      to: treasury.addressOf(bob).text,
      endsAt: startDate + 12 * DAY,
      held: { amountOnChain: '1200000' },
    },
  ]);
  t.deepEqual((await look(treasury, bob)).runways, []);
});

test('my overview › given a payment that is funded to its end › it runs dry of nothing', async (t) => {
  const treasury = await openTreasury(t);
  const startDate = await nowOf(treasury);
  await fundPayment(treasury, { startDate, endDate: startDate + 3 * DAY });
  t.deepEqual((await look(treasury, alice)).runways, []);
});

test('my overview › given a payment that nobody funded › it has no runway', async (t) => {
  const treasury = await openTreasury(t);
  await createPayment(treasury);
  const { matters, runways } = await look(treasury, alice);
  t.like(matters, [{ kind: 'begin', label: '#PAY-0001' }]);
  t.deepEqual(runways, []);
});

test('my overview › given a spend of a private vault › its signers hear of it, with where the page shows it', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  await vault.propose([{ to: dave, amount: '0.01' }], 'Rent');
  for (const signer of [alice, bob, carol])
    t.like((await look(treasury, signer)).matters, [
      { kind: 'sign', label: '#SPEND-0001', page: '/app/vaults/VAULT-0001/spends/SPEND-0001' },
    ]);
  t.deepEqual((await look(treasury, dave)).matters, []);
});

test('my overview › given a chain that does not answer › it stands on what is known, and says so', async (t) => {
  const treasury = await openTreasury(t);
  await fundPayment(treasury);
  const away = () => Promise.reject(new TreasuryError('chain_unavailable', { reason: 'no server answers' }));
  const { context, operations } = treasury.app;
  const operation = operations.find(({ id }) => id === 'overview.mine');
  t.truthy(operation);
  if (operation === undefined) return;
  const offline = { ...context, chain: { ...context.chain, coins: away, tip: away } };
  const address = treasury.addressOf(alice);
  const reply = await execute(operation, {}, offline, { kind: 'operator', address });
  t.true(reply['chain_stale']);
  t.is(reply['balance'], null);
  t.is((reply['runways'] as readonly Runway[]).length, 1);
  t.regex(JSON.stringify(operation.view?.(reply)), /not known/);
});
