/** A keeper on the embedded chain: what it does by its rules, and what it leaves alone. */
import { chmodSync, readFileSync } from 'node:fs';
import test from 'ava';
import { alice, authority, bob, carol, dave, erin } from '../../fixtures/people.js';
import { EXIT, TreasuryError } from '../../src/errors.js';
import { eventLog } from '../../src/record/event-log.js';
import { advance as pass, putVault } from '../products/budgets/plan.js';
import { fundCampaign } from '../products/rewards/campaign.js';
import { castLock, propose, share } from '../products/governance/proposal.js';
import { advance, DAY, fundPayment, fundTokenPayment } from '../products/payments/payment.js';
import { fundStream } from '../products/streams/stream.js';
import { fundVault } from '../products/vaults/vault.js';
import { runOn } from '../cli/real-environment.js';
import { openTreasury, TEST_TIME, type Treasury } from '../treasury.js';
import { CLAIMS, TOKEN_CLAIMS, once, outcomesOf, plan, remembered, withPorts, writeRules } from './home.js';

const REFILLS = {
  do: 'payments refill',
  wallet: 'alice',
  for: 'PAY-0001',
  before: '3d',
  periods: 2,
  perDay: '0.01 BCH',
};

/** bob has coins to pay fees with, and one period of alice's payment is due. */
const openDue = async (t: Parameters<typeof openTreasury>[0]) => {
  const treasury = await openTreasury(t);
  const payment = await fundPayment(treasury);
  await treasury.give(bob, 500_000n);
  await advance(treasury, DAY);
  return { treasury, payment };
};

test('keeper › a payroll in BCH and in tokens › each period is taken once, the fees are booked, and nothing else moves', async (t) => {
  const treasury = await openTreasury(t);
  const inBch = await fundPayment(treasury);
  const inTokens = await fundTokenPayment(treasury);
  await treasury.give(bob, 500_000n);
  writeRules(treasury, [TOKEN_CLAIMS]);
  const before = await treasury.satoshisOf(bob);
  let fees = 0n;
  for (let day = 1; day <= 3; day += 1) {
    await advance(treasury, DAY);
    const { exit, results, stderr } = await once(treasury);
    t.is(exit, 0, stderr);
    t.deepEqual(
      results.map(({ result, task, label }) => [result, task, label]),
      [
        ['done', 'payments claim', 'PAY-0002'],
        ['done', 'payments claim', 'PAY-0001'],
      ],
    );
    fees += results.reduce((sum, { fee }) => sum + BigInt(fee ?? 0), 0n);
    t.deepEqual((await once(treasury)).results, []);
  }
  t.is((await inBch.executions()).length, 3);
  t.is((await inTokens.executions()).length, 3);
  t.is(await treasury.tokensOf(bob, inTokens.category), 750n);
  // Each payment of tokens brings the dust that it lies on.
  t.true((await treasury.satoshisOf(bob)) >= before + 300_000n - fees);
  const { acts, faults } = await remembered(treasury);
  t.true(acts.every(({ state }) => state === 'done'));
  t.deepEqual(faults, []);
});

test('keeper › plan › it says what, when and at what cost, and changes nothing', async (t) => {
  const { treasury, payment } = await openDue(t);
  writeRules(treasury, [CLAIMS, REFILLS]);
  // Reading a record takes in what the chain has become: that is all that is written.
  await plan(treasury);
  const journal = () => readFileSync(`${treasury.home}/local/treasury.journal`, 'utf8');
  const before = journal();
  const planned = await plan(treasury);
  t.is(planned.exit, 0);
  t.deepEqual(
    planned.plan.map(({ verdict, task, label }) => [verdict, task, label]),
    [
      ['due', 'payments claim', '#PAY-0001'],
      ['later', 'payments refill', '#PAY-0001'],
    ],
  );
  t.true((planned.plan[0]?.fee ?? 0) > 200);
  t.true(journal() === before);
  t.is((await payment.executions()).length, 0);
  const { stdout } = await runOn(treasury, ['keeper', 'plan']);
  t.regex(stdout, /now +payments claim +PAY-0001 +0\.001 BCH +0\.0000\d+ BCH +bob/);
  // What it says of the fee is what is paid.
  const { results } = await once(treasury);
  t.is(results[0]?.fee, planned.plan[0]?.fee);
});

