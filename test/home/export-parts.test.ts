import test from 'ava';
import { movementsOf } from '../../src/home/export/book.js';
import type { CovenantRecord } from '../../src/record/deployable.js';
import { EVENT_TYPES, type EventRecord, type EventType } from '../../src/record/events.js';
import { deployables } from '../products/deployments/registered.js';

const eventOf = (changes: Partial<EventRecord>): EventRecord => ({
  id: 'e',
  entity_type: 'stream',
  entity_id: 'r',
  event_type: 'funded',
  actor: 'alice',
  amount: 100n,
  decimals: 8,
  tx_hash: 'ab'.repeat(32),
  told: [],
  details: {},
  height: null,
  certainty: 'seen',
  created_at: 1,
  ...changes,
});

const record = (fields: Readonly<Record<string, unknown>>) => fields as unknown as CovenantRecord;

const RECORDS = {
  rewards: record({ creator: 'alice', refund_address: 'alice', token_category: null }),
  streams: record({ sender: 'alice', recipient: 'bob', token_category: null }),
  payments: record({ sender: 'alice', recipient: 'bob', token_category: null }),
  budgets: record({ creator: 'alice', recipient: 'bob', tokenCategory: null }),
  vaults: record({ creator: 'alice', signers: [] }),
  governance: null,
} as const;
type Module = keyof typeof RECORDS;

const movementsIn = (module: Module, changes: Partial<EventRecord>, held = 100n) => {
  const product = deployables.find((deployable) => deployable.module === module);
  if (product === undefined) throw new Error(`there is no ${module}`);
  return movementsOf(product, eventOf(changes), RECORDS[module], held);
};

const flows = (module: Module, changes: Partial<EventRecord>, held = 100n) =>
  movementsIn(module, changes, held).map(({ flow, party, amount }) => [flow, party, amount]);

/** A product that tells of an event, and what its event tells. */
const TELLER: Partial<Record<EventType, readonly [Module, EventRecord['details']]>> = {
  distribution: ['rewards', { recipient: 'bob' }],
  released: ['budgets', { firstMilestone: 1, lastMilestone: 2 }],
  claimed: ['streams', { recipient: 'bob', to: 'bob', paidOnChain: '100' }],
  paused: ['payments', { periods: 2, recipient: 'bob' }],
  cancelled: ['rewards', {}],
  locked: ['governance', { choice: 'FOR', tokenCategory: 'cc'.repeat(32) }],
  unlocked: ['governance', { choice: 'FOR', tokenCategory: 'cc'.repeat(32) }],
  deposited: ['vaults', {}],
  spent: ['vaults', { signers: '', unsigned_txid: '' }],
};

test('movements › given each type of event › money moves in, out or back, or not at all', (t) => {
  const found = Object.fromEntries(
    EVENT_TYPES.map((event_type) => {
      const [module, details] = TELLER[event_type] ?? ['payments', { periods: 2 }];
      return [event_type, flows(module, { event_type, details }).map(([flow]) => flow)];
    }),
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
  t.deepEqual(flows('streams', { event_type: 'cancelled', amount: 70n, details }), [
    ['out', 'bob', 30n],
    ['back', 'alice', 70n],
  ]);
});

test('movements › given the cancellation of a plan › what was due and what went back', (t) => {
  const details = { vestedAmount: '40', firstMilestone: 1, lastMilestone: 1 };
  t.deepEqual(flows('budgets', { event_type: 'cancelled', amount: 60n, details }), [
    ['out', 'bob', 40n],
    ['back', 'alice', 60n],
  ]);
});

test('movements › given the cancellation of a payment, whose event tells what was paid › the rest went back', (t) => {
  const details = { periods: 2, recipient: 'bob' };
  t.deepEqual(flows('payments', { event_type: 'cancelled', amount: 20n, details }), [
    ['out', 'bob', 20n],
    ['back', 'alice', 80n],
  ]);
});

test('movements › given a claim sent elsewhere › the party is who got it', (t) => {
  const details = { recipient: 'bob', to: 'carol', paidOnChain: '5' };
  t.deepEqual(flows('streams', { event_type: 'claimed', amount: 5n, details }), [['out', 'carol', 5n]]);
});

test('movements › given a pause that pays nothing, or an event without a transaction › there is none', (t) => {
  t.deepEqual(flows('payments', { event_type: 'paused', amount: 0n, details: { periods: 0 } }), []);
  t.deepEqual(flows('payments', { tx_hash: null }), []);
});

test('movements › given a deposit of BCH and tokens › one for each', (t) => {
  const tokens = `${'aa'.repeat(32)} 7, ${'bb'.repeat(32)} 9`;
  const movements = movementsIn('vaults', { event_type: 'deposited', details: { tokens } });
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
  t.like(movementsIn('governance', { event_type: 'unlocked', details })[0], {
    flow: 'back',
    category: 'cc'.repeat(32),
  });
});
