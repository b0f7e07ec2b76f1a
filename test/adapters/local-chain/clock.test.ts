import test from 'ava';
import { BOB, ALICE, FEE, fund, openTestChain, payAll, refused, signSpend, START } from './chain-fixture.js';

const BITCOIN = 100_000_000n;
const DAY = 86_400;
/** Not final, so that locks count. */
const UNLOCKED_SEQUENCE = 0xfffffffe;
const BY_TIME = 2 ** 22;

test('clock › given a fresh chain › median time past is the clock', async (t) => {
  const chain = await openTestChain(t);
  const tip = await chain.tip();
  t.is(chain.now(), START);
  t.is(tip.medianTimePast, START);
  t.is(tip.time, START);
});

test('clock › given a tip less than a minute behind › reading it mines nothing', async (t) => {
  const chain = await openTestChain(t);
  const before = await chain.tip();
  chain.wall.seconds += 60;
  t.deepEqual(await chain.tip(), before);
});

test('clock › given a tip more than a minute behind › reading it mines what is needed', async (t) => {
  const chain = await openTestChain(t);
  const before = await chain.tip();
  chain.wall.seconds += 61;
  const after = await chain.tip();
  t.true(after.height > before.height && after.height <= before.height + 11);
  t.true(after.medianTimePast >= chain.now() - 60 && after.medianTimePast <= chain.now());
  t.deepEqual(await chain.tip(), after);
});

test('clock › given a year without a reader › a few blocks catch up', async (t) => {
  const chain = await openTestChain(t);
  const before = await chain.tip();
  chain.wall.seconds += 365 * DAY;
  const status = await chain.status();
  t.true(status.height <= before.height + 11);
  t.is(status.medianTimePast, START + 365 * DAY);
  t.is(status.time, status.now);
});

test('clock › catching up leaves the mempool alone', async (t) => {
  const chain = await openTestChain(t, { automine: false });
  const txid = await chain.faucet(ALICE.lockingBytecode, 10_000n);
  chain.wall.seconds += DAY;
  await chain.tip();
  t.is((await chain.transaction(txid))?.height, null);
});

test('clock › given many blocks within a second › it is never behind the tip', async (t) => {
  const chain = await openTestChain(t);
  const tip = await chain.mine(100);
  t.true(tip.time > START);
  t.is(chain.now(), tip.time);
});

test('clock › given a wall clock that goes back › it does not follow behind the tip', async (t) => {
  const chain = await openTestChain(t);
  chain.wall.seconds -= DAY;
  t.is(chain.now(), START);
  await t.notThrowsAsync(chain.mine(1));
});

test('advance › it moves the clock and median time past by as much, with 11 blocks', async (t) => {
  const chain = await openTestChain(t);
  const before = await chain.tip();
  const after = await chain.advance(30 * DAY);
  t.is(after.height, before.height + 11);
  t.is(chain.now(), START + 30 * DAY);
  t.is(after.medianTimePast, before.medianTimePast + 30 * DAY);
});

test('advance › given a second time › both count', async (t) => {
  const chain = await openTestChain(t);
  await chain.advance(DAY);
  chain.wall.seconds += 5;
  await chain.advance(DAY);
  t.is(chain.now(), START + 2 * DAY + 5);
});

test('advance › given a second › median time past still moves', async (t) => {
  const chain = await openTestChain(t);
  const before = await chain.tip();
  t.true((await chain.advance(1)).medianTimePast > before.medianTimePast);
});

for (const seconds of [0, -5, 1.5, Number.NaN, 2 ** 33]) {
  test(`advance › given ${seconds} seconds › it is refused`, async (t) => {
    const chain = await openTestChain(t);
    const before = await chain.tip();
    await refused(t, chain.advance(seconds), 'invalid_input');
    t.deepEqual(await chain.tip(), before);
  });
}

for (const count of [0, 2.5, 10_001]) {
  test(`mine › given ${count} blocks › it is refused`, async (t) => {
    const chain = await openTestChain(t);
    await refused(t, chain.mine(count), 'invalid_input');
  });
}

test('locktime › given a second before median time past › it is accepted', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const { medianTimePast } = await chain.tip();
  const raw = payAll(coin, BOB, { locktime: medianTimePast - 1, sequence: UNLOCKED_SEQUENCE });
  await t.notThrowsAsync(chain.broadcast(raw));
});

