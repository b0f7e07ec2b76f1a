import test from 'ava';
import { parseSeconds } from '../../src/bch/duration.js';

for (const [text, seconds] of [
  ['30d', 2_592_000],
  ['3600s', 3_600],
  ['1h30m', 5_400],
  ['1.5h', 5_400],
  ['2w', 1_209_600],
  ['1d 2h', 93_600],
  ['30 days', 2_592_000],
  ['2 Weeks', 1_209_600],
  ['1 hour 30 minutes', 5_400],
  ['monthly', 2_592_000],
  ['Yearly', 31_536_000],
] as const) {
  test(`duration › given ${text} › it is ${seconds} seconds`, (t) => {
    t.is(parseSeconds(text), seconds);
  });
}

for (const text of [
  '',
  '30',
  'soon',
  '-1d',
  '1mo',
  '1y',
  '30d soon',
  '0s',
  '0.5s',
  '101w 10000w',
  '1e3s',
  '3 months',
  '1 year',
  'constructor',
]) {
  test(`duration › given "${text}" › it is refused by name`, (t) => {
    const error = t.throws(() => parseSeconds(text));
    t.like(error, { code: 'invalid_input' });
    t.true(error.message.includes(`duration: "${text}"`));
  });
}
