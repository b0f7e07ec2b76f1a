/** The hours of a rule: over midnight, and on the days on which clocks are put forward or back. */
import test from 'ava';
import { isWithin, nextWithin, readHours, type Hours } from '../../src/keeper/hours.js';

const hours = (text: string): Hours => {
  const reading = readHours(text);
  if ('problem' in reading) throw new Error(reading.problem);
  return reading.value;
};
const at = (iso: string): number => Date.parse(iso) / 1_000;
const ZURICH = 'Europe/Zurich';

test('hours › over midnight › both sides of it are within, the day is not', (t) => {
  const night = hours('22:00-06:00');
  t.deepEqual(
    ['21:59', '22:00', '23:59', '00:00', '05:59', '06:00', '12:00'].map((time) =>
      isWithin(night, at(`2026-06-01T${time}:00Z`), 'UTC'),
    ),
    [false, true, true, true, true, false, false],
  );
  t.is(nextWithin(night, at('2026-06-01T12:00:30Z'), 'UTC'), at('2026-06-01T22:00:00Z'));
  t.is(nextWithin(night, at('2026-06-01T23:00:00Z'), 'UTC'), at('2026-06-01T23:00:00Z'));
});

test('hours › by the clock of a zone › summer and winter time are told apart', (t) => {
  const day = hours('08:00-20:00');
  t.true(isWithin(day, at('2026-06-01T06:00:00Z'), ZURICH));
  t.false(isWithin(day, at('2026-12-01T06:30:00Z'), ZURICH));
  t.true(isWithin(day, at('2026-12-01T07:00:00Z'), ZURICH));
});

test('hours › an hour that is left out in spring › it opens a day later', (t) => {
  // 2026-03-29: 02:00 becomes 03:00 in Zurich.
  const lost = hours('02:10-02:50');
  const before = at('2026-03-29T00:30:00Z');
  for (let minute = 0; minute < 120; minute += 1) t.false(isWithin(lost, before + minute * 60, ZURICH));
  t.is(nextWithin(lost, before, ZURICH), at('2026-03-30T00:10:00Z'));
});

test('hours › an hour that comes twice in autumn › it is open both times', (t) => {
  // 2026-10-25: 03:00 becomes 02:00 in Zurich.
  const twice = hours('02:00-03:00');
  t.deepEqual(
    ['2026-10-24T23:59', '2026-10-25T00:00', '2026-10-25T00:59', '2026-10-25T01:30', '2026-10-25T02:00'].map(
      (time) => isWithin(twice, at(`${time}:00Z`), ZURICH),
    ),
    [false, true, true, true, false],
  );
});

test('hours › up to 24:00 › midnight is outside', (t) => {
  const evening = hours('18:00-24:00');
  t.true(isWithin(evening, at('2026-06-01T23:59:59Z'), 'UTC'));
  t.false(isWithin(evening, at('2026-06-02T00:00:00Z'), 'UTC'));
});

test('hours › what is none › it is said what was expected', (t) => {
  for (const text of ['22-06', '25:00-06:00', '08:00-08:00', '08:60-09:00', '8am-5pm', '00:00-24:01'])
    t.true('problem' in readHours(text), text);
  t.deepEqual(readHours('8:00 - 17:30'), { value: { from: 480, until: 1_050 } });
});

test('hours › left out › every moment is within', (t) => {
  t.true(isWithin(null, at('2026-06-01T03:00:00Z'), ZURICH));
});