test('keeper › streams and budget plans › what has vested and fallen due is taken', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury);
  const vaultId = await putVault(treasury);
  const made = await treasury.ask(alice, 'budgets.create', {
    vaultId,
    recipient: treasury.addressOf(bob).text,
    milestones: [
      { amount: '0.001', durationSeconds: DAY, description: 'One' },
      { amount: '0.002', durationSeconds: DAY, description: 'Two' },
    ],
  });
  const { id } = made['plan'] as { id: string };
  const funding = await treasury.ask(alice, 'budgets.funding-info', { id });
  const txHash = await treasury.send(alice, funding['wcTransaction']);
  await treasury.ask(alice, 'budgets.confirm-funding', { id, txHash });
  await treasury.give(bob, 500_000n);
  await pass(treasury, DAY + 60);
  writeRules(treasury, [
    { do: 'streams claim', wallet: 'bob' },
    { do: 'budgets release', wallet: 'bob' },
  ]);
  const { exit, results } = await once(treasury);
  t.is(exit, 0, JSON.stringify(results));
  t.deepEqual(outcomesOf(results), [
    ['done', 'STREAM-0001'],
    ['done', 'BUDGET-0001'],
  ]);
  t.is((await stream.claims()).length, 1);
  const shown = (await treasury.ask(bob, 'budgets.show', { id }))['plan'] as Record<string, unknown>;
  t.is(shown['current_milestone'], 1);
});

test('keeper › tokens that have voted › they are taken back after the end, and not before', async (t) => {
  const treasury = await openTreasury(t);
  const tokenCategory = await share(treasury, [[bob, '5']]);
  const proposalId = await propose(treasury, { tokenCategory });
  await castLock(treasury, bob, { proposalId, voteChoice: 'FOR', stakeAmount: '5', tokenCategory });
  writeRules(treasury, [{ do: 'governance unlock', wallet: 'bob' }]);
  t.deepEqual((await once(treasury)).results, []);
  t.is((await plan(treasury)).plan[0]?.verdict, 'later');
  await advance(treasury, 8 * DAY);
  const { results, exit } = await once(treasury);
  t.is(exit, 0, JSON.stringify(results));
  t.is(results.length, 1);
  t.is(await treasury.tokensOf(bob, tokenCategory), 500n);
  t.deepEqual((await once(treasury)).results, []);
});

for (const asset of ['BCH', 'tokens'] as const)
  test(`keeper › a payment in ${asset} that runs out › it is refilled, within the limit of a day`, async (t) => {
    const treasury = await openTreasury(t);
    const payment = asset === 'BCH' ? await fundPayment(treasury) : await fundTokenPayment(treasury);
    const most = asset === 'BCH' ? '0.003 BCH' : '7.5 GEMS';
    writeRules(treasury, [{ ...REFILLS, perDay: most }]);
    t.deepEqual((await once(treasury)).results, []);
    await treasury.give(bob, 500_000n);
    await advance(treasury, 11 * DAY);
    await payment.move('claim');
    const first = await once(treasury);
    t.is(first.exit, 0, JSON.stringify(first.results));
    t.like(first.results[0], { result: 'done', label: 'PAY-0001' });
    const { funded_periods: funded } = await payment.shown();
    t.is(funded, 3);
    // It is still within three days of its end; the next would be more than a day allows.
    const second = await once(treasury);
    t.is(second.exit, 0);
    t.like(second.results[0], { result: 'left' });
    t.regex(second.results[0]?.message ?? '', /"perDay" of its rule is/);
    t.is((await payment.shown())['funded_periods'], 3);
    // The store remembers, and not the program: the next day there is room again.
    await advance(treasury, DAY);
    t.like((await once(treasury)).results[0], { result: 'done' });
  });

