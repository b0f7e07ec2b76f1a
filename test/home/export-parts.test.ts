import test from 'ava';
import { firstSecond, lastSecond } from '../../src/home/export/moment.js';
import { movementsOf } from '../../src/home/export/movement.js';
import { TreasuryError } from '../../src/errors.js';
import { EVENT_TYPES, type EventRecord } from '../../src/record/events.js';

test('moment › given a day, a time or seconds › it is UTC, and a day ends with its last second', (t) => {
  t.is(firstSecond('2026-06-01', 'from'), 1_780_272_000);
  t.is(lastSecond('2026-06-01', 'to'), 1_780_272_000 + 86_399);
  t.is(firstSecond('2026-06-01T12:30', 'from'), 1_780_272_000 + 45_000);
  t.is(lastSecond('2026-06-01T12:30:05Z', 'to'), 1_780_272_000 + 45_005);
  t.is(lastSecond('1780272000', 'to'), 1_780_272_000);
});

for (const text of ['yesterday', '2026-02-30', '2026-13-01', '01/06/2026', '', '-5', '2026-06-01T25:00']) {
  test(`moment › given "${text}" › it is invalid_input`, (t) => {
    const error = t.throws(() => firstSecond(text, 'from'), { instanceOf: TreasuryError });
    t.is(error.code, 'invalid_input');
  });
}

const eventOf = (changes: Partial<EventRecord>): EventRecord => ({
  id: 'e',
  entity_type: 'stream',
  entity_id: 'r',
  event_type: 'funded',
  actor: 'alice',
  amount: 100n,
  decimals: 8,
  tx_hash: 'ab'.repeat(32),
  details: {},
  height: null,
  certainty: 'seen',
  created_at: 1,
  ...changes,
});

const subject = { category: null, parties: { sender: 'alice', recipient: 'bob' }, held: 100n };

const flows = (changes: Partial<EventRecord>, held = 100n) =>
  movementsOf(eventOf(changes), { ...subject, held }).map(({ flow, party, amount }) => [flow, party, amount]);

test('movements › given each type of event › money moves in, out or back, or not at all', (t) => {
  const found = Object.fromEntries(
    EVENT_TYPES.map((event_type) => [event_type, flows({ event_type }).map(([flow]) => flow)]),
  );
  t.deepEqual(found, {
    created: [],
    funded: ['in'],
    distribution: ['out'],
    claimed: ['out'],
    released: ['out'],
    paused: ['out'],
    resumed: [],
    refilled: ['in'],
    transferred: [],
    cancelled: ['back'],
    completed: [],
    locked: ['in'],
    unlocked: ['back'],
    voted: [],
    deposited: ['in'],
    spent: ['out'],
  });
});

test('movements › given the cancellation of a stream › what was owed and what went back', (t) => {
  const details = { recipient: 'bob', to: 'bob', paidOnChain: '30' };
  t.deepEqual(flows({ event_type: 'cancelled', amount: 70n, details }), [
    ['out', 'bob', 30n],
    ['back', 'alice', 70n],
  ]);
});

test('movements › given the cancellation of a plan › what was due and what went back', (t) => {
  t.deepEqual(
    flows({ entity_type: 'budget', event_type: 'cancelled', amount: 60n, details: { vestedAmount: '40' } }),
    [
      ['out', 'bob', 40n],
      ['back', 'alice', 60n],
    ],
  );
});

test('movements › given the cancellation of a payment, whose event tells what was paid › the rest went back', (t) => {
  const details = { periods: 2, recipient: 'bob' };
  t.deepEqual(flows({ entity_type: 'payment', event_type: 'cancelled', amount: 20n, details }), [
    ['out', 'bob', 20n],
    ['back', 'alice', 80n],
  ]);
});

test('movements › given a claim sent elsewhere › the party is who got it', (t) => {
  const details = { recipient: 'bob', to: 'carol', paidOnChain: '5' };
  t.deepEqual(flows({ event_type: 'claimed', amount: 5n, details }), [['out', 'carol', 5n]]);
});

test('movements › given a pause that pays nothing, or an event without a transaction › there is none', (t) => {
  t.deepEqual(flows({ event_type: 'paused', amount: 0n }), []);
  t.deepEqual(flows({ tx_hash: null }), []);
});

test('movements › given a deposit of BCH and tokens › one for each', (t) => {
  const tokens = `${'aa'.repeat(32)} 7, ${'bb'.repeat(32)} 9`;
  const movements = movementsOf(eventOf({ event_type: 'deposited', details: { tokens } }), subject);
  t.deepEqual(
    movements.map(({ category, amount }) => [category, amount]),
    [
      [null, 100n],
      ['aa'.repeat(32), 7n],
      ['bb'.repeat(32), 9n],
    ],
  );
});

test('movements › given a stake › its asset is the voting token', (t) => {
  const details = { choice: 'FOR', tokenCategory: 'cc'.repeat(32) };
  t.like(movementsOf(eventOf({ event_type: 'unlocked', details }), subject)[0], {
    flow: 'back',
    category: 'cc'.repeat(32),
  });
});
