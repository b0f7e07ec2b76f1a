/**
 * I2 and I11: the products' TypeScript, the second implementation in exact fractions, and the virtual machine, at every
 * boundary and a second beside it.
 */
import test from 'ava';
import fc from 'fast-check';
import { releasableAt, nextUnlock as nextMilestone } from '../../../src/products/budgets/rules.js';
import {
  nextUnlock as nextPeriod,
  runwayEnd,
  settledPeriods,
  type RecurringSchedule,
} from '../../../src/covenant/recurring/rules.js';
import {
  decodeSchedule,
  encodeSchedule,
  nextUnlock,
  vestedAt,
} from '../../../src/products/streams/schedule.js';
import { budgetCovenant, anyMilestones, type BudgetState } from './budget-model.js';
import { emptyChain, submit, waitUntil, type Chain } from './chain.js';
import { fundingOf, spendOf, type Asked, type Covenant, type Position } from './covenant.js';
import {
  elapsedMilestone,
  hasVested,
  paidUpTo,
  settledBy,
  vestedBy,
  type Milestone,
  type Segment,
} from './exact.js';
import { atLength } from '../../at-length.js';
import { NOW, type Asset } from '../harness/coins.js';
import { anyPaymentTerms, paymentCovenant, type PaymentState } from './payment-model.js';
import { anySegments, streamCovenant, type StreamState } from './stream-model.js';

const settings = (numRuns: number) => ({ seed: 20_261_121, numRuns });
const LARGEST = 2n ** 63n - 1n;
const ID = new Uint8Array(32).fill(7);

const anySchedule = fc.oneof(anySegments(30n), anySegments(100_000n), anySegments(LARGEST));
const anyPlan = fc.oneof(anyMilestones(60n), anyMilestones(LARGEST));

const fail = (what: string, ...values: readonly unknown[]): never => {
  throw new Error(`${what}: ${values.map(String).join(', ')}`);
};

/** Seconds after the start at which a schedule may change, and those beside them. */
const momentsOf = (segments: readonly Segment[]): number[] =>
  segments
    .flatMap(({ offset, step }) => [offset, ...(step > 0 ? [offset + step, offset + 2 * step] : [])])
    .flatMap((at) => [at - 1, at, at + 1]);

test('I2 › given any schedule › what has vested never falls, is 0 before the first offset and the total from the last', (t) => {
  fc.assert(
    fc.property(anySchedule, fc.array(fc.integer({ min: -10, max: 45_000_000 })), (segments, times) => {
      const first = segments[0]?.offset ?? 0;
      const last = segments.at(-1);
      let before = 0n;
      for (const time of [...times, ...momentsOf(segments)].sort((a, b) => a - b)) {
        const { amount } = vestedAt(segments, time);
        if (amount < before) fail('it falls', time, before, amount);
        if (time < first && amount !== 0n) fail('it has begun', time, amount);
        if (last !== undefined && time >= last.offset && amount !== last.cumulative)
          fail('it has not ended', time);
        before = amount;
      }
    }),
    settings(300),
  );
  t.pass();
});

test('I11 › streams › given any schedule and second › vested is the largest amount that the exact fraction holds', (t) => {
  fc.assert(
    fc.property(anySchedule, fc.integer({ min: -10, max: 45_000_000 }), (segments, time) => {
      for (const at of [time, ...momentsOf(segments)]) {
        const { amount } = vestedAt(segments, at);
        if (amount !== vestedBy(segments, at)) fail('they differ', at, amount, vestedBy(segments, at));
        if (!hasVested(segments, at, amount) || hasVested(segments, at, amount + 1n))
          fail('rounded', at, amount);
      }
    }),
    settings(300),
  );
  t.pass();
});

test('I11 › streams › given any schedule and second › the next unlock is the first second with more', (t) => {
  fc.assert(
    fc.property(anySchedule, fc.integer({ min: -10, max: 45_000_000 }), (segments, time) => {
      for (const at of [time, ...momentsOf(segments)]) {
        const next = nextUnlock(segments, at);
        const now = vestedBy(segments, at);
        const total = segments.at(-1)?.cumulative ?? 0n;
        if (next === null) {
          if (now !== total) fail('nothing more is said to come', at, now, total);
        } else if (next <= at || vestedBy(segments, next) <= now || vestedBy(segments, next - 1) !== now) {
          fail('it is another second', at, next);
        }
      }
    }),
    settings(200),
  );
  t.pass();
});

