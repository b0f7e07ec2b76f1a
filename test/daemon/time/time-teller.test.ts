import test, { type ExecutionContext } from 'ava';
import { alice, bob } from '../../../fixtures/people.js';
import { timeTeller, type TimeTeller } from '../../../src/daemon/time/time-teller.js';
import { loadTimetables } from '../../../src/products/index.js';
import type { Context } from '../../../src/operation/context.js';
import { eventLog, type LoggedEvent } from '../../../src/record/event-log.js';
import { milestones, fundPlan } from '../../products/budgets/plan.js';
import { propose } from '../../products/governance/proposal.js';
import { advance, createPayment, DAY, fundPayment } from '../../products/payments/payment.js';
import { fundStream } from '../../products/streams/stream.js';
import { openTreasury, type Treasury } from '../../treasury.js';

type Told = LoggedEvent & { readonly sequence: number };

/** What time has brought, as the log has it. */
const told = async ({ app }: Treasury, types?: readonly string[]): Promise<readonly Told[]> => {
  const { entries } = await app.context.store.readLog(eventLog, { after: 0, limit: 10_000 });
  const brought = ['payment.due', 'stream.claimable', 'budget.milestone_due', 'runway.ending', 'proposal.'];
  return entries.filter(({ type }) =>
    (types ?? brought).some((start) => type.startsWith(start) && type !== 'proposal.created'),
  );
};

const typesOf = (events: readonly Told[]): string[] => events.map(({ type }) => type);

/** A teller that looks when it is told to. */
const tellerOf = async ({ app }: Treasury, changes: Partial<Context> = {}): Promise<TimeTeller> =>
  timeTeller({ context: { ...app.context, ...changes }, timetables: await loadTimetables() });

const openWith = async (t: ExecutionContext): Promise<readonly [Treasury, TimeTeller]> => {
  const treasury = await openTreasury(t);
  return [treasury, await tellerOf(treasury)];
};

test('payments › given periods that fall due › each is told once, and by whom it is known', async (t) => {
  const [treasury, teller] = await openWith(t);
  const payment = await fundPayment(treasury);
  await teller.look();
  t.deepEqual(await told(treasury), []);
  await advance(treasury, DAY + 60);
  await teller.look();
  await teller.look();
  await advance(treasury, DAY);
  await teller.look();
  const events = await told(treasury);
  t.deepEqual(typesOf(events), ['payment.due', 'payment.due']);
  const [first, second] = events;
  t.like(first, {
    certainty: null,
    txHash: null,
    subject: { kind: 'payment', label: '#PAY-0001', id: payment.id },
    data: { amount: '0.001', amountOnChain: '100000', asset: 'BCH', decimals: 8, period: 1, periods: 1 },
  });
  t.is(first?.parties.length, 2);
  t.like(second?.data, { period: 2, periods: 1, unpaid: 2 });
  t.is((second?.time ?? 0) - (first?.time ?? 0), DAY);
});

test('payments › given a clock that jumps, forth and back › it is told late, in one event, and never twice', async (t) => {
  const treasury = await openTreasury(t);
  await fundPayment(treasury);
  let shift = 0;
  const { chain } = treasury.app.context;
  const tip = async () => {
    const now = await chain.tip();
    return { ...now, medianTimePast: now.medianTimePast + shift };
  };
  const teller = await tellerOf(treasury, { chain: { ...chain, tip } });
  await teller.look();
  for (const days of [5, 1, 0, 5, 3, 6, 2, 6]) {
    shift = days * DAY + 60;
    await teller.look();
  }
  const due = await told(treasury, ['payment.due']);
  t.deepEqual(
    due.map(({ data }) => [data['period'], data['periods']]),
    [
      [5, 5],
      [6, 1],
    ],
  );
});

test('payments › given a claim before anybody looked › what was paid is not told as due', async (t) => {
  const [treasury, teller] = await openWith(t);
  const payment = await fundPayment(treasury);
  await advance(treasury, 3 * DAY + 60);
  await payment.move('claim');
  await teller.look();
  t.deepEqual(await told(treasury, ['payment.due']), []);
  await advance(treasury, DAY);
  await teller.look();
  t.like((await told(treasury, ['payment.due']))[0]?.data, { period: 4, periods: 1 });
});

test('payments › given two services, and one that is started anew › each period is told once', async (t) => {
  const [treasury, teller] = await openWith(t);
  await fundPayment(treasury);
  const other = await tellerOf(treasury);
  for (let day = 1; day <= 3; day += 1) {
    await advance(treasury, DAY + 5);
    await Promise.all([teller.look(), other.look()]);
    await (await tellerOf(treasury)).look();
  }
  t.is((await told(treasury, ['payment.due'])).length, 3);
});

test('payments › given one that was not funded, and one that is paused › nothing is told', async (t) => {
  const [treasury, teller] = await openWith(t);
  await createPayment(treasury);
  await advance(treasury, 20 * DAY);
  await teller.look();
  t.deepEqual(await told(treasury), []);
});

test('runways › given an end › it is told 7 days and 1 day before, and anew for another end', async (t) => {
  const [treasury, teller] = await openWith(t);
  // Twelve periods: the last of them falls due on day 12.
  const payment = await fundPayment(treasury);
  const days: unknown[] = [];
  const look = async (): Promise<void> => {
    await teller.look();
    const runways = await told(treasury, ['runway.ending']);
    days.push(runways.map(({ data }) => data['days']));
  };
  await advance(treasury, 4 * DAY);
  await look();
  await advance(treasury, DAY + 60);
  await look();
  await advance(treasury, 6 * DAY);
  await look();
  t.deepEqual(days, [[], [7], [7, 1]]);
  await payment.move('refill', { periods: 10 });
  await look();
  await advance(treasury, 4 * DAY);
  await look();
  t.deepEqual(days.slice(3), [
    [7, 1],
    [7, 1, 7],
  ]);
  const [first] = await told(treasury, ['runway.ending']);
  t.like(first?.data, { days: 7, amount: '0.012', perPeriod: '0.001' });
  t.is(Number(first?.data['endsAt']) - (first?.time ?? 0), 7 * DAY);
});