test('locktime › given median time past itself › one second is left', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const { medianTimePast } = await chain.tip();
  const raw = payAll(coin, BOB, { locktime: medianTimePast, sequence: UNLOCKED_SEQUENCE });
  const error = await refused(t, chain.broadcast(raw), 'tx_not_final');
  t.is(error.details['secondsLeft'], 1);
});

test('locktime › given an hour ahead › it is accepted once the seconds left have passed', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const raw = payAll(coin, BOB, { locktime: START + 3_600, sequence: UNLOCKED_SEQUENCE });
  const error = await refused(t, chain.broadcast(raw), 'tx_not_final');
  await chain.advance(Number(error.details['secondsLeft']));
  await t.notThrowsAsync(chain.broadcast(raw));
});

test('locktime › given final sequences › it does not count', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  await t.notThrowsAsync(chain.broadcast(payAll(coin, BOB, { locktime: START + DAY })));
});

test('locktime › given the height of the tip › it is accepted', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const { height } = await chain.tip();
  const raw = payAll(coin, BOB, { locktime: height, sequence: UNLOCKED_SEQUENCE });
  await t.notThrowsAsync(chain.broadcast(raw));
});

test('locktime › given the next height › one block is left', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const { height } = await chain.tip();
  const raw = payAll(coin, BOB, { locktime: height + 1, sequence: UNLOCKED_SEQUENCE });
  const error = await refused(t, chain.broadcast(raw), 'tx_not_final');
  t.is(error.details['blocksLeft'], 1);
  await chain.mine(1);
  await t.notThrowsAsync(chain.broadcast(raw));
});

test('relative lock › given 3 blocks › it is accepted as the third after the coin', async (t) => {
  const chain = await openTestChain(t);
  const raw = payAll(await fund(chain, ALICE, BITCOIN), BOB, { sequence: 3 });
  const error = await refused(t, chain.broadcast(raw), 'tx_not_final');
  t.is(error.details['blocksLeft'], 2);
  await chain.mine(2);
  await t.notThrowsAsync(chain.broadcast(raw));
});

test('relative lock › given a coin in the mempool › it counts as of the next block', async (t) => {
  const chain = await openTestChain(t, { automine: false });
  const coin = await fund(chain, ALICE, BITCOIN);
  const error = await refused(t, chain.broadcast(payAll(coin, BOB, { sequence: 1 })), 'tx_not_final');
  t.is(error.details['blocksLeft'], 1);
  await t.notThrowsAsync(chain.broadcast(payAll(coin, BOB, { sequence: 0 })));
});

test('relative lock › given 2 units of 512 seconds › they run from before the block of the coin', async (t) => {
  const chain = await openTestChain(t);
  await chain.advance(DAY);
  chain.wall.seconds += 50;
  const before = await chain.mine(5);
  const raw = payAll(await fund(chain, ALICE, BITCOIN), BOB, { sequence: BY_TIME + 2 });
  t.is((await chain.tip()).medianTimePast, before.medianTimePast + 50);
  await chain.advance(900);
  const { medianTimePast } = await chain.tip();
  const error = await refused(t, chain.broadcast(raw), 'tx_not_final');
  t.is(error.details['secondsLeft'], before.medianTimePast + 1_024 - medianTimePast);
  await chain.advance(Number(error.details['secondsLeft']));
  await t.notThrowsAsync(chain.broadcast(raw));
});

test('relative lock › given version 1 › it does not count', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  await t.notThrowsAsync(chain.broadcast(payAll(coin, BOB, { sequence: 50, version: 1 })));
});

test('relative lock › given the disable bit › it does not count', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  await t.notThrowsAsync(chain.broadcast(payAll(coin, BOB, { sequence: 2 ** 31 + 50 })));
});

test('broadcast › given a lagging chain › a lock that has passed by the clock is final', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  chain.wall.seconds += DAY;
  const raw = signSpend({
    coins: [coin],
    outputs: [{ lockingBytecode: BOB.lockingBytecode, satoshis: BITCOIN - FEE }],
    locktime: START + DAY - 61,
    sequence: UNLOCKED_SEQUENCE,
  });
  await t.notThrowsAsync(chain.broadcast(raw));
});
