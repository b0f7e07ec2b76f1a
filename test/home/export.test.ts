import test, { type ExecutionContext } from 'ava';
import { alice, bob, carol } from '../../fixtures/people.js';
import { defineLedger } from '../../src/home/export/ledger.js';
import { operationsOf } from '../../src/operation/define.js';
import { createPlan } from '../products/budgets/plan.js';
import { deployables } from '../products/deployments/registered.js';
import { advance, DAY, fundPayment } from '../products/payments/payment.js';
import { fundCampaign, fundTokenCampaign } from '../products/rewards/campaign.js';
import { openTreasury, TEST_TIME } from '../treasury.js';
import type { App } from '../../src/app.js';

type Row = Record<'date' | 'label' | 'type' | 'flow' | 'party' | 'asset' | 'amount' | 'txHash', string> & {
  readonly usd: number | null;
};
type Sum = Record<'label' | 'asset' | 'opening' | 'in' | 'out' | 'back' | 'closing', string>;
type Ledger = { readonly rows: readonly Row[]; readonly sums: readonly Sum[] };

const open = async (t: ExecutionContext) => {
  const treasury = await openTreasury(t);
  const app = treasury.app as { -readonly [Key in keyof App]: App[Key] };
  app.operations = [
    ...app.operations.filter(({ id }) => !id.startsWith('export.')),
    ...operationsOf([defineLedger(deployables)]),
  ];
  const ledger = async (input: Record<string, unknown> = {}) =>
    (await treasury.ask(null, 'export.ledger', input)) as unknown as Ledger;
  return { treasury, ledger };
};

const sumOf = ({ sums }: Ledger, label: unknown): Sum | undefined => sums.find((sum) => sum.label === label);

test('export ledger › given a campaign that paid twice and was cancelled › its rows and sums are what happened', async (t) => {
  const { treasury, ledger } = await open(t);
  const campaign = await fundCampaign(treasury);
  const paid = await campaign.pay(bob, '0.007');
  await campaign.pay(carol, '0.01');
  const cancelled = await campaign.move('cancel');
  const found = await ledger();
  const { text: address } = treasury.addressOf(alice);
  t.deepEqual(
    found.rows.map(({ type, flow, party, asset, amount }) => [type, flow, party, asset, amount]),
    [
      ['funded', 'in', address, 'BCH', '0.03'],
      ['distribution', 'out', treasury.addressOf(bob).text, 'BCH', '0.007'],
      ['distribution', 'out', treasury.addressOf(carol).text, 'BCH', '0.01'],
      ['cancelled', 'back', address, 'BCH', '0.013'],
    ],
  );
  t.is(found.rows[1]?.txHash, paid);
  t.is(found.rows[3]?.txHash, cancelled);
  t.regex(found.rows[0]?.date ?? '', /^2026-06-0\dT\d\d:\d\d:\d\dZ$/);
  t.is(found.rows[0]?.usd, null);
  const record = await campaign.shown();
  t.deepEqual(found.sums, [
    {
      label: String(record['campaign_id']),
      asset: 'BCH',
      opening: '0',
      in: '0.03',
      out: String(record['distributed_total']),
      back: '0.013',
      closing: '0',
    },
  ]);
});

test('export ledger › given tokens › amounts have their decimals, and the asset is the category', async (t) => {
  const { treasury, ledger } = await open(t);
  const campaign = await fundTokenCampaign(treasury);
  await campaign.pay(bob, '7.25');
  const found = await ledger();
  t.deepEqual(
    found.rows.map(({ asset, amount }) => [asset, amount]),
    [
      [campaign.category, '30'],
      [campaign.category, '7.25'],
    ],
  );
  t.like(found.sums[0], { asset: campaign.category, in: '30', out: '7.25', closing: '22.75' });
});

