import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { alice, authority, bob, carol, type Person } from '../../fixtures/people.js';
import { fundPlan } from '../products/budgets/plan.js';
import { DAY, fundStream, type StreamHandle } from '../products/streams/stream.js';
import { openTreasury, TEST_TIME, type Treasury } from '../treasury.js';

type Json = Record<string, unknown>;
type Sum = { label: string; opening: string; in: string; out: string; closing: string };
type Row = { date: string; type: string; flow: string; amount: string; txHash: string };

const satoshis = (text: string): bigint => BigInt(Math.round(Number(text) * 1e8));

const openIncome = async (t: ExecutionContext) => {
  const treasury = await openTreasury(t);
  const income = async (who: Person, input: Json = {}) => {
    const recipient = treasury.addressOf(who).text;
    return (await treasury.ask(null, 'export.ledger', {
      basis: 'vested',
      recipient,
      ...input,
    })) as unknown as {
      rows: Row[];
      sums: Sum[];
      text?: string;
    };
  };
  return { treasury, income };
};

const advance = async ({ app }: Treasury, days: number): Promise<void> => {
  await app.context.localChain?.advance(days * DAY);
};

const claimable = async (stream: StreamHandle): Promise<bigint> =>
  BigInt(
    String(
      (await stream.shown())['claimable_amountOnChain'] ??
        (await stream.shown())['claimable_amount_on_chain'],
    ),
  );

const only = (sums: readonly Sum[]): Sum => {
  const [sum] = sums;
  if (sum === undefined || sums.length > 1) throw new Error(`${sums.length} sums`);
  return sum;
};

test('export ledger --basis vested › given a stream claimed once › income is what was received and what is vested and unclaimed', async (t) => {
  const { treasury, income } = await openIncome(t);
  const stream = await fundStream(treasury);
  await advance(treasury, 40);
  await stream.move(bob, 'claim');
  await advance(treasury, 10);
  const { rows, sums } = await income(bob);
  const sum = only(sums);
  const open = await claimable(stream);
  t.true(open > 0n);
  t.is(satoshis(sum.closing), open);
  t.is(satoshis(sum.in), satoshis(sum.out) + open);
  const earned = rows.filter(({ flow }) => flow === 'earned');
  t.deepEqual(
    earned.map(({ date, type }) => [date.slice(0, 10), type]),
    [
      ['2026-06-01', 'vested'],
      ['2026-06-30', 'vested'],
      ['2026-07-11', 'claimed'],
      ['2026-07-21', 'vested'],
    ],
  );
  // To the second: it began an hour before June did, and vests 0.1 BCH in 100 days.
  const june = earned.slice(0, 2).reduce((total, { amount }) => total + satoshis(amount), 0n);
  t.is(june, (10_000_000n * BigInt(30 * DAY - 1 + 3_600)) / BigInt(100 * DAY));
  t.is(rows.filter(({ flow }) => flow === 'received').length, 1);
});

test('export ledger --basis vested › given a pause, a resumption and a cancellation › all that was earned was received', async (t) => {
  const { treasury, income } = await openIncome(t);
  const stream = await fundStream(treasury);
  await advance(treasury, 20);
  await stream.move(alice, 'pause');
  await advance(treasury, 30);
  const paused = only((await income(bob)).sums);
  t.is(satoshis(paused.closing), await claimable(stream));
  await stream.move(alice, 'resume');
  await advance(treasury, 15);
  await stream.move(alice, 'cancel');
  await advance(treasury, 40);
  const sum = only((await income(bob)).sums);
  t.is(sum.closing, '0');
  t.is(sum.in, sum.out);
  t.true(satoshis(sum.in) > satoshis(paused.in));
});

test('export ledger --basis vested › given a stream that was passed on › what was not claimed is the new recipient’s income', async (t) => {
  const { treasury, income } = await openIncome(t);
  const stream = await fundStream(treasury, { transferable: true });
  await treasury.give(bob, 1_000_000n);
  await advance(treasury, 40);
  await stream.move(bob, 'claim', { amount: '0.01' });
  await stream.move(bob, 'transfer', { newRecipientAddress: treasury.addressOf(carol).text });
  await advance(treasury, 5);
  const [old, present] = [only((await income(bob)).sums), only((await income(carol)).sums)];
  t.deepEqual([old.in, old.out, old.closing], ['0.01', '0.01', '0']);
  t.is(satoshis(present.closing), await claimable(stream));
  t.is(present.out, '0');
});

