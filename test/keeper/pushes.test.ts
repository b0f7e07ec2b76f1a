/** A keeper of the sender: recipients are paid on the day, to the day, and nobody twice. */
import test from 'ava';
import { alice, bob, carol } from '../../fixtures/people.js';
import { EXIT } from '../../src/errors.js';
import { atLength, AT_LENGTH, IS_LONG } from '../at-length.js';
import { fundPlan } from '../products/budgets/plan.js';
import { advance, DAY, fundPayment, fundTokenPayment } from '../products/payments/payment.js';
import { fundStream } from '../products/streams/stream.js';
import { openTreasury } from '../treasury.js';
import { killedAtEach, once, outcomesOf, plan, remembered, withPorts, writeRules } from './home.js';

const PUSHES = { do: 'payments push', wallet: 'alice' };

const openDue = async (t: Parameters<typeof openTreasury>[0]) => {
  const treasury = await openTreasury(t);
  const payment = await fundPayment(treasury, { pushMinimum: '0.001' });
  await advance(treasury, DAY + 60);
  return { treasury, payment };
};

test('keeper › a payroll that is pushed, in BCH and in tokens › everybody is paid on the day, and the sender pays the fees alone', async (t) => {
  const treasury = await openTreasury(t);
  const inBch = await fundPayment(treasury, { pushMinimum: '0.001' });
  const inTokens = await fundTokenPayment(treasury, { pushMinimum: '2.5' });
  await fundPayment(treasury);
  writeRules(treasury, [PUSHES]);
  let fees = 0n;
  for (let day = 1; day <= 3; day += 1) {
    await advance(treasury, DAY + 60);
    const before = await treasury.satoshisOf(alice);
    const { exit, results, stderr } = await once(treasury);
    t.is(exit, 0, stderr);
    t.deepEqual(
      results.map(({ result, task, label }) => [result, task, label]),
      [
        ['done', 'payments push', 'PAY-0002'],
        ['done', 'payments push', 'PAY-0001'],
      ],
    );
    const paid = results.reduce((sum, { fee }) => sum + BigInt(fee ?? 0), 0n);
    // What a day costs is what the wallet has less: fees, and the satoshis that tokens lie on.
    t.is(before - (await treasury.satoshisOf(alice)), paid);
    fees += paid;
    t.deepEqual((await once(treasury)).results, []);
  }
  t.is((await inBch.executions()).length, 3);
  t.is((await inTokens.executions()).length, 3);
  t.is(await treasury.tokensOf(bob, inTokens.category), 750n);
  t.is(await treasury.satoshisOf(bob), 303_000n);
  t.true(fees > 12_000n && fees < 24_000n, String(fees));
  const { acts, faults } = await remembered(treasury);
  t.true(acts.every(({ state }) => state === 'done'));
  t.deepEqual(faults, []);
});

test('keeper › plan › it says what is pushed when, to the satoshi, and what is not due yet', async (t) => {
  const { treasury } = await openDue(t);
  await fundPayment(treasury, { pushMinimum: '0.001' });
  await fundPayment(treasury);
  writeRules(treasury, [PUSHES]);
  const planned = await plan(treasury);
  t.deepEqual(
    planned.plan.map(({ verdict, task, label }) => [verdict, task, label]),
    [
      ['due', 'payments push', '#PAY-0001'],
      ['later', 'payments push', '#PAY-0002'],
    ],
  );
  const { results } = await once(treasury);
  t.is(results[0]?.fee, planned.plan[0]?.fee);
});

test('keeper › streams and budget plans › what has vested and fallen due is pushed', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury, { pushMinimum: '0.001' });
  const budget = await fundPlan(treasury, { pushMinimum: '0.001' });
  await advance(treasury, 11 * DAY);
  writeRules(treasury, [
    { do: 'streams push', wallet: 'alice' },
    { do: 'budgets push', wallet: 'alice' },
  ]);
  const { exit, results } = await once(treasury);
  t.is(exit, 0, JSON.stringify(results));
  t.deepEqual(outcomesOf(results), [
    ['done', 'STREAM-0001'],
    ['done', 'BUDGET-0001'],
  ]);
  t.is((await stream.claims()).length, 1);
  t.is((await budget.shown())['current_milestone'], 1);
});

test('keeper › of another sender › records are pushed that the rule names, and no others', async (t) => {
  const { treasury, payment } = await openDue(t);
  await treasury.give(carol, 100_000n);
  writeRules(treasury, [{ ...PUSHES, wallet: 'carol' }]);
  t.deepEqual((await once(treasury)).results, []);
  writeRules(treasury, [{ ...PUSHES, wallet: 'carol', for: ['PAY-0001'] }]);
  t.like((await once(treasury)).results[0], { result: 'done', label: 'PAY-0001' });
  t.is((await payment.executions()).length, 1);
});

