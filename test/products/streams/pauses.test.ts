import test from 'ava';
import { pausesIn } from '../../../src/products/streams/pauses.js';
import type { EventRecord } from '../../../src/record/events.js';

const event = (event_type: EventRecord['event_type'], created_at: number, details = {}): EventRecord => ({
  id: `${event_type}-${created_at}`,
  entity_type: 'stream',
  entity_id: 'one',
  event_type,
  actor: '',
  amount: 0n,
  decimals: 8,
  tx_hash: 'ab'.repeat(32),
  details,
  height: 1,
  certainty: 'safe',
  created_at,
  told: [],
});

const newestFirst = (...events: EventRecord[]) => events.toReversed();

test('a pause of a vesting stream lies where the chain says, whenever its blocks came', (t) => {
  const events = newestFirst(
    event('paused', 105, { pausedAt: 100 }),
    event('resumed', 155, { stoodStillSeconds: 50 }),
    event('paused', 205, { pausedAt: 200 }),
  );
  t.deepEqual(pausesIn(events, 50), [
    { from: 100, until: 150, movedBySeconds: 50 },
    { from: 200, until: null, movedBySeconds: null },
  ]);
});

test('of the one pause of a RECURRING stream it is known by how much it moved the schedule', (t) => {
  const events = newestFirst(event('paused', 105), event('resumed', 155));
  t.deepEqual(pausesIn(events, 70), [{ from: 105, until: 155, movedBySeconds: 70 }]);
});

test('of several of them only the sum is known', (t) => {
  const events = newestFirst(
    event('paused', 1),
    event('resumed', 2),
    event('paused', 3),
    event('resumed', 4),
  );
  t.deepEqual(
    pausesIn(events, 70).map(({ movedBySeconds }) => movedBySeconds),
    [null, null],
  );
});

test('a cancellation ends a pause, and moves nothing', (t) => {
  const events = newestFirst(
    event('paused', 100, { pausedAt: 100 }),
    event('resumed', 150, { stoodStillSeconds: 50 }),
    event('paused', 200, { pausedAt: 200 }),
    event('cancelled', 300),
  );
  t.deepEqual(pausesIn(events, 50).at(-1), { from: 200, until: 300, movedBySeconds: 0 });
});
