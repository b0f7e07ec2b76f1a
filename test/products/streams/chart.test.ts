import test from 'ava';
import { drawCurve } from '../../../src/products/streams/chart.js';

const DAY = 86_400;
const start = 1_780_272_000;

test('a curve is drawn with what was claimed, what is claimable, what is to come, and today', (t) => {
  const points = [
    { time: start, share: 0 },
    { time: start + 100 * DAY, share: 1 },
  ];
  const lines = drawCurve({ points, now: start + 50 * DAY, claimed: 0.2 }).split('\n');
  t.is(lines.length, 13);
  t.regex(lines[0] ?? '', /^100 % \| {50,}\.+$/);
  t.regex(lines[9] ?? '', /#+\.+$/);
  t.regex(lines[6] ?? '', /\++\.+$/);
  t.regex(lines[10] ?? '', /^ {2}0 % \+-{29,30}\^-{29,30}$/);
  t.regex(lines[11] ?? '', /2026-06-01 +2026-09-09/);
});

test('a jump stands where it is, and today stays on the axis after the end', (t) => {
  const points = [
    { time: start, share: 0 },
    { time: start + 50 * DAY, share: 0 },
    { time: start + 50 * DAY, share: 1 },
    { time: start + 100 * DAY, share: 1 },
  ];
  const lines = drawCurve({ points, now: start + 300 * DAY, claimed: 0 }).split('\n');
  t.regex(lines[0] ?? '', /^100 % \| {29,31}\+{29,31}$/);
  t.true(lines[10]?.endsWith('^'));
});