test('runways › given a term that is funded to its end › none is told', async (t) => {
  const [treasury, teller] = await openWith(t);
  const start = (await treasury.app.context.chain.tip()).medianTimePast;
  await fundPayment(treasury, { startDate: start, endDate: start + 5 * DAY + 60 });
  await advance(treasury, 10 * DAY);
  await teller.look();
  t.deepEqual(typesOf(await told(treasury)), ['payment.due']);
  t.like((await told(treasury))[0]?.data, { period: 5, periods: 5 });
});

test('streams › given one that vests all the time › it is told at every tenth', async (t) => {
  const [treasury, teller] = await openWith(t);
  await fundStream(treasury);
  for (let day = 0; day < 101; day += 5) {
    await teller.look();
    await advance(treasury, 5 * DAY);
  }
  await teller.look();
  const events = await told(treasury, ['stream.claimable']);
  t.is(events.length, 10);
  t.like(events.at(-1)?.data, { vested: '0.1', total: '0.1' });
  const gaps = events.slice(1).map(({ time }, index) => time - (events[index]?.time ?? 0));
  t.deepEqual([...new Set(gaps)], [10 * DAY]);
});

test('streams › given one that vests in steps › each step is told, and what was claimed is not', async (t) => {
  const [treasury, teller] = await openWith(t);
  const stream = await fundStream(treasury, { streamType: 'STEP', intervalSeconds: 10 * DAY });
  await teller.look();
  await advance(treasury, 10 * DAY);
  await teller.look();
  await advance(treasury, 10 * DAY);
  await teller.look();
  t.is((await told(treasury, ['stream.claimable'])).length, 2);
  await advance(treasury, 10 * DAY);
  await stream.move(bob, 'claim');
  await teller.look();
  t.is((await told(treasury, ['stream.claimable'])).length, 2);
});

test('streams › given one by the interval › each interval that is funded is told, and its runway', async (t) => {
  const [treasury, teller] = await openWith(t);
  await fundStream(treasury, {
    streamType: 'RECURRING',
    intervalSeconds: DAY,
    amountPerInterval: '0.01',
    refillable: true,
    endTime: undefined,
  });
  await teller.look();
  for (let day = 0; day < 12; day += 1) {
    await advance(treasury, DAY);
    await teller.look();
  }
  t.is((await told(treasury, ['stream.claimable'])).length, 10);
  t.deepEqual(
    (await told(treasury, ['runway.ending'])).map(({ data }) => data['days']),
    [7, 1],
  );
});

test('budgets › given milestones that fall due › each is told once', async (t) => {
  const [treasury, teller] = await openWith(t);
  await fundPlan(treasury);
  await teller.look();
  await advance(treasury, 10 * DAY + 60);
  await teller.look();
  await advance(treasury, 25 * DAY);
  await teller.look();
  await teller.look();
  const events = await told(treasury, ['budget.milestone_due']);
  t.deepEqual(
    events.map(({ data }) => [data['firstMilestone'], data['lastMilestone'], data['amount']]),
    [
      [1, 1, milestones[0]?.amount],
      [2, 3, '0.0065'],
    ],
  );
});

test('proposals › given the end of a vote › it is told with what it came to, once', async (t) => {
  const [treasury, teller] = await openWith(t);
  const proposalId = await propose(treasury, { quorum: 1 });
  await treasury.ask(alice, 'governance.vote', { proposalId, vote: 'FOR', weight: 2 });
  await teller.look();
  t.deepEqual(await told(treasury, ['vote.ended', 'proposal.']), []);
  await advance(treasury, 8 * DAY);
  await teller.look();
  await (await tellerOf(treasury)).look();
  const events = await told(treasury, ['vote.ended', 'proposal.']);
  t.deepEqual(typesOf(events), ['vote.ended', 'proposal.passed']);
  t.like(events[1]?.data, { status: 'PASSED', for: '2', turnout: '2', quorum: '1' });
  t.is(events[1]?.subject?.id, proposalId);
});

test('proposals › given too few votes › they are told as expired', async (t) => {
  const [treasury, teller] = await openWith(t);
  await propose(treasury);
  await advance(treasury, 8 * DAY);
  await teller.look();
  t.deepEqual(typesOf(await told(treasury, ['vote.ended', 'proposal.'])), ['vote.ended', 'proposal.expired']);
});

test('a look › given nothing that is due › it reads no record', async (t) => {
  const treasury = await openTreasury(t);
  for (let count = 0; count < 3; count += 1) await fundPayment(treasury);
  const { store } = treasury.app.context;
  let reads = 0;
  const counting = {
    ...store,
    get: ((...asked: Parameters<typeof store.get>) => {
      reads += 1;
      return store.get(...asked);
    }) as typeof store.get,
    find: ((...asked: Parameters<typeof store.find>) => {
      reads += 1;
      return store.find(...asked);
    }) as typeof store.find,
  };
  const teller = await tellerOf(treasury, { store: counting });
  await teller.look();
  t.true(reads > 0);
  t.is(teller.size(), 3);
  reads = 0;
  for (let count = 0; count < 10; count += 1) await teller.look();
  t.is(reads, 0);
});
