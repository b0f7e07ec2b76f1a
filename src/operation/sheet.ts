/** A table that somebody has filled in: the columns that it may have, and the cells of each of its rows. */
import { z } from 'zod';
import { TreasuryError, type Issue } from '../errors.js';
import { csvText, readCsv } from './csv.js';
import type { Column, SheetKind } from './sheet-kind.js';

/** A row as it stands in its file, without its empty cells; or what is wrong with it. */
export type SheetRow = { readonly line: number } & (
  | { readonly cells: readonly { readonly column: Column; readonly text: string }[] }
  | { readonly issues: readonly Issue[] }
);

const refuse = (reason: string): TreasuryError =>
  new TreasuryError('invalid_file', { file: 'The CSV', reason });

/** The columns of a header. @throws invalid_file */
const readHeader = (header: readonly string[], { columns, required }: SheetKind): readonly Column[] => {
  const names = header.map((cell) => cell.trim().toLowerCase());
  const known = columns.map(({ name }) => name).join(', ');
  const unknown = names
    .filter((name) => !columns.some((column) => column.name === name))
    .map((name) => `"${name}"`);
  if (unknown.length > 0)
    throw refuse(`its header has the unknown column ${unknown.join(', ')}; the columns are ${known}`);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw refuse(`its header has the column ${twice} twice`);
  const missing = required.filter((any) => !any.some((name) => names.includes(name)));
  if (missing.length > 0)
    throw refuse(
      `its header lacks ${missing.map((any) => any.join(' or ')).join(', ')}; the columns are ${known}`,
    );
  return names.flatMap((name) => columns.find((column) => column.name === name) ?? []);
};

/** A cell without the apostrophe that keeps a spreadsheet from taking it for a formula. */
const plain = (text: string): string => text.replace(/^'(?=[=+\-@|%])/, '');

const readRow = (cells: readonly string[], columns: readonly Column[]) => {
  // What spreadsheets leave behind the last column is no cell.
  const extra = cells.slice(columns.length).some((cell) => cell.trim() !== '');
  if (cells.length < columns.length || extra)
    return { issues: [{ path: '', message: `has ${cells.length} cells, and the header ${columns.length}` }] };
  const filled = columns.map((column, index) => ({ column, text: plain((cells[index] ?? '').trim()) }));
  return { cells: filled.filter(({ text }) => text !== '') };
};

/**
 * The rows of a CSV file. What is wrong with a row is said with the others; what is wrong with the file is thrown.
 *
 * @throws invalid_file for a header with unknown, doubled or missing columns, and what reading CSV throws
 */
export const readSheet = (csv: string, kind: SheetKind): readonly SheetRow[] => {
  const [header, ...records] = readCsv(csv);
  const columns = readHeader(header?.cells ?? [], kind);
  return records.map(({ line, cells }) => ({ line, ...readRow(cells, columns) }));
};

/** A file to begin with: the header, and rows that show how they are written. */
export const templateOf = ({ columns, examples }: SheetKind): string =>
  csvText(
    columns.map(({ name }) => name),
    examples.map((example) => columns.map(({ name }) => example[name] ?? '')),
  );

/** Dates with amounts, as a creation takes them: `2026-07-01=0.5; 2026-08-01=0.5`. Null: one of them is no such pair. */
export const readPairs = (
  text: string,
): readonly { readonly unlockTime: string; readonly amount: string }[] | null => {
  const pairs = text.split(';').map((part) => part.split('=').map((word) => word.trim()));
  return pairs.every((pair) => pair.length === 2 && pair.every((word) => word !== ''))
    ? pairs.map(([unlockTime = '', amount = '']) => ({ unlockTime, amount }))
    : null;
};

/** What is wrong with a cell that is no list of {@link readPairs}. */
export const NO_PAIRS = 'must be dates and amounts, such as 2026-07-01=0.5; 2026-08-01=0.5';

const RowIssue = z.object({ path: z.string(), message: z.string() });

/** Rows that a face has read out of a file, each with its line: an entry, or what is wrong with it. */
export const ReadRows = z.object({
  rows: z
    .array(
      z.object({
        line: z.int().min(1).describe('Of the file'),
        entry: z.unknown().optional(),
        issues: z.array(RowIssue).optional().describe('What is wrong with it; it is refused then'),
      }),
    )
    .max(10_000),
});
export type ReadRows = z.output<typeof ReadRows>;