test('keeper › an open stream that runs out › it is refilled before, and not twice', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury, {
    streamType: 'RECURRING',
    totalAmount: '0.003',
    amountPerInterval: '0.001',
    intervalSeconds: DAY,
    refillable: true,
    endTime: undefined,
    startTime: TEST_TIME,
  });
  writeRules(treasury, [
    {
      do: 'streams refill',
      wallet: 'alice',
      for: 'STREAM-0001',
      before: '1d',
      periods: 2,
      perDay: '0.002 BCH',
    },
  ]);
  t.deepEqual((await once(treasury)).results, []);
  t.like((await plan(treasury)).plan[0], { verdict: 'later', task: 'streams refill' });
  await advance(treasury, 2 * DAY + 60);
  const { exit, results } = await once(treasury);
  t.is(exit, 0, JSON.stringify(results));
  t.like(results[0], { result: 'done', label: 'STREAM-0001' });
  t.is((await stream.shown())['total_amountOnChain'], '500000');
  t.deepEqual((await once(treasury)).results, []);
});

test('keeper › a campaign whose end has passed › it is ended once, where the refund address is listed', async (t) => {
  const treasury = await openTreasury(t);
  const now = (await treasury.app.context.chain.tip()).medianTimePast;
  const campaign = await fundCampaign(treasury, { endDate: now + 2 * DAY });
  const rule = { do: 'rewards cancel', wallet: 'alice', for: 'REWARD-0001' };
  writeRules(treasury, [{ ...rule, to: 'carol' }]);
  t.deepEqual((await once(treasury)).results, []);
  await advance(treasury, 3 * DAY);
  const wrong = await once(treasury);
  // What comes back to the wallet itself needs no list: the refund address is alice's.
  t.like(wrong.results[0], { result: 'done' }, JSON.stringify(wrong.results));
  t.is((await campaign.shown())['status'], 'CANCELLED');
  t.deepEqual((await once(treasury)).results, []);
});

test('keeper › a campaign that refunds somebody who is not listed › it is refused and told', async (t) => {
  const treasury = await openTreasury(t);
  const now = (await treasury.app.context.chain.tip()).medianTimePast;
  const refundAddress = treasury.addressOf(dave).text;
  const campaign = await fundCampaign(treasury, { endDate: now + 2 * DAY, refundAddress });
  await advance(treasury, 3 * DAY);
  const rule = { do: 'rewards cancel', wallet: 'alice', for: 'REWARD-0001' };
  writeRules(treasury, [{ ...rule, to: 'carol' }]);
  const { exit, results } = await once(treasury);
  t.is(exit, EXIT.rule);
  t.regex(results[0]?.message ?? '', /pays bchtest:\w+, which is not in its "to"/);
  t.is((await campaign.shown())['status'], 'ACTIVE');
  await advance(treasury, 2 * 60);
  writeRules(treasury, [{ ...rule, to: ['carol', refundAddress] }]);
  t.like((await once(treasury)).results[0], { result: 'done' });
});

const readySpend = async (treasury: Treasury, to: typeof dave | string) => {
  const vault = await fundVault(treasury, { label: 'Common' });
  const spend = await vault.propose([{ to, amount: '0.01' }]);
  await vault.sign(alice, spend['id']);
  await vault.sign(carol, spend['id']);
  return { vault, spend };
};

const SENDS = { do: 'vaults spend broadcast', wallet: 'bob', for: 'VAULT-0001', perDay: '0.05 BCH' };

