/**
 * Comma-separated values: written so that a spreadsheet opens them and takes none for a formula, and read as spreadsheets
 * write them: with commas, semicolons or tabs, a byte order mark, any line end.
 *
 * The reader is this program's own, since each line has the number that it has in the file, also after a cell of several
 * lines: packages that read CSV give none, or count the two characters of a line end in quotes twice.
 *
 * Source: RFC 4180; OWASP, CSV Injection.
 */
import { TreasuryError } from '../errors.js';
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
export const viewCsv = (csv: string): View => [{ kind: 'file', text: csv.replace(/\n$/, '') }];

/** A record of a file: its cells as they stand, and the line of the file on which it begins, from 1. */
export type CsvRecord = { readonly line: number; readonly cells: readonly string[] };

const DELIMITERS = [',', ';', '\t'] as const;

const lineAt = (text: string, index: number): number =>
  (text.slice(0, index).match(/\r\n|\n|\r/g) ?? []).length + 1;

const refuse = (reason: string): TreasuryError =>
  new TreasuryError('invalid_file', { file: 'The CSV', reason });

const damaged = (text: string, index: number): TreasuryError => {
  const isOpen = /^"(?:[^"]|"")*$/.test(text.slice(index));
  const problem = isOpen
    ? 'a quote is not closed'
    : 'a quote stands where none may: a cell with a quote or a line end in it is quoted whole, its quotes doubled';
  return refuse(`line ${lineAt(text, index)}: ${problem}`);
};

/** @throws invalid_file for what was no UTF-8 */
const checkEncoding = (text: string): void => {
  const how = 'save it as "CSV UTF-8", as spreadsheets call it';
  if (text.includes('\0'))
    throw refuse(`it is UTF-16 (Excel calls that Unicode text), or no text at all: ${how}`);
  const index = text.indexOf('\uFFFD');
  if (index >= 0) throw refuse(`line ${lineAt(text, index)} has a character that is no UTF-8: ${how}`);
};

/** What stands between the cells: what the first line has most of, outside of quotes; or what `sep=` says. */
const delimiterOf = (text: string): { readonly delimiter: string; readonly start: number } => {
  const said = /^sep=([,;\t])(?:\r\n|\n|\r|$)/i.exec(text);
  if (said !== null) return { delimiter: said[1] ?? ',', start: said[0].length };
  const [header = ''] = /^[^\r\n]*/.exec(text.trimStart()) ?? [];
  const bare = header.replace(/"(?:[^"]|"")*"/g, '');
  const countOf = (delimiter: string): number => bare.split(delimiter).length - 1;
  const delimiter = [...DELIMITERS].sort((a, b) => countOf(b) - countOf(a))[0] ?? ',';
  return { delimiter, start: 0 };
};

/**
 * The records of a text, each with its line and its cells. Empty lines are none, and neither are lines of empty cells,
 * which spreadsheets leave behind.
 *
 * @throws invalid_file for a text that was no UTF-8, and naming the line where a quote is not closed or stands where none may
 */
export const readCsv = (csv: string): readonly CsvRecord[] => {
  const text = csv.replace(/^\uFEFF/, '');
  checkEncoding(text);
  const { delimiter, start } = delimiterOf(text);
  const end = `(${delimiter}|\r\n|\n|\r|$)`;
  // One cell, quoted or bare, and what ends it.
  const cell = new RegExp(`"((?:[^"]|"")*)"${end}|([^"${delimiter}\r\n]*)${end}`, 'y');
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let begin = start;
  for (let index = start; index < text.length || cells.length > 0; index = cell.lastIndex) {
    if (cells.length === 0) begin = index;
    cell.lastIndex = index;
    const match = cell.exec(text);
    if (match === null) throw damaged(text, index);
    const [, quoted, quotedEnd, bare = '', bareEnd] = match;
    cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if ((quotedEnd ?? bareEnd) === delimiter) continue;
    const isEmpty = quoted === undefined && cells.every((one) => one.trim() === '');
    if (!isEmpty) records.push({ line: lineAt(text, begin), cells });
    cells = [];
  }
  return records;
};
