import test from 'ava';
import { createDueTimes } from '../../../src/daemon/time/due-times.js';

test('due times › given many in any order › they are taken out in the order of time', (t) => {
  const due = createDueTimes();
  const expected: [string, number][] = [];
  for (let index = 0; index < 2_000; index += 1) {
    const at = (index * 7_919) % 1_000;
    due.set(String(index), at);
    expected.push([String(index), at]);
  }
  t.is(due.next(), 0);
  const taken = due.take(500, Infinity);
  t.is(taken.length, expected.filter(([, at]) => at <= 500).length);
  const times = taken.map((key) => (Number(key) * 7_919) % 1_000);
  t.deepEqual(
    times,
    [...times].sort((a, b) => a - b),
  );
  t.is(due.next(), 501);
});

test('due times › given one that is set anew › only its last time counts', (t) => {
  const due = createDueTimes();
  due.set('a', 10);
  due.set('a', 30);
  due.set('b', 20);
  due.set('b', null);
  t.is(due.next(), 30);
  t.deepEqual(due.take(29, 10), []);
  due.set('a', 10);
  t.deepEqual(due.take(29, 10), ['a']);
  t.is(due.next(), null);
  t.is(due.size(), 0);
});

test('due times › given more than are asked for › the others stay', (t) => {
  const due = createDueTimes();
  for (const key of ['a', 'b', 'c']) due.set(key, key.charCodeAt(0));
  t.deepEqual(due.take(1_000, 2), ['a', 'b']);
  t.deepEqual(due.take(1_000, 2), ['c']);
});