test('keeper › a spend that is ready › it is sent to whom the rule lists, and to nobody else', async (t) => {
  const treasury = await openTreasury(t);
  const { vault, spend } = await readySpend(treasury, dave);
  writeRules(treasury, [{ ...SENDS, to: ['carol', 'alice'] }]);
  const refused = await once(treasury);
  t.is(refused.exit, EXIT.rule, JSON.stringify(refused.results));
  t.regex(refused.results[0]?.message ?? '', /which is not in its "to"/);
  t.is((await vault.shownSpend(spend['id']))['status'], 'READY');
  // Told once, and left alone for a while.
  t.deepEqual((await once(treasury)).results, []);
  await advance(treasury, 120);
  writeRules(treasury, [{ ...SENDS, to: ['dave'], perDay: '0.009 BCH' }]);
  t.regex((await once(treasury)).results[0]?.message ?? '', /"perDay" of its rule is 0\.009 BCH/);
  writeRules(treasury, [{ ...SENDS, to: ['dave'] }]);
  const sent = await once(treasury);
  t.like(sent.results[0], { result: 'done' }, JSON.stringify(sent.results));
  t.is((await vault.shownSpend(spend['id']))['status'], 'SPENT');
  t.is(await treasury.satoshisOf(dave), 1_000_000n);
  const { acts, faults } = await remembered(treasury);
  t.deepEqual([acts.length, acts[0]?.state, faults.length], [1, 'done', 0]);
});

test('keeper › a spend that pays the wallet of its rule › it is listed and limited as any other payee', async (t) => {
  const treasury = await openTreasury(t);
  const { vault, spend } = await readySpend(treasury, bob);
  writeRules(treasury, [{ ...SENDS, to: ['dave'] }]);
  const unlisted = await once(treasury);
  t.is(unlisted.exit, EXIT.rule, JSON.stringify(unlisted.results));
  t.regex(unlisted.results[0]?.message ?? '', /which is not in its "to"/);
  await advance(treasury, 120);
  writeRules(treasury, [{ ...SENDS, to: ['bob'], perDay: '0.009 BCH' }]);
  t.regex((await once(treasury)).results[0]?.message ?? '', /"perDay" of its rule is 0\.009 BCH/);
  t.is((await vault.shownSpend(spend['id']))['status'], 'READY');
  writeRules(treasury, [{ ...SENDS, to: ['bob'] }]);
  t.like((await once(treasury)).results[0], { result: 'done' });
  const [act] = (await remembered(treasury)).acts;
  t.deepEqual(act?.moved, [{ category: null, units: 1_000_000n }]);
});

test('keeper › a file of rules that everybody can write to › nothing is done by it', async (t) => {
  const { treasury, payment } = await openDue(t);
  const file = writeRules(treasury, [CLAIMS]);
  chmodSync(file, 0o646);
  const refused = await once(treasury);
  t.is(refused.exit, EXIT.invalid);
  t.is(refused.code, 'invalid_file');
  t.is((await payment.executions()).length, 0);
  chmodSync(file, 0o644);
  t.is((await once(treasury)).exit, 0);
  t.is((await payment.executions()).length, 1);
});

test('keeper › a record that a stranger has made, of dust or of a token that is worth nothing › it is left alone and costs nothing', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(bob, 500_000n);
  const dust = await fundPayment(treasury, {
    amountPerPeriod: '0.00001',
    label: '#PAY-0002"; rm -rf / $(id) all',
  });
  const worthless = await fundTokenPayment(treasury);
  await advance(treasury, DAY);
  const before = await treasury.satoshisOf(bob);
  writeRules(treasury, [CLAIMS]);
  const { exit, results } = await once(treasury);
  t.is(exit, 0);
  t.deepEqual(
    results.map(({ result }) => result),
    ['left', 'left'],
    JSON.stringify(results),
  );
  t.regex(results[0]?.message ?? '', /no "minimum" for the token GEMS/);
  t.is(await treasury.satoshisOf(bob), before);
  t.deepEqual([(await dust.executions()).length, (await worthless.executions()).length], [0, 0]);
});

