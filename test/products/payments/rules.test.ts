import test from 'ava';
import fc from 'fast-check';
import {
  afterPeriods,
  duePeriods,
  fundablePeriods,
  fundedPeriods,
  nextUnlock,
  periodsUntil,
  runwayEnd,
  settledPeriods,
  upfrontPeriods,
  type RecurringBalance,
  type RecurringSchedule,
} from '../../../src/covenant/recurring/rules.js';

type Case = { readonly schedule: RecurringSchedule; readonly balance: RecurringBalance };

const EPOCH = 1_700_000_000;

/** Schedules and balances that the covenant allows: a fixed term never holds more than it still owes. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    amountPerPeriod: fc.bigInt(1n, 1_000_000n),
    intervalSeconds: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 40_000_000 })),
    term: fc.option(fc.integer({ min: 1, max: 40 }), { nil: 0 }),
    paidShare: fc.nat({ max: 40 }),
    fundedWish: fc.nat({ max: 40 }),
    change: fc.bigInt(0n, 999_999n),
    nextDue: fc.integer({ min: EPOCH, max: EPOCH + 1_000 }),
    status: fc.constantFrom(0, 0, 0, 1),
  })
  .map(({ amountPerPeriod, intervalSeconds, term, paidShare, fundedWish, change, nextDue, status }) => {
    const paid = term === 0 ? paidShare : Math.min(paidShare, term - 1);
    const funded = term === 0 ? fundedWish : Math.min(fundedWish, term - paid);
    const isFull = term !== 0 && funded === term - paid;
    const pool = BigInt(funded) * amountPerPeriod + (isFull ? 0n : change % amountPerPeriod);
    return {
      schedule: { amountPerPeriod, intervalSeconds, periods: term },
      balance: { status, nextDue, paid, pool },
    };
  });

/** Settled periods counted one by one, with neither a division nor a minimum. */
const countSettled = ({ schedule, balance }: Case, now: number): number => {
  let [count, left, dueAt] = [0, balance.pool, BigInt(balance.nextDue)];
  for (;;) {
    const isPaused = balance.status !== 0;
    const isOver = schedule.periods !== 0 && balance.paid + count >= schedule.periods;
    const isFunded = left >= schedule.amountPerPeriod;
    if (isPaused || isOver || !isFunded || dueAt > BigInt(now)) return count;
    count += 1;
    left -= schedule.amountPerPeriod;
    dueAt += BigInt(schedule.intervalSeconds);
  }
};

/** Each time at which a period falls due, with the second before and after it. */
const boundaries = ({ schedule, balance }: Case): number[] =>
  Array.from({ length: 45 }, (_, index) => balance.nextDue + (index - 1) * schedule.intervalSeconds).flatMap(
    (at) => [at - 1, at, at + 1],
  );

test('settled is what is counted one by one, at t-1, t and t+1 of every boundary', (t) => {
  fc.assert(
    fc.property(cases, (given) => {
      for (const now of boundaries(given))
        if (settledPeriods(given.schedule, given.balance, now) !== countSettled(given, now)) return false;
      return true;
    }),
    { numRuns: 300 },
  );
  t.pass();
});

test('settled never falls with time, and never exceeds what is due or funded', (t) => {
  fc.assert(
    fc.property(cases, ({ schedule, balance }) => {
      let earlier = 0;
      for (const now of boundaries({ schedule, balance }).sort((a, b) => a - b)) {
        const settled = settledPeriods(schedule, balance, now);
        if (settled < earlier) return false;
        if (settled > duePeriods(schedule, balance, now)) return false;
        if (settled > fundedPeriods(schedule, balance.pool)) return false;
        earlier = settled;
      }
      return true;
    }),
  );
  t.pass();
});

test('claiming in parts leaves the same as claiming at once', (t) => {
  fc.assert(
    fc.property(cases, fc.nat({ max: 40 }), fc.nat({ max: 60 }), ({ schedule, balance }, part, later) => {
      const now = balance.nextDue + later * schedule.intervalSeconds;
      const settled = settledPeriods(schedule, balance, now);
      const first = Math.min(part, settled);
      const between = afterPeriods(schedule, balance, first);
      const rest = settledPeriods(schedule, between, now);
      if (rest !== settled - first) return false;
      const [inParts, atOnce] = [
        afterPeriods(schedule, between, rest),
        afterPeriods(schedule, balance, settled),
      ];
      return (
        inParts.pool === atOnce.pool && inParts.nextDue === atOnce.nextDue && inParts.paid === atOnce.paid
      );
    }),
  );
  t.pass();
});

test('the next unlock is the very second at which one period more is settled', (t) => {
  fc.assert(
    fc.property(cases, fc.nat({ max: 60 }), ({ schedule, balance }, later) => {
      const now = balance.nextDue + (later - 1) * schedule.intervalSeconds;
      const settled = settledPeriods(schedule, balance, now);
      const at = nextUnlock(schedule, balance, now);
      if (at === null) {
        const never = settledPeriods(schedule, balance, now + 100 * schedule.intervalSeconds);
        return never === settled;
      }
      return (
        settledPeriods(schedule, balance, at - 1) === settled &&
        settledPeriods(schedule, balance, at) === settled + 1
      );
    }),
  );
  t.pass();
});

test('the runway ends at the very second at which all that is funded is settled', (t) => {
  fc.assert(
    fc.property(cases, ({ schedule, balance }) => {
      const end = runwayEnd(schedule, balance);
      const funded = fundedPeriods(schedule, balance.pool);
      if (end === null) return balance.status !== 0 || funded === 0;
      return (
        settledPeriods(schedule, balance, end) === funded &&
        settledPeriods(schedule, balance, end - 1) === funded - 1
      );
    }),
  );
  t.pass();
});

test('a period due at the end of the term counts, and one a second later does not', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: EPOCH, max: EPOCH + 1_000 }),
      fc.integer({ min: 0, max: 50_000 }),
      fc.integer({ min: 1, max: 5_000 }),
      (start, span, interval) => {
        const periods = periodsUntil(start, start + span, interval);
        return start + periods * interval <= start + span && start + (periods + 1) * interval > start + span;
      },
    ),
  );
  t.is(periodsUntil(EPOCH, EPOCH + 3 * 86_400, 86_400), 3);
  t.is(periodsUntil(EPOCH, EPOCH + 3 * 86_400 - 1, 86_400), 2);
  t.is(periodsUntil(EPOCH, EPOCH - 1, 86_400), 0);
});

test('funding puts in twelve periods, and fewer when the term has fewer', (t) => {
  t.is(upfrontPeriods({ periods: 0 }), 12);
  t.is(upfrontPeriods({ periods: 11 }), 11);
  t.is(upfrontPeriods({ periods: 12 }), 12);
  t.is(upfrontPeriods({ periods: 13 }), 12);
});

test('a fixed term can be funded to its end and no further; an open one without limit', (t) => {
  const schedule = { amountPerPeriod: 10n, intervalSeconds: 60, periods: 15 };
  t.is(fundablePeriods(schedule, { paid: 0, pool: 120n }), 3);
  t.is(fundablePeriods(schedule, { paid: 3, pool: 120n }), 0);
  t.is(fundablePeriods({ ...schedule, periods: 0 }, { paid: 3, pool: 120n }), null);
});
