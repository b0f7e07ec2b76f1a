/**
 * Comma-separated values that a spreadsheet opens and cannot take for a formula.
 *
 * Source: RFC 4180; OWASP, CSV Injection.
 */
import type { View } from './define.js';

export type CsvCell = string | number | boolean | null;

/**
 * What a spreadsheet may take for the beginning of a formula, also behind white space: the signs in half and full
 * width, what calls a program (`|`, `%`), and a tab or a line end itself.
 */
const FORMULA = /^\s*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20]|^\s*[\t\r\n]/;
/** A plain number may begin with a minus. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** What needs quotes, also where a semicolon or a tab stands between cells. */
const SPECIAL = /[",\r\n\t;']/;

/** A cell: quoted where it must be, and with an apostrophe before what would be a formula. Null is empty. */
export const csvCell = (value: CsvCell): string => {
  const text = value === null ? '' : String(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Lines that end in CRLF: the header, then one for each row. */
export const csvText = (header: readonly string[], rows: readonly (readonly CsvCell[])[]): string =>
  [header, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');

/** A {@link csvText} for the terminal, which ends the last line itself: redirected, it is the same file. */
export const viewCsv = (csv: string): View => [{ kind: 'text', text: csv.replace(/\n$/, '') }];
