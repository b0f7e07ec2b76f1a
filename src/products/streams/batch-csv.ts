/** A batch as a spreadsheet has it: its columns, and its cells where a service reads them, by strict forms. */
import { parseSeconds } from '../../bch/duration.js';
import { TreasuryError, type Issue } from '../../errors.js';
import { readPairs, readSheet } from '../../operation/sheet.js';
import type { CellKind, SheetKind } from '../../operation/sheet-kind.js';
import type { Sheet } from './rows.js';

/** The table of a batch: a row for each stream. */
export const BATCH_SHEET: SheetKind = {
  columns: [
    { name: 'recipient', field: 'recipient', kind: 'address', about: 'who gets it', needed: 'yes' },
    {
      name: 'amount',
      field: 'totalAmount',
      kind: 'amount',
      about: 'the whole amount, such as 0.25',
      needed: 'yes',
    },
    {
      name: 'type',
      field: 'streamType',
      kind: 'choice',
      about: 'LINEAR, RECURRING, STEP, TRANCHE or HYBRID',
      needed: 'this or `template`',
    },
    {
      name: 'template',
      field: 'scheduleTemplate',
      kind: 'text',
      about: 'a ready-made schedule (`treasury streams templates`)',
      needed: 'this or `type`',
    },
    { name: 'start', field: 'startTime', kind: 'date', about: 'when it begins', needed: 'no: now' },
    {
      name: 'end',
      field: 'endTime',
      kind: 'date',
      about: 'when all of it has vested',
      needed: 'no: the template’s, or a year',
    },
    {
      name: 'interval',
      field: 'intervalSeconds',
      kind: 'duration',
      about: 'how often (STEP and RECURRING)',
      needed: 'where the type has one',
    },
    {
      name: 'cliff',
      field: 'cliffTimestamp',
      kind: 'date',
      about: 'nothing vests before (LINEAR and STEP)',
      needed: 'no',
    },
    {
      name: 'unlock',
      field: 'hybridUnlockTimestamp',
      kind: 'date',
      about: 'when the upfront part vests (HYBRID)',
      needed: 'for HYBRID',
    },
    {
      name: 'upfront',
      field: 'hybridUpfrontPercentage',
      kind: 'percent',
      about: 'percent, above 0 and below 100 (HYBRID)',
      needed: 'for HYBRID',
    },
    {
      name: 'tranches',
      field: 'trancheSchedule',
      kind: 'list',
      about: 'dates and amounts: `2026-07-01=0.5; 2026-08-01=0.5`',
      needed: 'for TRANCHE',
    },
    {
      name: 'push minimum',
      field: 'pushMinimum',
      kind: 'amount',
      about: 'least that anybody may push to the recipient',
      needed: 'no: nobody may',
    },
    { name: 'description', field: 'description', kind: 'text', about: 'what it is for', needed: 'no' },
  ],
  required: [['recipient'], ['amount'], ['type', 'template']],
  examples: [
    { recipient: '@somebody', amount: '0.25', template: 'linear-open', description: 'Put your rows here' },
    {
      recipient: '@somebody',
      amount: '0.6',
      type: 'STEP',
      start: '2027-01-01T00:00:00Z',
      end: '2027-06-30T00:00:00Z',
      interval: '30d',
    },
  ],
};

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

const readTranches = (text: string, refuse: Refuse) =>
  readPairs(text)?.map(({ unlockTime, amount }) => ({ unlockTime: readTime(unlockTime, refuse), amount })) ??
  refuse(
    `"${text}" must be a date and an amount, such as 2026-07-01T00:00:00Z=0.5, and more of them after a semicolon`,
  );

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

const asIs = (text: string): string => text;

const READERS: Readonly<Record<CellKind, (text: string, refuse: Refuse) => unknown>> = {
  text: asIs,
  address: asIs,
  amount: asIs,
  date: readTime,
  duration: readInterval,
  choice: (text) => text.toUpperCase(),
  percent: (text) => text.replace(/\s*%$/, ''),
  list: readTranches,
};

/** The column of a field. */
export const columnOf = (field: string): string =>
  BATCH_SHEET.columns.find((column) => column.field === field)?.name ?? field;

/**
 * The rows of a CSV file. What is wrong with a line is said with the others; what is wrong with the file is thrown.
 *
 * @throws invalid_file for a header with unknown, doubled or missing columns, or what is no CSV
 */
export const readBatchCsv = (csv: string): Sheet => ({
  nameOf: columnOf,
  rows: readSheet(csv, BATCH_SHEET).map((row) => {
    const { line } = row;
    if ('issues' in row) return { line, issues: row.issues };
    const issues: Issue[] = [];
    const entry: Record<string, unknown> = {};
    for (const { column, text } of row.cells)
      entry[column.field] = READERS[column.kind](text, (message) => {
        issues.push({ path: column.name, message });
        return null;
      });
    return issues.length > 0 ? { line, issues } : { line, entry };
  }),
});