test('keeper › fees that do not suffice for all › what brings most goes first, so that a stranger with little things holds up nothing', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(bob, 500_000n);
  for (let one = 0; one < 3; one += 1) await fundPayment(treasury, { amountPerPeriod: '0.0002' });
  const wages = await fundPayment(treasury, { amountPerPeriod: '0.001' });
  await advance(treasury, DAY);
  writeRules(treasury, [CLAIMS], { feesPerDay: '2500 sats' });
  const due = (await plan(treasury)).plan.filter(({ verdict }) => verdict === 'due');
  t.deepEqual(
    due.map(({ label }) => label),
    ['#PAY-0004'],
  );
  const { results } = await once(treasury);
  t.deepEqual(
    outcomesOf(results),
    [
      ['done', 'PAY-0004'],
      ['left', 'PAY-0001'],
      ['left', 'PAY-0002'],
      ['left', 'PAY-0003'],
    ],
    JSON.stringify(results),
  );
  t.is((await wages.executions()).length, 1);
});

test('keeper › a stream whose claim costs more than it brings › it is left alone, and taken once it is worth it', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury, { totalAmount: '0.0005' });
  await treasury.give(bob, 500_000n);
  await advance(treasury, 3 * DAY);
  writeRules(treasury, [{ do: 'streams claim', wallet: 'bob' }]);
  const left = await once(treasury);
  t.deepEqual(
    left.results.map(({ result }) => result),
    ['left'],
    JSON.stringify(left.results),
  );
  t.regex(left.results[0]?.message ?? '', /after the fee of .* is the least/);
  await advance(treasury, 40 * DAY);
  t.like((await once(treasury)).results[0], { result: 'done' });
  t.is((await stream.claims()).length, 1);
});

test('keeper › a rule that names a wallet that is gone › it is told once with rule and field, and the others are followed', async (t) => {
  const { treasury, payment } = await openDue(t);
  writeRules(treasury, [{ do: 'streams claim', wallet: 'nobody' }, CLAIMS]);
  const { exit, results } = await once(treasury);
  t.is(exit, EXIT.invalid);
  t.deepEqual(
    results.map(({ result }) => result),
    ['failed', 'done'],
  );
  t.regex(
    results[0]?.message ?? '',
    /rule 1 \(streams claim by nobody\), wallet: there is no wallet "nobody"/,
  );
  t.is((await payment.executions()).length, 1);
  t.deepEqual((await once(treasury)).results, []);
  const planned = await plan(treasury);
  t.is(planned.exit, EXIT.invalid);
  const checked = await runOn(treasury, ['keeper', 'rules']);
  t.is(checked.exit, EXIT.invalid);
  t.regex(checked.stderr, /rule 1 .*wallet: there is no wallet/);
  // Mended: the fault is over.
  writeRules(treasury, [CLAIMS]);
  await once(treasury);
  t.deepEqual((await remembered(treasury)).faults, []);
});

test('keeper › quiet hours › nothing is done in them, and the plan says when', async (t) => {
  const { treasury, payment } = await openDue(t);
  // It is midnight in UTC, a day and some seconds after the beginning of the tests.
  writeRules(treasury, [{ ...CLAIMS, between: '22:00-23:00' }], { zone: 'UTC' });
  t.deepEqual((await once(treasury)).results, []);
  const [planned] = (await plan(treasury)).plan;
  t.is(planned?.verdict, 'later');
  t.is(new Date((planned?.at ?? 0) * 1_000).toISOString().slice(11, 16), '22:00');
  await advance(treasury, 22 * 3_600 + 600);
  t.like((await once(treasury)).results[0], { result: 'done' });
  t.is((await payment.executions()).length, 1);
});

