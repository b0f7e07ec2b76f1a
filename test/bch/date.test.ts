import test from 'ava';
import { readDate, readLastSecond, showLocalDate } from '../../src/bch/date.js';

process.env['TZ'] = 'Europe/Berlin';

/** 2026-11-22 11:00 in Berlin. */
const NOW = Date.UTC(2026, 10, 22, 10, 0, 0) / 1000;
const understood = async (text: string): Promise<string> => {
  const reading = await readDate(text, NOW);
  return 'value' in reading ? showLocalDate(reading.value) : `no: ${reading.problem}`;
};

for (const [text, expected] of [
  ['2027-12-31', '2027-12-31 00:00 +01:00'],
  ['2027-07-31', '2027-07-31 00:00 +02:00'],
  ['2027-12-31 18:00', '2027-12-31 18:00 +01:00'],
  ['2027-12-31T18:00:30', '2027-12-31 18:00:30 +01:00'],
  ['2027-12-31T18:00Z', '2027-12-31 19:00 +01:00'],
  ['2027-12-31T18:00:00.000Z', '2027-12-31 19:00 +01:00'],
  ['2027-12-31 18:00 UTC', '2027-12-31 19:00 +01:00'],
  ['2027-12-31 18:00 -05:00', '2028-01-01 00:00 +01:00'],
  ['2027-12-31 18:00+0530', '2027-12-31 13:30 +01:00'],
  ['  2027-12-31  ', '2027-12-31 00:00 +01:00'],
  ['2028-02-29', '2028-02-29 00:00 +01:00'],
  ['1800000000', '2027-01-15 09:00 +01:00'],
  ['0', '1970-01-01 01:00 +01:00'],
  ['now', '2026-11-22 11:00 +01:00'],
  ['today', '2026-11-22 00:00 +01:00'],
  ['tomorrow', '2026-11-23 00:00 +01:00'],
  ['Tomorrow 9:00', '2026-11-23 09:00 +01:00'],
  ['tomorrow at 9am', '2026-11-23 09:00 +01:00'],
  ['next friday', '2026-11-27 00:00 +01:00'],
  ['friday 18:00', '2026-11-27 18:00 +01:00'],
  ['31 Dec 2027', '2027-12-31 00:00 +01:00'],
  ['Dec 31', '2026-12-31 00:00 +01:00'],
  ['+90d', '2027-02-20 11:00 +01:00'],
  ['+2h', '2026-11-22 13:00 +01:00'],
  ['in 3 months', '2027-02-22 11:00 +01:00'],
  ['in 90 days', '2027-02-20 11:00 +01:00'],
  ['90 days from now', '2027-02-20 11:00 +01:00'],
  ['2 weeks ago', '2026-11-08 11:00 +01:00'],
] as const) {
  test(`"${text}" is understood as ${expected}`, async (t) => {
    t.is(await understood(text), expected);
  });
}

for (const [text, reason] of [
  ['2026-13-01', /no month 13/],
  ['2026-00-10', /no month 0/],
  ['2026-02-29', /no day 29/],
  ['2026-04-31 10:00', /no day 31/],
  ['2027-12-31 24:00', /no such time of day/],
  ['2027-12-31 12:60', /no such time of day/],
  ['2027-12-31 18:00 +25:00', /no such offset/],
  ['2027-03-28 02:30', /put forward/],
  ['2027-12-31 banana', /expected a date/],
  ['banana', /expected a date/],
  ['tomorrow or friday', /expected a date/],
  ['monday to friday', /expected a date/],
  ['', /expected a date/],
  ['1/2/2027', /expected year-month-day/],
  ['31.12.2027', /expected year-month-day/],
  ['2027/12/31', /expected year-month-day/],
  ['2027-1-5', /expected year-month-day/],
  ['1,5', /expected year-month-day/],
  ['12:00', /expected year-month-day/],
  ['2027', /year alone/],
  ['20271231', /expected a date/],
  ['1800000000000', /milliseconds/],
  ['4000000001', /expected a date/],
  ['-5', /expected year-month-day/],
  ['2200-01-01', /1970 to 2096/],
  ['1960-01-01', /1970 to 2096/],
] as const) {
  test(`"${text}" is refused with what to write`, async (t) => {
    const reading = await readDate(text, NOW);
    t.regex('problem' in reading ? reading.problem : JSON.stringify(reading), reason);
  });
}

test('no text of digits and separators is read by the lenient reader', async (t) => {
  for (const text of [
    '12-31-2027',
    '27-12-31',
    '2027-12',
    '31-12-2027 10:00',
    '10:30:00',
    '2027 12 31',
    '+5',
    '3-4',
  ]) {
    t.true('problem' in (await readDate(text, NOW)), text);
  }
});

for (const [text, expected] of [
  ['2027-12-31', '2027-12-31 23:59:59 +01:00'],
  // 23 and 25 hours.
  ['2027-03-28', '2027-03-28 23:59:59 +02:00'],
  ['2027-10-31', '2027-10-31 23:59:59 +01:00'],
  ['yesterday', '2026-11-21 23:59:59 +01:00'],
  ['2027-12-31 18:00', '2027-12-31 18:00 +01:00'],
  ['1800000000', '2027-01-15 09:00 +01:00'],
] as const) {
  test(`"${text}" as the end of a span is ${expected}`, async (t) => {
    const reading = await readLastSecond(text, NOW);
    t.is('value' in reading ? showLocalDate(reading.value) : '', expected);
  });
}
