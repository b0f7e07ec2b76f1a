/**
 * A file of rows (CSV, as spreadsheets write it) as the input of an operation. Cells are read as flags are: `@names`,
 * dates and amounts as people write them. All that is wrong is said at once, by line and column.
 */
import { DATE_ORDERS, readSpreadsheetDate, type DateOrder } from '../bch/spreadsheet-date.js';
import { cut, invalidField, isTreasuryError, TreasuryError, type Issue } from '../errors.js';
import type { AnyOperation, SheetFace } from '../operation/define.js';
import { NO_PAIRS, readPairs, readSheet, type SheetRow } from '../operation/sheet.js';
import type { Column } from '../operation/sheet-kind.js';
import { faceOf, fieldsOf } from './fields.js';
import type { RawInput } from './gather-input.js';
import type { Session } from './session.js';
import { readWrittenValues } from './written-values.js';

/** What was understood of cells, in lines that are shown; the rest are counted. */
const MOST_NOTES = 20;

/** A row as it is asked with, or what is wrong with it. */
export type ReadRow = { readonly line: number } & (
  | { readonly entry: RawInput }
  | { readonly issues: readonly Issue[] }
);

type Reading = { readonly session: Session; readonly dateOrder?: string | undefined };

/** Where cells are read: for which operation, with which input beside them. */
type Site = {
  readonly operation: AnyOperation;
  readonly face: SheetFace;
  readonly input: RawInput;
  readonly session: Session;
  readonly order: DateOrder | null;
};

/** @throws invalid_input */
const readOrder = (text: string | undefined): DateOrder | null => {
  if (text === undefined) return null;
  const order = DATE_ORDERS.find((one) => one === text.toLowerCase());
  if (order !== undefined) return order;
  throw invalidField(
    'dateOrder',
    `"${cut(text)}" is no order: expected ${DATE_ORDERS.join(', ')} (day, month, year)`,
  );
};

/** A cell as the row of a request has it, before it is read; or what is wrong with it. */
const shapeCell = (
  { kind }: Column,
  text: string,
  { order }: Site,
): { value: unknown } | { problem: string } => {
  const asDate = (written: string) => {
    const reading = readSpreadsheetDate(written, order);
    return 'problem' in reading ? { problem: `"${cut(written)}" ${reading.problem}` } : reading;
  };
  if (kind === 'choice') return { value: text.toUpperCase() };
  if (kind === 'percent') return { value: text.replace(/\s*%$/, '') };
  if (kind === 'date') return asDate(text);
  if (kind !== 'list') return { value: text };
  const pairs = readPairs(text);
  if (pairs === null) return { problem: `"${cut(text)}" ${NO_PAIRS}` };
  const dates = pairs.map(({ unlockTime }) => asDate(unlockTime));
  const [bad] = dates.filter((date) => 'problem' in date);
  if (bad !== undefined) return bad;
  return {
    value: pairs.map(({ amount }, index) => ({
      unlockTime: (dates[index] as { value: string }).value,
      amount,
    })),
  };
};

/** Values of one row as flags are read: those of a field alone, beside what the row says of its token. */
const readValue = async (values: RawInput, { operation, face, input, session }: Site): Promise<RawInput> => {
  const { entries } = face;
  const asked = entries === null ? { ...input, ...values } : { ...input, [entries]: [values] };
  const read = await readWrittenValues({ operation, fields: fieldsOf(operation) }, asked, session);
  if (entries === null) return read;
  // An amount may say which token a command is about: of all rows, that is said once.
  if (read['tokenCategory'] !== input['tokenCategory'])
    throw invalidField('amount', 'it is in a token: name that for all rows, with --token-category');
  return (read[entries] as readonly RawInput[])[0] ?? {};
};

/** What is wrong, without the name of its field, which the column says. */
const problemOf = (error: TreasuryError): string => {
  const { issues, field } = error.details;
  const [first] = Array.isArray(issues) ? (issues as readonly Issue[]) : [];
  if (first !== undefined) return first.message;
  const prefix = typeof field === 'string' ? `${field}: ` : '';
  const said = error.message.replace(/\.$/, '');
  return said.startsWith(prefix) ? said.slice(prefix.length) : said;
};

