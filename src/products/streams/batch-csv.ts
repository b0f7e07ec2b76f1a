/** A batch as a spreadsheet has it: a header of known columns, and a line for each stream. */
import { parseSeconds } from '../../bch/duration.js';
import { TreasuryError, type Issue } from '../../errors.js';
import { readCsv } from './read-csv.js';
import type { Sheet } from './rows.js';

const EXPECTED_TIME = 'a date with its offset, such as 2026-07-01T00:00:00Z or 2026-07-01T02:00+02:00';
const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(:\d{2})?(?:Z|[+-]\d{2}:\d{2})$/i;

/** Says what is wrong with a cell; the answer stands for its value. */
type Refuse = (message: string) => null;

/** Unix seconds of an ISO 8601 date with its offset: without one it would mean another moment on every machine. */
const readTime = (text: string, refuse: Refuse): number | null => {
  const written = text.toUpperCase();
  const [, minutes, seconds = ':00'] = TIME.exec(written) ?? [];
  const time = minutes === undefined ? NaN : Date.parse(written);
  // 30 February would silently become 2 March.
  const isOnCalendar =
    !Number.isNaN(time) && new Date(`${minutes}${seconds}Z`).toISOString().startsWith(minutes ?? '');
  return isOnCalendar ? time / 1_000 : refuse(`"${text}" must be ${EXPECTED_TIME}`);
};

/** `2026-07-01T00:00:00Z=0.5; 2026-08-01T00:00:00Z=0.5` */
const readTranches = (text: string, refuse: Refuse) =>
  text.split(';').map((part) => {
    const [time = '', amount = '', ...more] = part.split('=').map((word) => word.trim());
    if (time !== '' && amount !== '' && more.length === 0)
      return { unlockTime: readTime(time, refuse), amount };
    return refuse(`"${part.trim()}" must be a date and an amount, such as 2026-07-01T00:00:00Z=0.5`);
  });

const readInterval = (text: string, refuse: Refuse): number | null => {
  try {
    return parseSeconds(text);
  } catch (error) {
    const known: TreasuryError | null = error instanceof TreasuryError ? error : null;
    if (known === null) throw error;
    const [issue] = known.details['issues'] as readonly Issue[];
    return refuse(issue?.message ?? known.message);
  }
};

type Column = { readonly field: string; readonly read: (text: string, refuse: Refuse) => unknown };

const asIs = (text: string): string => text;

/** The columns of a file, and what they are called in the body of a creation. */
const COLUMNS: Readonly<Record<string, Column>> = {
  recipient: { field: 'recipient', read: asIs },
  amount: { field: 'totalAmount', read: asIs },
  type: { field: 'streamType', read: (text) => text.toUpperCase() },
  template: { field: 'scheduleTemplate', read: asIs },
  start: { field: 'startTime', read: readTime },
  end: { field: 'endTime', read: readTime },
  interval: { field: 'intervalSeconds', read: readInterval },
  cliff: { field: 'cliffTimestamp', read: readTime },
  unlock: { field: 'hybridUnlockTimestamp', read: readTime },
  upfront: { field: 'hybridUpfrontPercentage', read: (text) => text.replace(/\s*%$/, '') },
  tranches: { field: 'trancheSchedule', read: readTranches },
  description: { field: 'description', read: asIs },
};

const columnOf = (field: string): string =>
  Object.entries(COLUMNS).find(([, column]) => column.field === field)?.[0] ?? field;

/** The columns of a header. @throws invalid_file */
const readHeader = (header: readonly string[]): readonly string[] => {
  const refuse = (reason: string) => new TreasuryError('invalid_file', { file: 'The CSV', reason });
  const names = header.map((cell) => cell.trim().toLowerCase());
  const known = Object.keys(COLUMNS).join(', ');
  const unknown = names.filter((name) => !Object.hasOwn(COLUMNS, name)).map((name) => `"${name}"`);
  if (unknown.length > 0)
    throw refuse(`its header has the unknown column ${unknown.join(', ')}; the columns are ${known}`);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw refuse(`its header has the column ${twice} twice`);
  const missing = ['recipient', 'amount'].filter((name) => !names.includes(name));
  if (!names.includes('type') && !names.includes('template')) missing.push('type or template');
  if (missing.length > 0) throw refuse(`its header lacks ${missing.join(', ')}; the columns are ${known}`);
  return names;
};

/** One line as the body of a creation, or what is wrong with its cells. Empty cells are not given. */
const readLine = (cells: readonly string[], columns: readonly string[]): Sheet['rows'][number] => {
  if (cells.length !== columns.length)
    return { issues: [{ path: '', message: `has ${cells.length} cells, and the header ${columns.length}` }] };
  const issues: Issue[] = [];
  const entry: Record<string, unknown> = {};
  for (const [index, path] of columns.entries()) {
    const column = COLUMNS[path];
    const text = (cells[index] ?? '').trim();
    if (column === undefined || text === '') continue;
    entry[column.field] = column.read(text, (message) => {
      issues.push({ path, message });
      return null;
    });
  }
  return issues.length > 0 ? { issues } : { entry };
};

/**
 * The rows of a CSV file. What is wrong with a line is said with the others; what is wrong with the file is thrown.
 *
 * @throws invalid_file for a header with unknown, doubled or missing columns, or quotes that do not match
 */
export const readBatchCsv = (csv: string): Sheet => {
  const [header = [], ...lines] = readCsv(csv);
  const columns = readHeader(header);
  return {
    rows: lines.map((cells) => readLine(cells, columns)),
    nameOf: columnOf,
  };
};
