import test from 'ava';
import fc from 'fast-check';
import { alice, authority, bob, carol } from '../../../fixtures/people.js';
import { witnessOf } from '../../../src/covenant/ticket.js';
import { segmentsOf, vestedAt, type Shape } from '../../../src/products/streams/schedule.js';
import { readState } from '../../../src/products/streams/state.js';
import {
  buildVestingCancel,
  buildVestingClaim,
  buildVestingPause,
  buildVestingResume,
  buildVestingTransfer,
} from '../../../src/products/streams/transactions.js';
import { fixedStream, plainCoin, refusalOf, spendAt, TOKEN } from './fixed-stream.js';
import { anyShape } from './shapes.js';

const START = 1_780_272_000;
const shape: Shape = {
  stream_type: 'LINEAR',
  total_amount: 100_000_000n,
  start_time: START,
  end_time: START + 1_000,
  cliff_timestamp: null,
  interval_seconds: null,
  hybrid_unlock_time: null,
  hybrid_upfront_percentage: null,
  tranche_schedule: null,
};
const toBob = (amount: bigint) => ({ amount, to: bob.address('local') });
const lockOf = (who: typeof bob) => who.address('local').lockingBytecode;

test('I11 › at t-1, t and t+1 of every boundary the VM accepts what has vested, and refuses one unit more', (t) => {
  fc.assert(
    fc.property(anyShape, fc.double({ min: 0, max: 1, noNaN: true }), (any, share) => {
      const segments = segmentsOf(any);
      const offsets = [segments[0], segments[Math.floor(share * segments.length)], segments.at(-1)].map(
        (segment) => segment?.offset ?? 0,
      );
      const stream = (released: bigint) => fixedStream(any, { released, tokenCategory: TOKEN });
      for (const elapsed of new Set(offsets.flatMap((at) => [at - 1, at, at + 1]))) {
        const { amount } = vestedAt(segments, elapsed);
        const released = (amount * BigInt(Math.floor(share * 100))) / 100n;
        const spend = spendAt(stream(released), any.start_time + elapsed);
        const claimable = amount - released;
        if (claimable > 0n) t.is(refusalOf(buildVestingClaim(spend, toBob(claimable))), null);
        if (released + claimable < any.total_amount) {
          t.is(refusalOf(buildVestingClaim(spend, toBob(claimable + 1n))), 'tx_script_failed');
        }
      }
    }),
    { numRuns: 20, seed: 11 },
  );
});

test('I6 › a paused stream can be claimed up to its pause, and not one unit further', (t) => {
  const stream = fixedStream(shape, { pausedAt: START + 300, released: 10_000_000n });
  const spend = spendAt(stream, START + 900);
  t.is(refusalOf(buildVestingClaim(spend, toBob(20_000_000n))), null);
  t.is(refusalOf(buildVestingClaim(spend, toBob(20_000_001n))), 'tx_script_failed');
});

test('claim › given BCH and coins of the recipient › the payout is exact, and the fee comes from the coins', (t) => {
  const unsigned = buildVestingClaim(spendAt(fixedStream(shape), START + 500), toBob(50_000_000n));
  t.is(refusalOf(unsigned), null);
  t.is(unsigned.outputs[1]?.satoshis, 50_000_000n);
  t.is(unsigned.outputs[2]?.satoshis, 100_000n - unsigned.fee);
});

test('claim › given BCH and no coins › the fee comes out of the payout', (t) => {
  const unsigned = buildVestingClaim(spendAt(fixedStream(shape), START + 500, null), toBob(50_000_000n));
  t.is(refusalOf(unsigned), null);
  t.is(unsigned.outputs[1]?.satoshis, 50_000_000n - unsigned.fee);
});

test('claim › given another address › the money goes there, and the recipient’s change comes back', (t) => {
  const order = { amount: 50_000_000n, to: carol.address('local') };
  const rich = buildVestingClaim(spendAt(fixedStream(shape), START + 500), order);
  t.is(refusalOf(rich), null);
  t.deepEqual(
    rich.outputs.slice(1).map(({ lockingBytecode }) => lockingBytecode),
    [lockOf(carol), lockOf(bob)],
  );
  const poor = buildVestingClaim(spendAt(fixedStream(shape), START + 500, null), order);
  t.deepEqual(
    poor.outputs.slice(1).map(({ lockingBytecode }) => lockingBytecode),
    [lockOf(carol)],
  );
});

test('claim › given BCH below dust › it joins the recipient’s change, and without coins it is amount_below_dust', (t) => {
  const unsigned = buildVestingClaim(spendAt(fixedStream(shape), START + 500), toBob(100n));
  t.is(refusalOf(unsigned), null);
  t.is(unsigned.outputs[1]?.satoshis, 100_000n + 100n - unsigned.fee);
  const poor = spendAt(fixedStream(shape), START + 500, null);
  t.throws(() => buildVestingClaim(poor, toBob(100n)), { code: 'amount_below_dust' });
});

