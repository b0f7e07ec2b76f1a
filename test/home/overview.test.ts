import test from 'ava';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alice, bob, dave } from '../../fixtures/people.js';
import { execute } from '../../src/operation/execute.js';
import { pendingStepCollection } from '../../src/record/pending-steps.js';
import { TreasuryError } from '../../src/errors.js';
import { runOn } from '../cli/real-environment.js';
import { advance, createPayment, DAY, fundPayment, nowOf } from '../products/payments/payment.js';
import { fundVault } from '../products/vaults/vault.js';
import { openTreasury, type Treasury } from '../treasury.js';

type Shown = {
  readonly kind: string;
  readonly label: string;
  readonly amount: { readonly amount: number; readonly amountOnChain: string } | null;
  readonly at: number | null;
  readonly wallet: string;
  readonly command: string | null;
};

const look = async (treasury: Treasury) => {
  const reply = await treasury.ask(null, 'overview');
  const matters = reply['matters'] as readonly Shown[];
  return { reply, matters, of: (kind: string) => matters.filter((matter) => matter.kind === kind) };
};

test('overview › given wallets with coins and tokens › each has its balance', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(bob, 150_000_000n);
  await treasury.give(alice, 1_000_000n);
  const category = await treasury.mint(alice, '1000', 2);
  const { reply } = await look(treasury);
  const wallets = reply['wallets'] as {
    name: string;
    balanceOnChain: string;
    tokens: { category: string }[];
  }[];
  t.is(wallets.find(({ name }) => name === 'bob')?.balanceOnChain, '150000000');
  t.is(wallets.find(({ name }) => name === 'alice')?.tokens[0]?.category, category);
  t.is(reply['chain_stale'], undefined);
});

test('overview › given a payment that is due › the recipient claims it, and the sum is what the claims are', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundPayment(treasury);
  await advance(treasury, 2 * DAY + 60);
  const { of, reply } = await look(treasury);
  const [claim, ...others] = of('claim');
  t.like(claim, { label: '#PAY-0001', amount: { amount: 0.002, amountOnChain: '200000' }, wallet: 'bob' });
  t.is(claim?.command, 'payments claim PAY-0001 --wallet bob');
  t.is(others.length, 0);
  t.like(reply['claimable'], [{ symbol: 'BCH', amount: 0.002, amountOnChain: '200000' }]);
  const due = await treasury.ask(bob, 'payments.due', { recipient: treasury.addressOf(bob).text });
  t.like(due['payments'], [{ id, claimable_amountOnChain: '200000' }]);
});

test('overview › given a payment that is not due yet › it is among what falls due, with its time', async (t) => {
  const treasury = await openTreasury(t);
  const startDate = await nowOf(treasury);
  await fundPayment(treasury, { startDate });
  const { of } = await look(treasury);
  t.like(of('due'), [{ label: '#PAY-0001', at: startDate + DAY, command: null }]);
});

test('overview › given a payment whose money ends within 30 days › the sender is told to refill it', async (t) => {
  const treasury = await openTreasury(t);
  const startDate = await nowOf(treasury);
  await fundPayment(treasury, { startDate });
  const { of } = await look(treasury);
  t.like(of('ends'), [{ label: '#PAY-0001', at: startDate + 12 * DAY, wallet: 'alice' }]);
  t.regex(of('ends')[0]?.command ?? '', /^payments refill PAY-0001 --periods 3/);
});

test('overview › given a payment that nobody funded › its sender is told to', async (t) => {
  const treasury = await openTreasury(t);
  await createPayment(treasury);
  const { of, matters } = await look(treasury);
  t.like(of('begin'), [{ label: '#PAY-0001', wallet: 'alice' }]);
  t.is(matters.length, 1);
});

test('overview › given a spend that waits for signatures › a signer here signs, then it is to be sent, then it is gone', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  const spend = await vault.propose([{ to: dave, amount: '0.01' }], 'Rent');
  const spendId = spend['id'];
  const before = await look(treasury);
  t.like(before.of('sign'), [{ label: '#SPEND-0001', amount: { amount: 0.01 } }]);
  t.regex(before.of('sign')[0]?.command ?? '', /^vaults spend sign SPEND-0001/);
  await vault.sign(alice, spendId);
  const half = await look(treasury);
  t.not(half.of('sign')[0]?.wallet, 'alice', 'she has signed');
  await vault.sign(bob, spendId);
  const ready = await look(treasury);
  t.regex(ready.of('sign')[0]?.command ?? '', /^vaults spend broadcast SPEND-0001/);
  await vault.broadcast(spendId);
  t.deepEqual((await look(treasury)).of('sign'), []);
});

test('overview › given a step that was signed and not confirmed › the command that goes on with it', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createPayment(treasury);
  await treasury.app.context.store.transaction((writer) => {
    writer.put(pendingStepCollection, {
      id: '01'.repeat(32),
      subject: '02'.repeat(32),
      operation: 'payments.funding-info',
      caller: treasury.addressOf(alice).text,
      transaction: '00',
      txid: '03'.repeat(32),
      confirm_input: { id, txHash: '03'.repeat(32) },
      created_at: 1_700_000_000,
    });
  });
  const [failed] = (await look(treasury)).of('failed');
  t.regex(failed?.command ?? '', new RegExp(`^payments fund ${id}`));
});

test('overview › given nothing to do › it says so', async (t) => {
  const treasury = await openTreasury(t);
  const { stdout, exit } = await runOn(treasury, []);
  t.is(exit, 0);
  t.regex(stdout, /Nothing waits for you, falls due within 30 days, or has failed\./);
});

test('overview › given a chain that does not answer › it stands on what is known, and says so', async (t) => {
  const treasury = await openTreasury(t);
  await createPayment(treasury);
  const away = () => Promise.reject(new TreasuryError('chain_unavailable', { reason: 'no server answers' }));
  const { context, operations } = treasury.app;
  const operation = operations.find(({ id }) => id === 'overview');
  t.truthy(operation);
  if (operation === undefined) return;
  const offline = { ...context, chain: { ...context.chain, coins: away, tip: away } };
  const reply = await execute(operation, {}, offline, { kind: 'operator', address: null });
  t.true(reply['chain_stale']);
  t.like((reply['matters'] as Shown[])[0], { kind: 'begin', label: '#PAY-0001' });
  t.is((reply['wallets'] as { balance: number | null }[])[0]?.balance, null);
  t.regex(JSON.stringify(operation.view?.(reply)), /not known/);
});

test('overview › given no home › none is made, and three lines say what to do', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const treasury = await openTreasury(t);
  const home = join(folder, 'none');
  const { stdout, exit } = await runOn(treasury, ['--home', home]);
  t.is(exit, 0);
  const lines = stdout.trimEnd().split('\n');
  t.is(lines.length, 3);
  t.regex(stdout, /treasury demo/);
  t.regex(stdout, /treasury init/);
  t.false(existsSync(home));
  const json = await runOn(treasury, ['--home', home, '--json']);
  t.like(JSON.parse(json.stdout), { exists: false });
});
