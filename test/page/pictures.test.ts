import test from 'ava';
import { approvalsOf, drawApprovals } from '../../src/page/pictures/approvals.js';
import { drawBudget, groupsOf, shapeOfBudget, type BudgetShown } from '../../src/page/pictures/budget.js';
import { drawPayment, shapeOfPayment, type PaymentShown } from '../../src/page/pictures/payment.js';
import { drawPool, shapeOfPool } from '../../src/page/pictures/pool.js';
import { bySoonest, drawRunways, spanOf, urgencyOf } from '../../src/page/pictures/runway.js';
import { drawTally, shapeOfTally, weightOf, type TallyShown } from '../../src/page/pictures/tally.js';
import { amountAt } from '../../src/page/pictures/steps.js';
import { showDay, showMoment } from '../../src/page/say.js';
import { all, textIn } from './walk.js';

const DAY = 86_400;
const START = 1_780_272_000;
const [ANN, BOB, CAROL] = ['bchtest:ann', 'bchtest:bob', 'bchtest:carol'];
const BCH = { category: null, decimals: 8 };
const WHOLE = { category: null, decimals: 0 };
const on = (day: number) => showMoment(START + day * DAY);

const payment: PaymentShown = {
  payment: {
    payment_id: '#PAY-0001',
    status: 'ACTIVE',
    amount_per_periodOnChain: '10',
    payment_count: 5,
    due_periods: 3,
    claimable_periods: 2,
    claimable_amountOnChain: '20',
    funded_periods: 2,
    total_periods: 24,
    next_payment_date: START,
    intervalSeconds: 7 * DAY,
    runway_ends_at: START + 7 * DAY,
  },
  payment_executions: [{ periods: 2, paid_at: START - 8 * DAY, amountOnChain: '20' }],
};

test('periods are paid, due, due and not funded, or not funded', (t) => {
  const { periods, earlier, counts } = shapeOfPayment(payment, 30);
  t.is(earlier, 0);
  t.is(periods.length, 24);
  t.deepEqual(counts, { paid: 5, due: 2, unpaid: 1, funded: 0, missing: 16 });
  t.deepEqual(
    periods
      .slice(3, 9)
      .map(({ number, state, time }) => [number, state, time === null ? null : (time - START) / DAY]),
    [
      [4, 'paid', -8],
      [5, 'paid', -8],
      [6, 'due', 0],
      [7, 'due', 7],
      [8, 'unpaid', 14],
      [9, 'missing', 21],
    ],
  );
  t.is(periods[0]?.time, null);
});