test('keeper › fees › one that is too high is not signed, and those of a day are bounded by what the store remembers', async (t) => {
  const { treasury, payment } = await openDue(t);
  writeRules(treasury, [{ ...CLAIMS, feeAtMost: '300 sats' }]);
  const dear = await once(treasury);
  t.regex(dear.results[0]?.message ?? '', /its fee is 0\.0000\d+ BCH, and the rule allows 0\.000003 BCH/);
  writeRules(treasury, [CLAIMS], { feesPerDay: '2600 sats' });
  t.like((await once(treasury)).results[0], { result: 'done' });
  await fundPayment(treasury);
  await advance(treasury, DAY / 2);
  // A new program each time: nothing but the store knows of the first fee.
  await treasury.app.context.localChain?.mine(1);
  await advance(treasury, DAY / 2 - 600);
  const bounded = await once(treasury);
  t.true(
    bounded.results.every(({ result }) => result === 'left'),
    JSON.stringify(bounded.results),
  );
  t.is((await payment.executions()).length, 1);
});

test('keeper › a transaction that a lying server has bent › it is refused, told and not signed', async (t) => {
  const { treasury, payment } = await openDue(t);
  writeRules(treasury, [CLAIMS]);
  const own = treasury.addressOf(bob).lockingBytecode;
  // It says of the wallet's coins that they hold less, so that the rest would go to the miners.
  const bent = withPorts(treasury, ({ chain }) => ({
    chain: {
      ...chain,
      coins: async (lock, look) =>
        (await chain.coins(lock, look)).map((coin) =>
          lock === own ? { ...coin, satoshis: coin.satoshis - 100_000n } : coin,
        ),
    },
  }));
  const before = await treasury.satoshisOf(bob);
  const { exit, results } = await once(bent);
  t.is(exit, EXIT.rule);
  t.regex(results[0]?.message ?? '', /holds something else than its transaction says/);
  t.is(await treasury.satoshisOf(bob), before);
  t.is((await payment.executions()).length, 0);
  t.is((await remembered(treasury)).acts.length, 0);
});

test('keeper › a fault › it is told once, tried again later and later by a restarted program too, and forgotten when it is over', async (t) => {
  const { treasury } = await openDue(t);
  writeRules(treasury, [CLAIMS]);
  let tries = 0;
  const broken = withPorts(treasury, ({ chain }) => ({
    chain: {
      ...chain,
      broadcast: () => {
        tries += 1;
        return Promise.reject(new TreasuryError('chain_unavailable', { reason: 'it is away' }));
      },
    },
  }));
  t.is((await once(broken)).exit, EXIT.network);
  t.is(tries, 1);
  for (const wait of [0, 30, 31, 60, 70]) {
    if (wait > 0) await advance(treasury, wait);
    await once(broken);
  }
  // At once, after a minute, and after two more.
  t.is(tries, 3);
  const { faults, acts } = await remembered(treasury);
  t.like(faults[0], { failures: 3, code: 'chain_unavailable', task: 'payments claim' });
  // What was signed is kept, and counted once.
  t.is(acts.length, 1);
  await advance(treasury, 300);
  const last = await once(treasury);
  t.is(last.exit, 0, last.stderr);
  t.like(last.results[0], { result: 'done', txHash: acts[0]?.id });
  t.deepEqual((await remembered(treasury)).faults, []);
  // The log has each of it once: when it began, when it was done, and that it is over.
  const { entries } = await treasury.app.context.store.readLog(eventLog, { after: 0, limit: 1_000 });
  const told = entries.filter(({ type }) => type.startsWith('keeper.'));
  t.deepEqual(
    told.map(({ type }) => type),
    ['keeper.failed', 'keeper.recovered', 'keeper.acted'],
  );
  t.true(told.every(({ parties }) => parties.includes(treasury.addressOf(bob).text)));
  t.like(told[2], { txHash: acts[0]?.id, subject: { kind: 'keeper', label: '#PAY-0001' } });
  t.like(told[2]?.data, { task: 'payments claim', wallet: 'bob', fee: { asset: 'BCH', decimals: 8 } });
});

