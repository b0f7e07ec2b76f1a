/**
 * Dates as spreadsheets write them: with slashes or points in the order of some country, or as the number of a day.
 *
 * They mean a day only where somebody has said the order; then they become the ISO form of it, which is read as any other.
 */
import type { Reading } from './reading.js';

/** Which comes first: day, month or year. */
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

const WRITTEN = /^(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})(?:[ T]+(\d{1,2}:\d{2}(?::\d{2})?))?$/;
const ISO = /^\d{4}-\d{2}-\d{2}/;
/** The number of a day, with its time as a fraction: of the years 1954 to 2119. */
const SERIAL = /^([2-7]\d{4})(?:\.(\d+))?$/;
/** Day 0 of the numbers from March 1900 on. Source: ECMA-376, 18.17.4.1, the 1900 date system. */
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);
const DAY_SECONDS = 86_400;

const isoOf = (year: string, month: string, day: string, time: string | undefined): Reading<string> =>
  year.length === 4
    ? {
        value: `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${time === undefined ? '' : ` ${time.padStart(5, '0')}`}`,
      }
    : { problem: 'expected a year of four digits, such as 2027' };

/** The day and time of a number, rounded to the second as spreadsheets show it. */
const readSerial = (days: string, fraction = ''): string => {
  const seconds = fraction === '' ? 0 : Math.round(Number(`0.${fraction}`) * DAY_SECONDS);
  const iso = new Date(DAY_ZERO_MS + (Number(days) * DAY_SECONDS + seconds) * 1_000).toISOString();
  return seconds === 0 ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ');
};

/**
 * The ISO form of a date of a spreadsheet; what is none of these stays as it is.
 *
 * @param order null: nobody has said it, and what would need it is refused
 * @returns the text to be read as a date, or what to write instead
 * @example
 * readSpreadsheetDate('31/12/2027', 'dmy'); // { value: '2027-12-31' }
 */
export const readSpreadsheetDate = (text: string, order: DateOrder | null): Reading<string> => {
  const serial = SERIAL.exec(text);
  if (serial !== null) {
    const value = readSerial(serial[1] ?? '', serial[2]);
    return order === null
      ? {
          problem: `is a spreadsheet's number of a day: write ${value}, or give --date-order to take such numbers`,
        }
      : { value };
  }
  const written = ISO.test(text) ? null : WRITTEN.exec(text);
  if (written === null) return { value: text };
  const [, first = '', , second = '', third = '', time] = written;
  if (order === 'ymd') return isoOf(first, second, third, time);
  if (order === 'dmy') return isoOf(third, second, first, time);
  if (order === 'mdy') return isoOf(third, first, second, time);
  return {
    problem:
      'may be read in several ways: write year-month-day, such as 2027-12-31, or give --date-order (dmy, mdy or ymd)',
  };
};
