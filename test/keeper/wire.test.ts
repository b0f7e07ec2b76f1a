/** A payroll that runs itself on a chain behind an Electrum server, in BCH and in tokens. */
import { onEveryChain } from '../acceptance/on-every-chain.js';
import { DAY, fundPayment, fundTokenPayment } from '../products/payments/payment.js';
import { openTreasury } from '../treasury.js';
import { once, remembered, TOKEN_CLAIMS, writeRules } from './home.js';

onEveryChain(
  'a payroll that runs itself pays each period once, in both assets',
  ['advance'],
  async (t, world) => {
    const treasury = await openTreasury(t, world);
    const { alice, bob, authority } = treasury.people;
    await treasury.give(authority, 100_000n);
    const inBch = await fundPayment(treasury);
    const inTokens = await fundTokenPayment(treasury);
    await treasury.chain.mine(1);
    for (let coin = 0; coin < 3; coin += 1) await treasury.give(bob, 500_000n);
    writeRules(treasury, [
      TOKEN_CLAIMS,
      {
        do: 'payments refill',
        wallet: 'alice',
        for: ['PAY-0001', 'PAY-0002'],
        before: '11d',
        periods: 1,
        perDay: ['0.002 BCH', '5 GEMS'],
      },
    ]);
    const start = await treasury.satoshisOf(alice);
    for (let day = 1; day <= 2; day += 1) {
      await treasury.chain.advance(DAY + 600);
      const { exit, results, stderr } = await once(treasury);
      t.is(exit, 0, JSON.stringify(results) + stderr);
      t.deepEqual(
        results.map(({ result, task }) => [result, task]),
        [
          ['done', 'payments claim'],
          ['done', 'payments claim'],
          ['done', 'payments refill'],
          ['done', 'payments refill'],
        ],
        JSON.stringify(results),
      );
      await treasury.chain.mine(1);
      t.deepEqual((await once(treasury)).results, []);
    }
    t.is((await inBch.executions()).length, 2);
    t.is((await inTokens.executions()).length, 2);
    t.is(await treasury.tokensOf(bob, inTokens.category), 500n);
    // alice has put two periods in again, of which she pays the fees.
    t.is((await inBch.shown())['funded_periods'], 12);
    t.true((await treasury.satoshisOf(alice)) < start - 200_000n);
    const { acts, faults } = await remembered(treasury);
    t.is(acts.length, 8);
    t.deepEqual(faults, []);
  },
);
