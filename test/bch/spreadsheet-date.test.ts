import test from 'ava';
import { readSpreadsheetDate, type DateOrder } from '../../src/bch/spreadsheet-date.js';

const READ: readonly (readonly [text: string, order: DateOrder | null, value: string])[] = [
  ['31/12/2027', 'dmy', '2027-12-31'],
  ['1.2.2027', 'dmy', '2027-02-01'],
  ['1-2-2027', 'dmy', '2027-02-01'],
  ['12/31/2027', 'mdy', '2027-12-31'],
  ['1/2/2027', 'mdy', '2027-01-02'],
  ['2027/12/31', 'ymd', '2027-12-31'],
  ['31/12/2027 9:05', 'dmy', '2027-12-31 09:05'],
  ['46752', 'dmy', '2027-12-31'],
  ['46752.75', 'mdy', '2027-12-31 18:00:00'],
  // 18:00:01 as a spreadsheet has it.
  ['46752.7500115741', 'ymd', '2027-12-31 18:00:01'],
  ['2027-12-31', 'dmy', '2027-12-31'],
  ['2027-12-31', null, '2027-12-31'],
  ['1830297600', 'dmy', '1830297600'],
  ['tomorrow', null, 'tomorrow'],
];

for (const [text, order, value] of READ) {
  test(`"${text}" as ${order ?? 'nobody said'} › is ${value}`, (t) => {
    t.deepEqual(readSpreadsheetDate(text, order), { value });
  });
}

const REFUSED: readonly (readonly [text: string, order: DateOrder | null, problem: RegExp])[] = [
  ['31/12/2027', null, /several ways: write year-month-day, such as 2027-12-31, or give --date-order/],
  ['1.2.2027', null, /several ways/],
  ['46752', null, /number of a day: write 2027-12-31, or give --date-order/],
  ['31/12/27', 'dmy', /a year of four digits/],
  ['31/12/2027', 'ymd', /a year of four digits/],
];

for (const [text, order, problem] of REFUSED) {
  test(`"${text}" as ${order ?? 'nobody said'} › is refused with what to write`, (t) => {
    const reading = readSpreadsheetDate(text, order);
    t.regex('problem' in reading ? reading.problem : '', problem);
  });
}
