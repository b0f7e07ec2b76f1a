/** Keepers that are killed, and several at once: nothing is done twice, nothing is lost, and no fee is forgotten. */
import test from 'ava';
import { alice, bob } from '../../fixtures/people.js';
import { TreasuryError } from '../../src/errors.js';
import { giveKeeperLeaseBack, keeperActCollection, takeKeeperLease } from '../../src/record/keeper.js';
import { openLeases } from '../../src/record/leases.js';
import { pendingStepCollection } from '../../src/record/pending-steps.js';
import { advance, DAY, fundPayment, fundTokenPayment } from '../products/payments/payment.js';
import { atLength, AT_LENGTH, IS_LONG } from '../at-length.js';
import { openTreasury, type Treasury } from '../treasury.js';
import {
  CLAIMS,
  inProcess,
  killedAt,
  killedAtEach,
  once,
  processOf,
  remembered,
  TOKEN_CLAIMS,
  withPorts,
  writeRules,
} from './home.js';

const stepsOf = async ({ app: { context } }: Treasury): Promise<number> =>
  (await context.store.find(pendingStepCollection)).total;

for (const asset of ['BCH', 'tokens'] as const) {
  if (asset === 'tokens' && !IS_LONG) continue;
  const length = asset === 'tokens' ? AT_LENGTH : '';
  test(`keeper › killed at every moment of a claim in ${asset} › the next one brings it to its end, once${length}`, async (t) => {
    const treasury = await openTreasury(t);
    const payment = asset === 'BCH' ? await fundPayment(treasury) : await fundTokenPayment(treasury);
    for (let coin = 0; coin < 3; coin += 1) await treasury.give(bob, 500_000n);
    writeRules(treasury, [asset === 'BCH' ? CLAIMS : TOKEN_CLAIMS]);
    const rounds = await killedAtEach(t, { treasury, payment }, async (acts, killed) => {
      t.is(await stepsOf(treasury), 0, killed);
      // One act for each claim of the last days: none is counted twice, and none is forgotten.
      t.is(new Set(acts.map(({ id }) => id)).size, acts.length);
      t.true(acts.length >= 1, killed);
    });
    t.true(rounds > 10, `${rounds} moments`);
  });
}

test('keeper › killed at every moment of a refill › it is never put in twice', async (t) => {
  const treasury = await openTreasury(t);
  const payment = await fundPayment(treasury);
  await treasury.give(bob, 500_000n);
  const rule = { do: 'payments refill', wallet: 'alice', for: 'PAY-0001', before: '3d', periods: 2 };
  writeRules(treasury, [{ ...rule, perDay: '1 BCH' }]);
  await advance(treasury, 10 * DAY);
  await payment.move('claim');
  // Ahead of it is what two periods bring: from here on each day takes one out, and each second day puts two in.
  let put = 0n;
  const poolOf = async () => BigInt(String((await payment.shown())['funded_amountOnChain']));
  for (let moment = 0; moment < 14; moment += atLength(1, 3)) {
    const before = await poolOf();
    const { killed } = killedAt(treasury, moment, 2 * moment + 1);
    await once(killed);
    await advance(treasury, 600);
    const after = inProcess(treasury, 2 * moment + 2);
    for (let again = 0; again < 3; again += 1) await once(after);
    const now = await poolOf();
    // As often as it was needed to be three days ahead, and not once more.
    t.true(now - before <= 400_000n, `moment ${moment}: ${now - before}`);
    t.true(now <= 700_000n, `moment ${moment}: ${now}`);
    put += now - before;
    t.is(await stepsOf(treasury), 0);
    await advance(treasury, 2 * DAY);
    await payment.move('claim');
  }
  t.true(put > 0n);
  const { acts } = await remembered(treasury);
  t.true(acts.every(({ state }) => state === 'done'));
});

test('keeper › two at once on one home › one works and the other says so, exit 8', async (t) => {
  const treasury = await openTreasury(t);
  const payment = await fundPayment(treasury);
  await treasury.give(bob, 500_000n);
  writeRules(treasury, [CLAIMS]);
  await advance(treasury, DAY);
  const both = await Promise.all([once(treasury), once(treasury)]);
  const done = both.flatMap(({ results }) => results.filter(({ result }) => result === 'done'));
  t.is(done.length, 1, JSON.stringify(both));
  for (const { exit, code } of both) if (exit !== 0) t.deepEqual([exit, code], [8, 'keeper_busy']);
  t.is((await payment.executions()).length, 1);
  t.is((await remembered(treasury)).acts.length, 1);
});

test('keeper › one that stood still while another took over › its commit is refused, and it sends nothing', async (t) => {
  const treasury = await openTreasury(t);
  const payment = await fundPayment(treasury);
  await treasury.give(bob, 500_000n);
  writeRules(treasury, [CLAIMS]);
  await advance(treasury, DAY);
  let sent = 0;
  // It stands still between looking and signing; meanwhile another has taken its lease, for a process that seemed gone.
  const still = withPorts(treasury, ({ keys, chain, processes }) => ({
    processes: processOf(1, processes),
    chain: {
      ...chain,
      broadcast: (raw) => {
        sent += 1;
        return chain.broadcast(raw);
      },
    },
    keys: {
      ...keys,
      signTransaction: async (...asked) => {
        await takeKeeperLease(openLeases(inProcess(treasury, 2).app.context, { isDaemon: false }));
        return keys.signTransaction(...asked);
      },
    },
  }));
  const { exit, stderr } = await once(still);
  t.is(exit, 8, stderr);
  t.is(sent, 0);
  t.is(await stepsOf(treasury), 0);
  t.is((await payment.executions()).length, 0);
});

test('keeper › its lease › the fencing number rises with each holder, and never falls', async (t) => {
  const { context } = (await openTreasury(t)).app;
  const keeperOf = (pid: number) =>
    openLeases({ ...context, processes: processOf(pid, context.processes) }, { isDaemon: false });
  const [first, other, second, third] = [keeperOf(1), keeperOf(1), keeperOf(2), keeperOf(3)];
  t.is((await takeKeeperLease(first)).fence, 1);
  t.is((await takeKeeperLease(first)).fence, 1);
  await t.throwsAsync(takeKeeperLease(other), { instanceOf: TreasuryError, code: 'keeper_busy' });
  t.is((await takeKeeperLease(second)).fence, 2);
  t.is((await takeKeeperLease(third)).fence, 3);
  await giveKeeperLeaseBack(third);
  t.is((await takeKeeperLease(other)).fence, 4);
  t.is((await context.store.find(keeperActCollection)).total, 0);
  t.truthy(alice);
});
