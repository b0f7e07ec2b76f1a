import test from 'ava';
import fc from 'fast-check';
import {
  addSlot,
  createOrderedSlots,
  pageOfSlots,
  removeSlot,
  walkSlots,
  type OrderedSlots,
  type Slot,
} from '../../../src/adapters/store/ordered-slots.js';

const slot = (order: number): Slot<null> => ({ id: String(order), order, row: null });

const listOf = (slots: readonly Slot<null>[]): OrderedSlots<null> => {
  const list = createOrderedSlots<null>();
  for (const each of slots) addSlot(list, each);
  return list;
};

/** Different orders, more of them than one chunk holds. */
const manyOrders = fc.uniqueArray(fc.nat({ max: 100_000 }), { minLength: 1, maxLength: 3_000, size: 'max' });
const ordersOf = (slots: Iterable<Slot<null>>): number[] => Array.from(slots, ({ order }) => order);
const ascending = (a: number, b: number): number => a - b;

test('ordered slots › given slots added in any order › they are walked in theirs', (t) => {
  fc.assert(
    fc.property(manyOrders, (orders) => {
      const list = listOf(orders.map(slot));
      const sorted = orders.toSorted(ascending);
      t.deepEqual(ordersOf(walkSlots(list, 'oldest')), sorted);
      t.deepEqual(ordersOf(walkSlots(list, 'newest')), sorted.toReversed());
      t.is(list.size, orders.length);
    }),
    { numRuns: 30 },
  );
});

test('ordered slots › given slots taken out › the others stay in order', (t) => {
  fc.assert(
    fc.property(manyOrders, fc.integer({ min: 2, max: 5 }), (orders, step) => {
      const slots = orders.map(slot);
      const list = listOf(slots);
      for (const [index, each] of slots.entries()) if (index % step !== 0) removeSlot(list, each);
      const left = orders.filter((_, index) => index % step === 0).toSorted(ascending);
      t.deepEqual(ordersOf(walkSlots(list, 'oldest')), left);
      t.is(list.size, left.length);
    }),
    { numRuns: 30 },
  );
});

test('ordered slots › given a slot that is not there › taking it out changes nothing', (t) => {
  const list = listOf([slot(1), slot(3)]);
  removeSlot(list, slot(3));
  removeSlot(list, slot(2));
  t.deepEqual(ordersOf(walkSlots(list, 'oldest')), [1, 3]);
  t.is(list.size, 2);
});

test('ordered slots › given any page › it is that part of the walk', (t) => {
  fc.assert(
    fc.property(manyOrders, fc.nat({ max: 3_500 }), fc.nat({ max: 1_500 }), (orders, offset, limit) => {
      const list = listOf(orders.map(slot));
      for (const order of ['newest', 'oldest'] as const) {
        const walked = ordersOf(walkSlots(list, order)).slice(offset, offset + limit);
        t.deepEqual(ordersOf(pageOfSlots(list, order, offset, limit)), walked);
      }
    }),
    { numRuns: 50 },
  );
});

test('ordered slots › given a hundred thousand slots added last › no chunk is larger than 512', (t) => {
  const list = listOf(Array.from({ length: 100_000 }, (_, order) => slot(order)));
  t.is(Math.max(...list.chunks.map(({ length }) => length)), 512);
  t.is(list.chunks.length, Math.ceil(100_000 / 512));
});
