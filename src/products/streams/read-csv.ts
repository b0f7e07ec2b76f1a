/**
 * Comma-separated values to records: cells are text as they stand, whatever they look like.
 *
 * Source: RFC 4180. Lines may end in LF alone, a byte order mark is skipped, and so are empty lines.
 */
import { TreasuryError } from '../../errors.js';

/** One cell, quoted or bare, and what ends it. */
const CELL = /"((?:[^"]|"")*)"(,|\r?\n|$)|([^",\r\n]*)(,|\r?\n|$)/y;

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

const damaged = (text: string, index: number): TreasuryError => {
  const isOpen = /^"(?:[^"]|"")*$/.test(text.slice(index));
  const problem = isOpen
    ? 'a quote is not closed'
    : 'a quote stands where none may: a cell with a quote or a line end in it is quoted whole, its quotes doubled';
  return new TreasuryError('invalid_file', {
    file: 'The CSV',
    reason: `line ${lineAt(text, index)}: ${problem}`,
  });
};

/**
 * The records of a text, each with its cells.
 *
 * @throws invalid_file naming the line where a quote is not closed or stands where none may
 */
export const readCsv = (csv: string): readonly (readonly string[])[] => {
  const text = csv.replace(/^\uFEFF/, '');
  const records: string[][] = [];
  let record: string[] = [];
  for (let index = 0; index < text.length || record.length > 0; index = CELL.lastIndex) {
    CELL.lastIndex = index;
    const match = CELL.exec(text);
    if (match === null) throw damaged(text, index);
    const [, quoted, quotedEnd, bare = '', bareEnd] = match;
    record.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if ((quotedEnd ?? bareEnd) === ',') continue;
    const isEmpty = record.length === 1 && quoted === undefined && bare.trim() === '';
    if (!isEmpty) records.push(record);
    record = [];
  }
  return records;
};