test('keeper › a clock that jumps › late, and never twice', async (t) => {
  const { treasury, payment } = await openDue(t);
  writeRules(treasury, [CLAIMS]);
  await once(treasury);
  await advance(treasury, 5 * DAY);
  const { results } = await once(treasury);
  t.is(results.length, 1);
  t.deepEqual((await once(treasury)).results, []);
  t.is((await payment.executions()).length, 2);
  // Set back by a year, a fault waits no year.
  const back = withPorts(treasury, ({ clock }) => ({
    clock: { ...clock, now: () => clock.now() - 365 * DAY, wall: () => clock.wall() - 365 * DAY },
  }));
  t.is((await once(back)).exit, 0);
});

test('keeper › a wallet that is locked › it is told once and backed off, and the others are followed', async (t) => {
  const { treasury } = await openDue(t);
  await treasury.give(authority, 1_000_000n);
  writeRules(treasury, [CLAIMS]);
  let asked = 0;
  const locked = withPorts(treasury, ({ keys }) => ({
    keys: {
      ...keys,
      unlock: (name) => {
        asked += 1;
        return Promise.reject(new TreasuryError('wallet_locked', { wallet: name ?? '' }));
      },
    },
  }));
  const { exit, results } = await once(locked);
  t.is(exit, EXIT.notAllowed);
  t.like(results[0], { result: 'failed', label: 'bob' });
  const waiting = await once(locked);
  t.deepEqual(waiting.results, []);
  t.regex(waiting.stderr, /1 thing waits after a fault: `treasury keeper plan` says why/);
  t.is(asked, 1);
  // Whoever has mended it need not wait.
  await runOn(locked, ['keeper', 'once', '--again']);
  t.is(asked, 2);
  await advance(treasury, 240);
  t.like((await once(treasury)).results[0], { result: 'done' });
});

test('keeper › for one record › the others are left alone', async (t) => {
  const { treasury, payment } = await openDue(t);
  const other = await fundPayment(treasury);
  await advance(treasury, DAY);
  writeRules(treasury, [{ ...CLAIMS, for: ['pay-0002'] }]);
  const { results } = await once(treasury);
  t.deepEqual(
    results.map(({ label }) => label),
    ['PAY-0002'],
  );
  t.deepEqual([(await payment.executions()).length, (await other.executions()).length], [0, 1]);
  // A label that stands for nothing would silently do nothing.
  writeRules(treasury, [{ ...CLAIMS, for: ['PAY-0002', 'PAY-0020'] }]);
  for (const verb of ['rules', 'plan']) {
    const { exit, stdout, stderr } = await runOn(treasury, ['keeper', verb]);
    t.is(exit, EXIT.invalid);
    t.regex(stdout + stderr, /for: there is no PAY-0020 in this home/);
  }
});

test('keeper › init › a file to begin with, which is taken, and which it does not write over', async (t) => {
  const { treasury } = await openDue(t);
  const made = await runOn(treasury, ['keeper', 'init', '--wallet', 'bob']);
  t.is(made.exit, 0, made.stderr);
  t.is((await runOn(treasury, ['keeper', 'rules'])).exit, 0);
  t.is((await runOn(treasury, ['keeper', 'init'])).exit, EXIT.invalid);
  t.like((await once(treasury)).results[0], { result: 'done', task: 'payments claim' });
  const schema = await runOn(treasury, ['keeper', 'rules', '--schema']);
  t.is((JSON.parse(schema.stdout) as { type: string }).type, 'object');
});

test('keeper › rules that are no good › nothing is done, exit 2', async (t) => {
  const { treasury, payment } = await openDue(t);
  writeRules(treasury, [{ ...CLAIMS, feeAtMost: 5 }]);
  for (const verb of ['plan', 'once', 'run', 'rules']) {
    const { exit, stderr } = await runOn(treasury, ['keeper', verb]);
    t.is(exit, EXIT.invalid, verb);
    t.regex(stderr, /rule 1, feeAtMost: expected a text/);
  }
  t.is((await payment.executions()).length, 0);
  t.is(await treasury.satoshisOf(erin), 0n);
});