test('export ledger --basis vested › given a recurring payment › each period is income when it falls due', async (t) => {
  const { treasury, income } = await openIncome(t);
  await treasury.give(authority, 1_000_000n);
  for (let coin = 0; coin < 4; coin += 1) await treasury.give(alice, 40_000_000n);
  const recipient = treasury.addressOf(bob).text;
  const { payment } = (await treasury.ask(alice, 'payments.create', {
    recipient,
    amountPerPeriod: '0.01',
    interval: 'WEEKLY',
  })) as { payment: { id: string } };
  const fund = async (noun: string, id: string) => {
    const built = await treasury.ask(alice, `${noun}.funding-info`, { id });
    const txHash = await treasury.send(alice, built['wcTransaction']);
    await treasury.ask(alice, `${noun}.confirm-funding`, { id, txHash });
  };
  await fund('payments', payment.id);
  await advance(treasury, 15);
  const sum = only((await income(bob)).sums);
  t.deepEqual([sum.in, sum.out, sum.closing], ['0.02', '0', '0.02']);
  const built = await treasury.ask(bob, 'payments.claim', { id: payment.id });
  const txHash = await treasury.send(bob, built['wcTransaction']);
  await treasury.ask(bob, 'payments.confirm-claim', { id: payment.id, txHash });
  await advance(treasury, 7);
  const after = only((await income(bob)).sums);
  t.deepEqual([after.in, after.out, after.closing], ['0.03', '0.02', '0.01']);
});

test('export ledger --basis vested › given a budget plan › each milestone is income when it falls due', async (t) => {
  const { treasury, income } = await openIncome(t);
  await treasury.give(authority, 1_000_000n);
  await treasury.give(bob, 100_000n);
  const each = { amount: '0.001', durationSeconds: 10 * DAY };
  const plan = await fundPlan(treasury, { milestones: [each, each, each] });
  await advance(treasury, 21);
  const open = only((await income(bob)).sums);
  t.deepEqual([open.in, open.out, open.closing], ['0.002', '0', '0.002']);
  await plan.move('release');
  await plan.move('cancel');
  await advance(treasury, 40);
  const ended = only((await income(bob)).sums);
  t.deepEqual([ended.in, ended.out, ended.closing], ['0.002', '0.002', '0']);
});

test('export ledger --basis received › given a claim › it is income when it is paid, and nothing is open', async (t) => {
  const { treasury, income } = await openIncome(t);
  const stream = await fundStream(treasury);
  await advance(treasury, 40);
  await stream.move(bob, 'claim');
  await advance(treasury, 10);
  const { rows, sums } = await income(bob, { basis: 'received' });
  const sum = only(sums);
  t.is(sum.in, sum.out);
  t.is(sum.closing, '0');
  t.deepEqual(
    rows.map(({ flow }) => flow),
    ['earned', 'received'],
  );
  // A sender has no income; by default it is that of this home's wallets, and bob has one.
  t.deepEqual((await income(alice, { basis: 'received' })).sums, []);
  const all = (await treasury.ask(null, 'export.ledger', { basis: 'received' })) as unknown as {
    sums: Sum[];
  };
  t.deepEqual(all.sums, sums);
});

const accepts = (t: ExecutionContext, command: string, args: readonly string[]): void => {
  const { error, status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (error === undefined) t.is(status, 0, `${stdout}${stderr}`);
  else t.log(`${command} is not on this machine: its own check was left out`);
};

for (const [format, command, args] of [
  ['hledger', 'hledger', (file: string) => ['-f', file, 'check']],
  ['beancount', 'bean-check', (file: string) => [file]],
] as const) {
  test(`export ledger --basis › given a year and its last part › ${command} accepts both, opening and closing balances included`, async (t) => {
    const { treasury, income } = await openIncome(t);
    const stream = await fundStream(treasury, { label: 'Pay, "bob"' });
    await advance(treasury, 40);
    await stream.move(bob, 'claim', { amount: '0.03' });
    await advance(treasury, 40);
    const from = TEST_TIME + 45 * DAY;
    for (const input of [{}, { from }, { basis: 'received' }]) {
      const { text = '' } = await income(bob, { format, ...input });
      t.regex(text, /Income:Covenants:STREAM-0001:Bob/);
      if ('from' in input) t.regex(text, /opening balances[^]*Assets:Receivable:STREAM-0001:Bob {2}0\.0/);
      const file = join(mkdtempSync(join(tmpdir(), 'income-')), 'book');
      writeFileSync(`${file}.${format === 'hledger' ? 'journal' : 'beancount'}`, text);
      accepts(t, command, args(`${file}.${format === 'hledger' ? 'journal' : 'beancount'}`));
    }
  });
}

test('export ledger --basis › given a format that keeps no income, or a recipient without a basis › it is refused', async (t) => {
  const treasury = await openTreasury(t);
  const error = await treasury.refusal(
    t,
    null,
    'export.ledger',
    { basis: 'vested', format: 'koinly' },
    'invalid_input',
  );
  t.regex(error.message, /"koinly" tells of movements alone/);
  await treasury.refusal(
    t,
    null,
    'export.ledger',
    { recipient: treasury.addressOf(bob).text },
    'invalid_input',
  );
});