const readRow = async (row: SheetRow, site: Site): Promise<ReadRow> => {
  const { line } = row;
  if ('issues' in row) return { line, issues: row.issues };
  const issues: Issue[] = [];
  const shaped = row.cells.map(({ column, text }) => ({ column, cell: shapeCell(column, text, site) }));
  // Beside an amount stands the token that it is in.
  const token = shaped.filter(({ column }) => column.field === 'tokenCategory');
  const entry: Record<string, unknown> = {};
  for (const { column, cell } of shaped) {
    if ('problem' in cell) {
      issues.push({ path: column.name, message: cell.problem });
      continue;
    }
    const values = Object.fromEntries(
      [...token, { column, cell }].map((one) => [
        one.column.field,
        'value' in one.cell ? one.cell.value : null,
      ]),
    );
    try {
      const read = await readValue(values, site);
      const own = Object.entries(read).filter(
        ([name]) => Object.hasOwn(values, name) || (site.face.entries !== null && name.startsWith('token')),
      );
      Object.assign(entry, Object.fromEntries(own));
    } catch (error) {
      if (!isTreasuryError(error)) throw error;
      issues.push({ path: column.name, message: problemOf(error) });
    }
  }
  return issues.length > 0 ? { line, issues } : { line, entry };
};

/** A session that keeps what is said of cells, to say each thing once. */
const takingNotes = (session: Session): { readonly quiet: Session; readonly tell: () => void } => {
  const { output } = session.call;
  const notes = new Set<string>();
  const quiet = { ...output, warn: (text: string) => void notes.add(text) };
  return {
    quiet: { ...session, call: { ...session.call, output: quiet } },
    tell: () => {
      for (const note of [...notes].slice(0, MOST_NOTES)) output.warn(note);
      if (notes.size > MOST_NOTES) output.warn(`and ${notes.size - MOST_NOTES} more such cells`);
    },
  };
};

/**
 * The rows of a CSV file, each read by itself. What is not its own is in the input beside it.
 *
 * @throws invalid_file for what is wrong with the file, invalid_input for an unknown order of dates
 */
export const readRows = async (
  csv: string,
  operation: AnyOperation,
  input: RawInput,
  { session, dateOrder }: Reading,
): Promise<readonly ReadRow[]> => {
  const face = faceOf(operation)?.sheet;
  if (face === undefined) return [];
  const { quiet, tell } = takingNotes(session);
  const site: Site = { operation, face, input, session: quiet, order: readOrder(dateOrder) };
  const rows: ReadRow[] = [];
  for (const row of readSheet(csv, face.kind)) rows.push(await readRow(row, site));
  tell();
  if (rows.length === 0)
    throw new TreasuryError('invalid_file', { file: 'The CSV', reason: 'it has a header and no rows' });
  return rows;
};

/** One error for all that is wrong with rows. */
export const refuseRows = (
  bad: readonly { readonly line: number; readonly issues: readonly Issue[] }[],
): TreasuryError => {
  const issues = bad.flatMap(({ line, issues: own }) =>
    own.map(({ path, message }) => ({ path: `rows.${line}${path === '' ? '' : `.${path}`}`, message, line })),
  );
  const told = bad.flatMap(({ line, issues: own }) =>
    own.map(({ path, message }) => `line ${line}${path === '' ? '' : `, ${path}`}: ${message}`),
  );
  return new TreasuryError('invalid_input', { summary: told.join('; '), issues });
};

/** The entries of rows that can all be read. @throws invalid_input with every fault of every row */
export const goodRows = (
  rows: readonly ReadRow[],
): readonly { readonly line: number; readonly entry: RawInput }[] => {
  const bad = rows.flatMap((row) => ('issues' in row ? [row] : []));
  if (bad.length > 0) throw refuseRows(bad);
  return rows.flatMap((row) => ('entry' in row ? [row] : []));
};

/** True for what is JSON, and no CSV. */
export const isJson = (text: string): boolean => /^\s*[[{]/.test(text);

/**
 * The input with the rows of a file, where the operation takes them as one: those that cannot be read go with it, so that
 * it says all that is wrong together.
 *
 * @throws as {@link readRows}
 */
export const sheetInput = async (
  operation: AnyOperation,
  input: RawInput,
  reading: Reading,
): Promise<RawInput> => {
  const { file } = faceOf(operation)?.sheet ?? {};
  const text = file === undefined ? undefined : input[file];
  if (file === undefined || typeof text !== 'string' || isJson(text)) {
    readOrder(reading.dateOrder);
    return input;
  }
  const { [file]: _text, ...beside } = input;
  return { ...input, [file]: { rows: await readRows(text, operation, beside, reading) } };
};