test('I11 › streams › given any schedule › its parameter reads back as it was', (t) => {
  fc.assert(
    fc.property(anySchedule, (segments) => {
      t.deepEqual(decodeSchedule(encodeSchedule(segments)), [...segments]);
    }),
    settings(50),
  );
});

/** A plan's record as far as its rules read it. */
const planOf = (milestones: readonly Milestone[], state: BudgetState) => ({
  milestones: milestones.map(({ seconds, amount }, index) => ({
    durationSeconds: seconds - (milestones[index - 1]?.seconds ?? 0),
    amount: amount - (milestones[index - 1]?.amount ?? 0n),
    description: '',
  })),
  current_milestone: state.current,
  anchor: state.anchor,
  paused_at: state.status === 1 ? state.pausedAt : null,
});

const anyPlace = fc.record({
  current: fc.nat({ max: 6 }),
  late: fc.nat({ max: 5_000 }),
  isPaused: fc.boolean(),
});

test('I11 › budgets › given any plan and second › releasable is what the exact schedule says', (t) => {
  fc.assert(
    fc.property(anyPlan, anyPlace, (milestones, { current: wanted, late, isPaused }) => {
      const current = Math.min(wanted, milestones.length);
      const anchor = NOW + (milestones[current - 1]?.seconds ?? 0);
      const begin = NOW;
      for (const at of milestones.flatMap(({ seconds }) =>
        [-1, 0, 1, late].map((by) => begin + seconds + by),
      )) {
        const state = { status: Number(isPaused), current, anchor, pausedAt: at, recipient: '', flags: 1 };
        const upTo = elapsedMilestone(milestones, state, at);
        const plan = planOf(milestones, state);
        const found = releasableAt(plan, isPaused ? at + 1_000_000 : at);
        const amount = paidUpTo(milestones, upTo) - paidUpTo(milestones, current);
        if (found.upTo !== upTo || found.count !== upTo - current || found.amount !== amount)
          fail('they differ', at, found.upTo, upTo, found.amount, amount);
        const next = nextMilestone(plan, at);
        const expected =
          isPaused || upTo >= milestones.length ? null : begin + (milestones[upTo]?.seconds ?? 0);
        if (next !== expected) fail('the next one differs', at, next, expected);
      }
    }),
    settings(200),
  );
  t.pass();
});

const anyPayment = fc.record({
  terms: anyPaymentTerms,
  paid: fc.nat({ max: 12 }),
  pool: fc.nat({ max: 15 }),
  odd: fc.bigInt({ min: 0n, max: 3_000n }),
});

test('I11 › payments › given any terms and second › settled is what the exact schedule says', (t) => {
  fc.assert(
    fc.property(anyPayment, ({ terms, paid: wanted, pool: funded, odd }) => {
      const paid = terms.periods === 0 ? wanted : Math.min(wanted, terms.periods);
      const pool = BigInt(funded) * terms.amount + (odd % terms.amount);
      const nextDue = terms.firstDue;
      const schedule: RecurringSchedule = {
        amountPerPeriod: terms.amount,
        intervalSeconds: terms.interval,
        periods: terms.periods,
      };
      const balance = { status: 0, nextDue, paid, pool };
      const end = runwayEnd(schedule, balance);
      for (const count of [0, 1, 2, 5, 11, 100]) {
        for (const beside of [-1, 0, 1]) {
          const at = nextDue + count * terms.interval + beside;
          const settled = settledBy(terms, { nextDue, paid, pool }, at);
          const found = settledPeriods(schedule, balance, at);
          if (BigInt(found) !== settled) fail('they differ', at, found, settled);
          if (settledPeriods(schedule, { ...balance, status: 1 }, at) !== 0)
            fail('a paused payment settles', at);
          const next = nextPeriod(schedule, balance, at);
          if (next !== null && terms.periods === 0) {
            const more = settledBy(terms, { nextDue, paid, pool }, next);
            const before = settledBy(terms, { nextDue, paid, pool }, next - 1);
            if (more !== settled + 1n || before !== settled) fail('the next one differs', at, next);
          }
        }
      }
      if (end !== null && terms.periods === 0) {
        const all = settledBy(terms, { nextDue, paid, pool }, end);
        if (all !== pool / terms.amount) fail('the runway ends at another second', end);
      }
    }),
    settings(200),
  );
  t.pass();
});

type Funded<State> = { readonly chain: Chain; readonly position: Position<State> };

const fund = <State>(covenant: Covenant<State>): Funded<State> => {
  const empty = emptyChain(covenant.span.from - 100);
  const { spend, category } = fundingOf(empty, [covenant] as unknown as Covenant<never>[]);
  const { chain, accepted } = submit(empty, spend, () => true);
  if (accepted === null) throw new Error('it is not funded');
  return { chain, position: { category, thread: { txid: accepted.txid, vout: 0 }, state: covenant.first } };
};

