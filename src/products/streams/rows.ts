/** The rows of a batch: each is read like the body of one creation, and every bad one is reported with its number. */
import { z } from 'zod';
import { showAmounts, showNumber } from '../../bch/amount.js';
import { TreasuryError, type Issue } from '../../errors.js';
import { column } from '../../operation/columns.js';
import type { AnyOperation, View } from '../../operation/define.js';
import { readInput } from '../../operation/read-input.js';
import { inTurns } from '../../operation/turns.js';
import { draftStream, type DraftFrame } from './draft.js';
import { ScheduleBody, type ScheduleRequest } from './fields.js';
import type { StreamRecord } from './stream.js';

/** The fields of a row as JSON Schema, without the dialect, which its document names. */
const { $schema: _dialect, ...rowSchema } = z.toJSONSchema(ScheduleBody, {
  io: 'input',
  unrepresentable: 'any',
});

/**
 * A row as requests document it. It is not checked where the body is read, but one by one: so that what is wrong with
 * the form of one row and with the rules of another is said in one answer.
 */
export const RowField = z.unknown().meta(rowSchema);

/** What reading a row needs of an operation. */
const rowOperation = {
  id: 'streams.batch-create',
  input: ScheduleBody,
  aliases: { recipientAddress: 'recipient' },
} as unknown as AnyOperation;

type DraftContext = Parameters<typeof draftStream>[2];
type Refused = { readonly issues: readonly Issue[] };

/** Rows in their order, raw or refused where they are read, and what their fields are called there. */
export type Sheet = {
  readonly rows: readonly ({ /** Of the file. */ readonly line?: number } & (
    | { readonly entry: unknown }
    | Refused
  ))[];
  readonly nameOf: (field: string) => string;
};

/** What becomes of a row: a draft, or what is wrong with it. Rows count from 1; a line is that of a file. */
export type RowVerdict = { readonly row: number; readonly line?: number } & (
  | { readonly stream: StreamRecord }
  | Refused
);

/** One row as a draft, or what is wrong with it. */
const readRow = async (
  raw: unknown,
  frame: DraftFrame,
  context: DraftContext,
): Promise<{ readonly stream: StreamRecord } | Refused> => {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return { issues: [{ path: '', message: 'expected an object' }] };
  try {
    const { input } = readInput(rowOperation, raw as Record<string, unknown>, context.network);
    return await draftStream(input as ScheduleRequest, frame, context);
  } catch (error) {
    const known: TreasuryError | null = error instanceof TreasuryError ? error : null;
    if (known === null) throw error;
    const issues = known.details['issues'] as readonly Issue[] | undefined;
    return { issues: issues ?? [{ path: '', message: known.message }] };
  }
};

/** A dotted path by the name that its field has where the row comes from. */
const renamed = ({ path, message }: Issue, { nameOf }: Sheet): Issue => {
  const [field = '', ...rest] = path.split('.');
  return { path: [nameOf(field), ...rest].join('.'), message };
};

/** Rows that are read in one turn of the program: each makes the address of its covenant. */
const ROWS_TO_A_TURN = 4;

/** The verdict on every row, in their order. */
export const judgeRows = (
  sheet: Sheet,
  frame: DraftFrame,
  context: DraftContext,
): Promise<readonly RowVerdict[]> =>
  inTurns(ROWS_TO_A_TURN, sheet.rows, async (given, index): Promise<RowVerdict> => {
    const { line } = given;
    const place = { row: index + 1, ...(line === undefined ? {} : { line }) };
    if ('issues' in given) return { ...place, issues: given.issues };
    const draft = await readRow(given.entry, frame, context);
    if ('stream' in draft) return { ...place, stream: draft.stream };
    return { ...place, issues: draft.issues.map((issue) => renamed(issue, sheet)) };
  });

/** Where a row stands, for people: on its line of the file, or as the row that it is. */
export const placeOf = ({ row, line }: Pick<RowVerdict, 'row' | 'line'>): string =>
  line === undefined ? `row ${row}` : `line ${line}`;

/**
 * The streams of rows that are all good.
 *
 * @throws invalid_input with every bad row. Source: docs/design/api.md: paths from 0, rows from 1
 */
export const requireGoodRows = (verdicts: readonly RowVerdict[]): readonly StreamRecord[] => {
  const issues = verdicts.flatMap((verdict) => {
    if ('stream' in verdict) return [];
    const { row, line } = verdict;
    return verdict.issues.map(({ path, message }) => ({
      path: ['entries', row - 1, ...(path === '' ? [] : [path])].join('.'),
      message,
      row,
      ...(line === undefined ? {} : { line }),
      said: [placeOf(verdict), ...(path === '' ? [] : [path])].join(', '),
    }));
  });
  const summary = issues.map(({ said, message }) => `${said}: ${message}`).join('; ');
  if (issues.length > 0)
    throw new TreasuryError('invalid_input', {
      summary,
      issues: issues.map(({ said: _said, ...issue }) => issue),
    });
  return verdicts.flatMap((verdict) => ('stream' in verdict ? [verdict.stream] : []));
};

/** The verdict on a row, as a dry run shows it. */
export const VerdictReply = z.object({
  row: z.number().describe('From 1'),
  line: z.number().optional().describe('Of the file'),
  verdict: z.enum(['good', 'refused']),
  recipient: z.string().nullable(),
  stream_type: z.string().nullable(),
  total_amount: z.number().nullable().describe('Display units'),
  total_amountOnChain: z.string().nullable().describe('Smallest unit'),
  issues: z.array(z.object({ path: z.string(), message: z.string() })),
});
type ShownVerdict = z.output<typeof VerdictReply>;

/** For the schema, see {@link VerdictReply}. */
export const showVerdict = (verdict: RowVerdict): ShownVerdict => {
  const { row, line } = verdict;
  const place = { row, ...(line === undefined ? {} : { line }) };
  if ('issues' in verdict) {
    const unknown = { recipient: null, stream_type: null, total_amount: null, total_amountOnChain: null };
    return { ...place, verdict: 'refused', ...unknown, issues: [...verdict.issues] };
  }
  const { recipient, stream_type, total_amount, decimals } = verdict.stream;
  const amounts = showAmounts({ total_amount }, decimals);
  return { ...place, verdict: 'good', recipient, stream_type, ...amounts, issues: [] };
};

const tell = (issues: ShownVerdict['issues']): string =>
  issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');

/** How the verdicts read: those of bad rows alone, where there are any. */
export const viewVerdicts = (verdicts: readonly ShownVerdict[]): View => {
  const bad = verdicts.filter(({ issues }) => issues.length > 0);
  const head = verdicts.some(({ line }) => line !== undefined) ? 'Line' : 'Row';
  if (bad.length > 0)
    return [
      {
        kind: 'table',
        head: [column.amount(head, 0), column.prose('What is wrong')],
        rows: bad.map(({ row, line, issues }) => [String(line ?? row), tell(issues)]),
      },
    ];
  return [
    {
      kind: 'table',
      head: [
        column.amount(head, 0),
        column.text('Recipient'),
        column.text('Type', 2),
        column.amount('Amount'),
        column.prose('Verdict', 0),
      ],
      rows: verdicts.map(({ row, line, recipient, stream_type, total_amount, verdict }) => [
        String(line ?? row),
        recipient ?? '',
        stream_type ?? '',
        total_amount === null ? '' : showNumber(total_amount),
        verdict,
      ]),
    },
  ];
};