test('keeper › of its own wallet’s income › what is pushed to itself is worth what is paid, in BCH and in tokens', async (t) => {
  const { treasury, payment } = await openDue(t);
  const tokens = await fundTokenPayment(treasury, { pushMinimum: '2.5' });
  for (let coin = 0; coin < 2; coin += 1) await treasury.give(bob, 50_000n);
  await advance(treasury, DAY + 60);
  const own = { ...PUSHES, wallet: 'bob', for: ['PAY-0001', 'PAY-0002'] };
  writeRules(treasury, [{ ...own, perDay: ['0.0015 BCH', '2 GEMS'] }]);
  t.deepEqual(
    (await once(treasury)).results.map(({ result }) => result),
    ['left', 'left'],
  );
  await advance(treasury, 660);
  writeRules(treasury, [own]);
  t.deepEqual(outcomesOf((await once(treasury)).results), [
    ['done', 'PAY-0002'],
    ['done', 'PAY-0001'],
  ]);
  t.like((await payment.executions())[0], { periods: 2 });
  t.is((await tokens.executions()).length, 1);
});

test('keeper › a list of who may be paid › whoever is not in it is not paid, and that is told', async (t) => {
  const { treasury, payment } = await openDue(t);
  writeRules(treasury, [{ ...PUSHES, to: ['carol'] }]);
  const { exit, results } = await once(treasury);
  t.is(exit, EXIT.rule);
  t.regex(results[0]?.message ?? '', /which is not in its "to"/);
  t.is((await payment.executions()).length, 0);
  await advance(treasury, 120);
  writeRules(treasury, [{ ...PUSHES, to: ['carol', 'bob'] }]);
  t.like((await once(treasury)).results[0], { result: 'done' });
});

test('keeper › limits of a day, the least, hours and fees › hold for pushes as for all else', async (t) => {
  const { treasury, payment } = await openDue(t);
  const leftBecause = async (rule: object, more: object, reason: RegExp) => {
    writeRules(treasury, [{ ...PUSHES, ...rule }], { ...more });
    const [first] = (await once(treasury)).results;
    t.is(first?.result, 'left', JSON.stringify(first));
    t.regex(first?.message ?? '', reason);
    t.is((await payment.executions()).length, 0);
  };
  await leftBecause({ perDay: '0.0009 BCH' }, {}, /"perDay" of its rule is 0\.0009 BCH/);
  await leftBecause({ minimum: '0.001 BCH' }, {}, /it brings 0\.0009\d+ BCH, and 0\.001 BCH is the least/);
  await leftBecause({ feeAtMost: '500 sats' }, {}, /its fee is 0\.0000\d+ BCH/);
  await leftBecause({}, { feesPerDay: '500 sats' }, /"feesPerDay" is 0\.000005 BCH/);
  writeRules(treasury, [{ ...PUSHES, between: '00:00-00:01', minimum: '0.0009 BCH' }], { zone: 'UTC' });
  t.deepEqual((await once(treasury)).results, []);
  writeRules(treasury, [{ ...PUSHES, perDay: '0.001 BCH', minimum: '0.0009 BCH' }]);
  t.like((await once(treasury)).results[0], { result: 'done' });
});

test('keeper › a payment that stands still, and one below its minimum › are left alone without a fault', async (t) => {
  const { treasury, payment } = await openDue(t);
  const dear = await fundPayment(treasury, { pushMinimum: '0.002' });
  await payment.move('pause');
  writeRules(treasury, [{ ...PUSHES, for: ['PAY-0001', 'PAY-0002'] }]);
  await advance(treasury, DAY + 60);
  t.deepEqual((await once(treasury)).results, []);
  await advance(treasury, DAY);
  const { results } = await once(treasury);
  t.deepEqual(outcomesOf(results), [['done', 'PAY-0002']]);
  t.like((await dear.executions())[0], { periods: 2 });
  t.deepEqual((await remembered(treasury)).faults, []);
});

test('keeper › the payee claims and the sender pushes at once › the period is paid once, whoever was quicker', async (t) => {
  const { treasury, payment } = await openDue(t);
  await treasury.give(bob, 500_000n);
  let claims = 0;
  // The payee is quicker between the look and the broadcast.
  const raced = withPorts(treasury, ({ chain }) => ({
    chain: {
      ...chain,
      broadcast: async (raw) => {
        claims += 1;
        if (claims === 1) await payment.move('claim');
        return chain.broadcast(raw);
      },
    },
  }));
  writeRules(treasury, [PUSHES]);
  const { results } = await once(raced);
  t.deepEqual(
    results.map(({ result }) => result),
    ['left'],
    JSON.stringify(results),
  );
  t.is((await payment.executions()).length, 1);
  t.is(claims > 0, true);
  // Its own keeper and the sender's, one behind the other.
  await advance(treasury, DAY);
  writeRules(treasury, [{ do: 'payments claim', wallet: 'bob' }, PUSHES]);
  const both = await once(treasury);
  t.deepEqual(
    both.results.map(({ result, task }) => [result, task]),
    [['done', 'payments claim']],
  );
  t.is((await payment.executions()).length, 2);
});

for (const asset of ['BCH', 'tokens'] as const) {
  if (asset === 'tokens' && !IS_LONG) continue;
  const length = asset === 'tokens' ? AT_LENGTH : '';
  test(`keeper › killed at every moment of a push in ${asset} › the next one brings it to its end, once${length}`, async (t) => {
    const treasury = await openTreasury(t);
    const payment =
      asset === 'BCH'
        ? await fundPayment(treasury, { pushMinimum: '0.001' })
        : await fundTokenPayment(treasury, { pushMinimum: '2.5' });
    writeRules(treasury, [PUSHES], { feesPerDay: '1 BCH' });
    const rounds = await killedAtEach(t, { treasury, payment });
    t.true(rounds > atLength(10, 10), `${rounds} moments`);
  });
}