/** True when the virtual machine lets a freshly funded covenant pay so much at a second. */
const isPaid = <State>(
  covenant: Covenant<State>,
  { chain, position }: Funded<State>,
  { call, asked, at }: { readonly call: string; readonly asked: Asked; readonly at: number },
): boolean => {
  const later = waitUntil(chain, at + 1);
  const attempt = covenant.attempt(position.state, { call, asked, share: 0 }, at);
  const { accepted } = submit(later, spendOf(later, covenant, position, attempt, at), () => true);
  return accepted !== null;
};

/** At a second: TypeScript's answer is accepted when there is one, and a unit more is refused. */
const checkAt = <State>(
  covenant: Covenant<State>,
  funded: Funded<State>,
  call: string,
  at: number,
  answer: bigint,
): void => {
  const all = covenant.attempt(covenant.first, { call, asked: 'all', share: 0 }, at);
  const asked = all.args.at(call === 'claim' && covenant.name === 'stream' ? -2 : -1);
  if (asked !== answer) fail('the model asks for another amount', at, answer);
  if (isPaid(covenant, funded, { call, asked: 'all', at }) !== answer > 0n) fail('all of it', at, answer);
  if (isPaid(covenant, funded, { call, asked: 'more', at })) fail('a unit more is paid', at, answer);
  const push = covenant.attempt(covenant.first, { call: 'push', asked: 'all', share: 0 }, at);
  const isPushed = isPaid(covenant, funded, { call: 'push', asked: 'all', at });
  if (isPushed !== push.isAllowed) fail('a push', at, answer);
  if (isPushed && push.pays[0]?.amount !== all.pays[0]?.amount) fail('a push of another amount', at, answer);
};

const EARLY = 100;

for (const asset of ['BCH', 'tokens'] as const satisfies readonly Asset[]) {
  const most = asset === 'BCH' ? 2_000_000_000_000_000n : LARGEST;

  test(`I11 › stream (${asset}) › at every boundary › the VM pays what TypeScript says, and not a unit more`, (t) => {
    fc.assert(
      fc.property(fc.oneof(anySegments(500n), anySegments(most)), (segments) => {
        const covenant: Covenant<StreamState> = streamCovenant({
          asset,
          id: ID,
          segments,
          start: NOW,
          flags: 3,
          least: asset === 'BCH' ? 546n : 1n,
        });
        const funded = fund(covenant);
        const moments = momentsOf(segments).filter((at) => at > -EARLY);
        for (const at of moments) checkAt(covenant, funded, 'claim', NOW + at, vestedAt(segments, at).amount);
      }),
      settings(atLength(6, 2)),
    );
    t.pass();
  });

  test(`I11 › budget-plan (${asset}) › at every boundary › the VM releases what TypeScript says, and not one more`, (t) => {
    fc.assert(
      fc.property(fc.oneof(anyMilestones(6_000n), anyMilestones(most)), (milestones) => {
        const covenant = budgetCovenant({
          asset,
          id: ID,
          milestones,
          start: NOW,
          flags: 1,
          least: asset === 'BCH' ? 546n : 1n,
        });
        const funded = fund(covenant);
        for (const at of milestones.flatMap(({ seconds }) => [-1, 0, 1].map((by) => NOW + seconds + by))) {
          const { upTo } = releasableAt(planOf(milestones, covenant.first), at);
          checkAt(covenant, funded, 'release', at, BigInt(upTo));
        }
      }),
      settings(atLength(6, 2)),
    );
    t.pass();
  });

  test(`I11 › recurring-payment (${asset}) › at every boundary › the VM pays what TypeScript says, and not one more`, (t) => {
    fc.assert(
      fc.property(anyPaymentTerms, (drawn) => {
        const terms = { ...drawn, asset };
        const covenant: Covenant<PaymentState> = paymentCovenant(terms);
        const funded = fund(covenant);
        const schedule = {
          amountPerPeriod: terms.amount,
          intervalSeconds: terms.interval,
          periods: terms.periods,
        };
        for (const count of [0, 1, terms.funded - 1, terms.funded]) {
          for (const by of [-1, 0, 1]) {
            const at = terms.firstDue + count * terms.interval + by;
            checkAt(covenant, funded, 'claim', at, BigInt(settledPeriods(schedule, covenant.first, at)));
          }
        }
      }),
      settings(atLength(6, 2)),
    );
    t.pass();
  });
}
