import test from 'ava';
import { amountText, percentOf } from '../../src/page/pictures/format.js';
import { showDay } from '../../src/page/say.js';
import { inRow, placeOf, shareOf, timeLabels, widthOf } from '../../src/page/pictures/scale.js';

const DAY = 86_400;
const JUNE = 1_780_272_000;
const scale = { first: JUNE, last: JUNE + 100 * DAY, left: 10, right: 350 };

test('a time lies between the ends in proportion, and one beyond them at the end', (t) => {
  t.is(placeOf(scale, JUNE), 10);
  t.is(placeOf(scale, JUNE + 50 * DAY), 180);
  t.is(placeOf(scale, JUNE + 100 * DAY), 350);
  t.is(placeOf(scale, JUNE - 1), 10);
  t.is(placeOf(scale, JUNE + 101 * DAY), 350);
  t.is(placeOf({ ...scale, last: JUNE }, JUNE), 10);
});

test('a share of an amount that no number holds is worked out of its units', (t) => {
  const whole = 9_223_372_036_854_775_807n;
  t.is(shareOf(whole, whole), 1);
  t.is(shareOf(whole / 4n, whole), 0.249999);
  t.is(shareOf(0n, whole), 0);
  t.is(shareOf(1n, 0n), 0);
  t.is(shareOf(2n, 1n), 1);
});

test('labels of a row never touch and never leave it, and the first ones go before', (t) => {
  const labels = Array.from({ length: 40 }, (_, index) => ({ at: index * 9, text: '2026-06-01' }));
  const shown = inRow([{ at: 180, text: 'the first' }, ...labels], 0, 360);
  t.true(shown.some(({ text }) => text === 'the first'));
  for (const [index, { at, text }] of shown.entries()) {
    const [from, to] = [at - widthOf(text) / 2, at + widthOf(text) / 2];
    t.true(from >= 0 && to <= 360);
    const next = shown[index + 1];
    if (next) t.true(to < next.at - widthOf(next.text) / 2);
  }
});

test('a label that is wider than its row is left out', (t) => {
  t.deepEqual(inRow([{ at: 5, text: 'a label without room' }], 0, 60), []);
});

for (const [length, name] of [
  [0, 'nothing'],
  [60, 'a minute'],
  [2 * DAY, 'two days'],
  [90 * DAY, 'three months'],
  [365 * DAY, 'a year'],
  [36_500 * DAY, 'a hundred years'],
] as const) {
  test(`a line of time over ${name} shows its ends and at most what has room`, (t) => {
    const shown = timeLabels({ ...scale, last: JUNE + length });
    t.true(shown.length >= 1 && shown.length <= 5);
    t.true(shown.some(({ text }) => text.includes('Jun 1') || text === showDay(JUNE)));
  });
}

test('marks between the ends stand at whole days and months', (t) => {
  const wide = { first: JUNE + 3_600, last: JUNE + 365 * DAY, left: 10, right: 710 };
  const inside = timeLabels(wide)
    .slice(1, -1)
    .map(({ text }) => text);
  t.true(inside.length >= 3);
  for (const text of inside) t.false(text === showDay(wide.first));
});

test('amounts are exact, and shares are rounded down', (t) => {
  t.is(amountText(9_223_372_036_854_775_807n, { category: null, decimals: 18 }), '9.223372036854775807 BCH');
  t.is(amountText(5n, { category: 'ab'.repeat(32), decimals: 2, symbol: 'TEAM' }), '0.05 TEAM');
  t.is(percentOf(2n, 3n), '66\u00a0%');
  t.is(percentOf(1n, 0n), '0\u00a0%');
});