test('of more periods than there is room for, the last two paid keep their place', (t) => {
  const { periods, earlier, later } = shapeOfPayment(payment, 10);
  t.deepEqual(
    periods.map(({ number }) => number),
    [4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
  );
  t.is(earlier, 3);
  t.is(later, 11);
});

test('a paused payment says of no period when it falls due', (t) => {
  const { periods } = shapeOfPayment({ ...payment, payment: { ...payment.payment, status: 'PAUSED' } }, 30);
  t.true(periods.filter(({ state }) => state !== 'paid').every(({ time }) => time === null));
});

test('of an open end, what is funded and has no room is counted', (t) => {
  const open = {
    ...payment.payment,
    total_periods: null,
    due_periods: 8,
    claimable_periods: 8,
    funded_periods: 11,
  };
  const { periods, later } = shapeOfPayment({ ...payment, payment: open }, 10);
  t.deepEqual([periods.length, later], [10, 3]);
});

test('an open end shows three periods behind what it holds, and a cancelled one none', (t) => {
  const open = { ...payment.payment, total_periods: null, due_periods: 0, claimable_periods: 0 };
  const states = (status: string) =>
    shapeOfPayment({ ...payment, payment: { ...open, status } }, 30).periods.map(({ state }) => state);
  t.deepEqual(states('ACTIVE').slice(5), ['funded', 'funded', 'missing', 'missing', 'missing']);
  t.false(states('CANCELLED').includes('missing'));
});

test('the table of a payment has a row for each period that is drawn', (t) => {
  const { table, drawing } = drawPayment(payment, WHOLE, 340);
  t.is(table.rows.length - 1, all(drawing, 'rect').length);
  t.deepEqual(table.rows[0], ['1 – 3', '', '10 BCH', 'paid']);
  t.deepEqual(table.rows[3], ['6', on(0), '10 BCH', 'due, can be claimed']);
});

const budget: BudgetShown = {
  plan: {
    budget_id: '#BUDGET-0001',
    status: 'ACTIVE',
    startDate: START,
    total_amountOnChain: '60',
    released_amountOnChain: '10',
    releasable_amountOnChain: '20',
    next_unlock: START + 90 * DAY,
    milestones: [
      {
        amountOnChain: '10',
        description: 'one',
        dueAt: null,
        releasedAt: START + 35 * DAY,
        state: 'released',
      },
      {
        amountOnChain: '20',
        description: 'two',
        dueAt: START + 60 * DAY,
        releasedAt: null,
        state: 'releasable',
      },
      {
        amountOnChain: '30',
        description: 'three',
        dueAt: START + 90 * DAY,
        releasedAt: null,
        state: 'pending',
      },
    ],
  },
  chainTime: START + 70 * DAY,
};

test('milestones lie where they were released or fall due, between the start and the last', (t) => {
  const { milestones, first, last } = shapeOfBudget(budget);
  t.deepEqual(
    milestones.map(({ time }) => (time - START) / DAY),
    [35, 60, 90],
  );
  t.deepEqual([first, last], [START, START + 90 * DAY]);
  t.is(shapeOfBudget({ ...budget, chainTime: START + 95 * DAY }).last, START + 95 * DAY);
  t.is(shapeOfBudget({ ...budget, chainTime: START + 900 * DAY }).last, START + 90 * DAY);
});

test('milestones whose marks would cover each other share a label with their sum', (t) => {
  const { milestones } = shapeOfBudget(budget);
  const [one, two, three] = milestones;
  if (one === undefined || two === undefined || three === undefined) return t.fail();
  const scale = { first: START, last: START + 100 * DAY, left: 0, right: 300 };
  const groups = (second: number) =>
    groupsOf(scale, [one, { ...two, time: START + second * DAY }, three], 18).map((group) => group.length);
  t.deepEqual(groups(60), [1, 1, 1]);
  t.deepEqual(groups(41), [1, 1, 1]);
  t.deepEqual(groups(40), [2, 1]);
});

test('the table of a budget says each milestone, its amount and its state', (t) => {
  const { table, caption } = drawBudget(budget, WHOLE, 340);
  t.is(
    caption,
    `1 of 3 milestones released: 10 BCH (16\u00a0%). 20 BCH can be released now. The next falls due on ${showDay(START + 90 * DAY)}.`,
  );
  t.deepEqual(table.rows[1], ['2', on(60), '20 BCH', 'can be released', 'two']);
});

const campaign = {
  campaign: {
    campaign_id: '#REWARD-0001',
    status: 'ACTIVE',
    total_poolOnChain: '100',
    distributed_totalOnChain: '60',
    distributed_count: 4,
    start_date: START,
    created_at: START,
    end_date: null,
  },
  distributions: [
    { recipient: BOB, amountOnChain: '20', distributed_at: START + 20 * DAY },
    { recipient: ANN, amountOnChain: '30', distributed_at: START + 10 * DAY },
  ],
};

test('a pool is drawn down by each reward, and what was paid before those that are known goes first', (t) => {
  const shape = shapeOfPool(campaign, START + 30 * DAY);
  t.is(shape.earlier, 10n);
  t.is(shape.earlierCount, 2);
  t.deepEqual(
    [0, 10, 15, 20, 30].map((day) => amountAt(shape.left, START + day * DAY)),
    [100n, 60n, 60n, 40n, 40n],
  );
  t.is(amountAt(shape.left, START + 10 * DAY - 1) >= 90n, true);
});

test('a reward in a block that is later than the reader’s clock is drawn today', (t) => {
  t.is(shapeOfPool(campaign, START).last, START + 20 * DAY);
});

test('the table of a pool ends with what is left', (t) => {
  const { table, caption } = drawPool({ ...campaign, now: START + 30 * DAY }, WHOLE, 340);
  t.is(table.rows.at(-1)?.at(-1), '40 BCH');
  t.true(caption.endsWith('40 BCH are left.'));
  t.deepEqual(table.rows[1], ['', '2 earlier rewards', '10 BCH', '90 BCH']);
});

const spend = (status: string, signed: readonly string[]) => ({
  signers: [ANN, BOB, CAROL],
  me: BOB,
  spend: {
    label: 'SPEND-0001',
    status,
    signatures: signed.map((signer) => ({ signer, signedAt: START })),
    signaturesNeeded: 2 - signed.length,
  },
});

test('a signer has signed, is waited for, or is not needed any more', (t) => {
  const states = (status: string, signed: readonly string[]) =>
    approvalsOf(spend(status, signed)).map(({ state }) => state);
  t.deepEqual(states('PENDING', []), ['waits', 'waits', 'waits']);
  t.deepEqual(states('PENDING', [CAROL]), ['waits', 'waits', 'signed']);
  t.deepEqual(states('READY', [CAROL, ANN]), ['signed', 'needless', 'signed']);
  t.deepEqual(states('CANCELLED', [ANN]), ['signed', 'needless', 'needless']);
});

test('the table of approvals says who has signed when, and who looks at it', (t) => {
  const { table, caption } = drawApprovals(spend('PENDING', [ANN]), 340);
  t.is(
    caption,
    '1 of 2 signatures are there; 1 more is needed, from any of the others. You have not signed it.',
  );
  t.deepEqual(table.rows, [
    ['Signer 1', ANN, 'signed', on(0)],
    ['Signer 2 (you)', BOB, 'not signed', ''],
    ['Signer 3', CAROL, 'not signed', ''],
  ]);
});

const proposal: TallyShown = {
  title: 'A handbook',
  status: 'ACTIVE',
  quorum: 1000,
  votingEndsAt: '2026-12-01T00:00:00.000Z',
  tokenCategory: 'ab'.repeat(32),
  votes: [
    { vote: 'FOR', weightExact: '612.5', method: 'locked' },
    { vote: 'FOR', weightExact: '0.000000000000000001', method: 'locked' },
    { vote: 'AGAINST', weightExact: '250', method: 'locked' },
    { vote: 'ABSTAIN', weightExact: '7', method: 'off-chain' },
  ],
};

test('weights are exact whatever they are written with', (t) => {
  t.is(weightOf('1'), 10n ** 18n);
  t.is(weightOf('0.5'), 5n * 10n ** 17n);
  t.is(weightOf('1e-7'), 10n ** 11n);
  t.is(weightOf('1.5e+3'), 1500n * 10n ** 18n);
  t.is(weightOf('0'), 0n);
});

test('only locked votes count where a token is fixed, and all where none is', (t) => {
  const fixed = shapeOfTally(proposal);
  t.is(fixed.turnout, weightOf('862.500000000000000001'));
  t.is(fixed.uncounted, 1);
  const any = shapeOfTally({ ...proposal, tokenCategory: null });
  t.is(any.turnout, weightOf('869.500000000000000001'));
  t.is(any.uncounted, 0);
});

test('the table of a tally has the figures that stand beside its bars', (t) => {
  const { table, drawing, caption } = drawTally(proposal, 340);
  const drawn = textIn(drawing);
  for (const row of table.rows) t.true(drawn.includes(row[1] ?? ''), row[1]);
  t.regex(caption, /137\.499999999999999999 more must vote/);
});

test('a bar is as long as its share, and the quorum stands where it is reached', (t) => {
  const { drawing } = drawTally({ ...proposal, votes: proposal.votes.slice(0, 1), quorum: 1225 }, 340);
  const bars = all(drawing, 'rect').filter(({ props }) => props['class'] !== 'trough');
  t.deepEqual(
    bars.map(({ props }) => Number(props['width'])),
    [320, 0, 0, 160],
  );
  const [mark] = all(drawing, 'path').filter(({ props }) => props['class'] === 'quorum');
  t.regex(String(mark?.props['d']), /^M330 /);
});

const runway = (label: string, endsAt: number | null) => ({ label, to: ANN, endsAt, held: 5n, asset: BCH });

test('what runs dry is told by how soon: at the end itself it is dry', (t) => {
  const at = (endsAt: number | null) => urgencyOf(runway('a', endsAt), START);
  t.deepEqual(
    [
      null,
      START,
      START + 1,
      START + 7 * DAY,
      START + 7 * DAY + 1,
      START + 30 * DAY,
      START + 30 * DAY + 1,
    ].map(at),
    ['dry', 'dry', 'week', 'week', 'month', 'month', 'later'],
  );
});

test('runways stand by how soon they end, over a week at least and a year at most', (t) => {
  const few = [runway('late', START + 3 * DAY), runway('dry', null), runway('soon', START + DAY)];
  t.deepEqual(
    bySoonest(few).map(({ label }) => label),
    ['dry', 'soon', 'late'],
  );
  t.deepEqual(spanOf(few, START), [START, START + 7 * DAY]);
  t.deepEqual(spanOf([runway('far', START + 4_000 * DAY)], START), [START, START + 365 * DAY]);
});

test('the table of runways has those that are not drawn too', (t) => {
  const lots = Array.from({ length: 20 }, (_, index) =>
    runway(`PAY-${index + 10}`, START + (index + 1) * DAY),
  );
  const { table, drawing, caption } = drawRunways(lots, START, 340);
  t.is(table.rows.length, 20);
  t.is(all(drawing, 'rect').filter(({ props }) => props['class'] === 'trough').length, 15);
  t.is(
    caption,
    `PAY-10 runs dry next, on ${showDay(START + DAY)}. 20 run dry within 30 days. 5 more stand in the table.`,
  );
  t.deepEqual(table.rows[0], ['PAY-10', ANN, '0.00000005 BCH', showDay(START + DAY)]);
});