test('claim › given a small claim to another address › the recipient’s coins do not go along', (t) => {
  const spend = spendAt(fixedStream(shape), START + 500);
  t.throws(() => buildVestingClaim(spend, { amount: 100n, to: carol.address('local') }), {
    code: 'amount_below_dust',
  });
});

test('claim › given tokens and no coins › it is insufficient_funds, since tokens pay no fee', (t) => {
  const stream = fixedStream(shape, { tokenCategory: TOKEN });
  t.throws(() => buildVestingClaim(spendAt(stream, START + 500, null), toBob(1n)), {
    code: 'insufficient_funds',
  });
});

test('claim › given the last unit › the thread ends, and its dust is the recipient’s', (t) => {
  const stream = fixedStream(shape, { released: 60_000_000n });
  const unsigned = buildVestingClaim(spendAt(stream, START + 1_000), toBob(40_000_000n));
  t.is(refusalOf(unsigned), null);
  t.true(unsigned.outputs.every(({ token }) => token === undefined));
  t.is(unsigned.outputs[0]?.satoshis, 40_000_000n);
});

test('transfer › only the recipient changes', (t) => {
  const stream = fixedStream(shape, { released: 5n });
  const unsigned = buildVestingTransfer(spendAt(stream, START + 500), carol.address('local'));
  t.is(refusalOf(unsigned), null);
  const state = readState(unsigned.outputs[0]?.token?.nft?.commitment ?? '');
  t.like(state, { recipient: carol.address('local').hash, released: 5n, start: START });
  t.is(refusalOf(unsigned, alice), 'tx_script_failed');
});

const witness = () =>
  witnessOf(plainCoin(lockOf(authority), 10_000n), {
    ...authority,
    address: authority.address('local'),
  });
const ticketLast = { txid: '55'.repeat(32) };
const aliceSpend = (stream: ReturnType<typeof fixedStream>, locktime: number) => {
  const spend = spendAt(stream, locktime, 100_000n, alice);
  return { ...spend, payerCoins: spend.payerCoins.map((coin) => ({ ...coin, ...ticketLast })) };
};

for (const tokenCategory of [null, TOKEN]) {
  const asset = tokenCategory === null ? 'BCH' : 'tokens';

  test(`pause and resume, in ${asset} › the schedule is later by exactly as long as it stood still`, (t) => {
    const stream = fixedStream(shape, { tokenCategory });
    const paused = buildVestingPause(aliceSpend(stream, START + 300), witness());
    t.is(refusalOf(paused, alice), null);
    const state = readState(paused.outputs[0]?.token?.nft?.commitment ?? '');
    t.like(state, { status: 1, pausedAt: START + 300, start: START });

    const resumed = buildVestingResume(
      aliceSpend(fixedStream(shape, { tokenCategory, pausedAt: START + 300 }), START + 750),
    );
    t.is(refusalOf(resumed, alice), null);
    const after = readState(resumed.outputs[0]?.token?.nft?.commitment ?? '');
    t.like(after, { status: 0, pausedAt: 0, start: START + 450 });
  });

  test(`I1, I3 › a cancellation in ${asset} splits to the unit: what has vested to the recipient, the rest to the sender`, (t) => {
    const stream = fixedStream(shape, { tokenCategory, released: 10_000_000n });
    for (const [elapsed, owed] of [
      [100, 0n],
      [337, 23_700_000n],
      [1_000, 90_000_000n],
    ] as const) {
      const unsigned = buildVestingCancel(aliceSpend(stream, START + elapsed), witness());
      t.is(refusalOf(unsigned, alice), null, `${elapsed}`);
      const held = (who: typeof bob) =>
        unsigned.outputs
          .filter(({ lockingBytecode }) => lockingBytecode === lockOf(who))
          .reduce(
            (sum, { satoshis, token }) => sum + (tokenCategory === null ? satoshis : (token?.amount ?? 0n)),
            0n,
          );
      t.is(held(bob), owed);
      const rest = 90_000_000n - owed;
      const own = unsigned.inputs.some(({ lockingBytecode }) => lockingBytecode === lockOf(alice))
        ? 100_000n
        : 0n;
      t.is(held(alice), tokenCategory === null ? rest + 1_000n + own - unsigned.fee : rest);
    }
  });
}

test('cancel › given an owed part below dust › the sender raises it', (t) => {
  const stream = fixedStream({ ...shape, total_amount: 100_000n });
  const unsigned = buildVestingCancel(aliceSpend(stream, START + 1), witness());
  t.is(refusalOf(unsigned, alice), null);
  t.is(unsigned.outputs[0]?.lockingBytecode, lockOf(bob));
  t.is(unsigned.outputs[0]?.satoshis, 546n);
});
