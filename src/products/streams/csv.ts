/**
 * Comma-separated values that a spreadsheet opens and cannot take for a formula.
 * Source: RFC 4180; OWASP, CSV Injection.
 */

/** What spreadsheets take for the begin of a formula, in half and full width, also after white space. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;
/** A plain number may begin with a minus. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** A cell: quoted where it must be, and with an apostrophe before what would be a formula. */
export const csvCell = (value: string | number | boolean | null): string => {
  const text = value === null ? '' : String(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n\t;']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Lines that end in CRLF: the header, then one for each row. */
export const csvText = (
  header: readonly string[],
  rows: readonly (readonly (string | number | boolean | null)[])[],
): string => [header, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