test('export ledger › given a payment claimed and cancelled › its sums are its record, and nothing is left', async (t) => {
  const { treasury, ledger } = await open(t);
  const payment = await fundPayment(treasury);
  await advance(treasury, 2 * DAY);
  await payment.move('claim');
  await advance(treasury, DAY);
  await payment.move('cancel');
  const record = await payment.shown();
  const sum = sumOf(await ledger(), record['payment_id']);
  t.is(sum?.in, '0.012');
  t.is(sum?.out, String(record['total_paid']));
  t.is(sum?.back, '0.009');
  t.is(sum?.closing, '0');
});

test('export ledger › given a plan with a release due that is cancelled › what was due and what went back', async (t) => {
  const { treasury, ledger } = await open(t);
  const plan = await createPlan(treasury);
  await plan.move('funding');
  await plan.move('cancel');
  const record = await plan.shown();
  const sum = sumOf(await ledger(), record['budget_id']);
  t.is(sum?.in, String(record['total_amount']));
  t.is(sum?.out, String(record['released_amount']));
  t.is(sum?.closing, '0');
});

test('export ledger › given a price at hand › it stands in the rows that came after it', async (t) => {
  const { treasury, ledger } = await open(t);
  const campaign = await fundCampaign(treasury);
  const { context } = treasury.app;
  Object.assign(context.price, {
    reading: () => Promise.resolve({ usd: 412.34, source: 'oracle', timestamp: TEST_TIME }),
  });
  await campaign.pay(bob, '0.001');
  const { rows } = await ledger();
  t.deepEqual(
    rows.map(({ usd }) => usd),
    [null, 412.34],
  );
});

test('export ledger › given a span › only its movements, with what was held before and after', async (t) => {
  const { treasury, ledger } = await open(t);
  const campaign = await fundCampaign(treasury);
  const funded = Date.parse((await ledger()).rows[0]?.date ?? '') / 1000;
  treasury.pass(3 * DAY);
  await campaign.pay(bob, '0.01');
  const later = await ledger({ from: funded + 1 });
  t.deepEqual(
    later.rows.map(({ type }) => type),
    ['distribution'],
  );
  t.like(later.sums[0], { opening: '0.03', in: '0', out: '0.01', closing: '0.02' });
  const before = await ledger({ to: funded });
  t.like(before.sums[0], { opening: '0', in: '0.03', out: '0', closing: '0.03' });
  t.deepEqual((await ledger({ to: 1_577_836_800 })).sums, []);
  await treasury.refusal(t, null, 'export.ledger', { from: 'yesterday' }, 'invalid_input');
});

test('export ledger › given a label that would be a formula › no cell of the CSV is one', async (t) => {
  const { treasury } = await open(t);
  for (let coin = 0; coin < 3; coin += 1) await treasury.give(alice, 5_000_000n);
  const signers = [alice, bob, carol];
  const created = await treasury.ask(alice, 'vaults.create', {
    name: '=HYPERLINK("http://evil.example","click")',
    signers: signers.map((who) => treasury.addressOf(who).text),
    signerPubkeys: signers.map(({ publicKey }) => Buffer.from(publicKey).toString('hex')),
    totalDeposit: 0.01,
    isPublic: true,
  });
  const built = await treasury.ask(alice, 'vaults.deposit', { id: created['id'] });
  const txid = await treasury.send(alice, built['wcTransaction']);
  await treasury.ask(alice, 'vaults.update-balance', { id: created['id'], txid });
  const reply = await treasury.ask(null, 'export.ledger');
  const [block] = defineLedger(deployables).view?.(reply as never) ?? [];
  const lines = block?.kind === 'file' ? block.text.trimEnd().split('\r\n') : [];
  t.is(lines[0], 'date,label,type,flow,party,asset,amount,usd,txHash,ownLabel,ownNote');
  t.is(lines.length, 2);
  t.true(lines[1]?.includes(`"'=HYPERLINK(""http://evil.example"",""click"")",deposited,in,`), lines[1]);
  const shown = await treasury.ask(alice, 'vaults.show', { id: created['id'] });
  const deposited = (reply['sums'] as readonly Sum[])[0]?.closing;
  t.is(Number(deposited), Number(shown['balance']));
});
