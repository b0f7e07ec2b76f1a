/** The rows of a batch: each is read like the body of one creation, and every bad one is reported with its number. */
import { z } from 'zod';
import type { Network } from '../../bch/network.js';
import { TreasuryError, type Issue } from '../../errors.js';
import type { AnyOperation } from '../../operation/define.js';
import { readInput } from '../../operation/read-input.js';
import { draftStream, type DraftFrame } from './draft.js';
import { ScheduleBody, type ScheduleRequest } from './fields.js';
import type { StreamRecord } from './stream.js';

/** The fields of a row as JSON Schema, without the dialect, which its document names. */
const rowSchema = (): Record<string, unknown> => {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(ScheduleBody, {
    io: 'input',
    unrepresentable: 'any',
  });
  return schema;
};

/**
 * A row as requests document it. It is not checked where the body is read, but one by one: so that what is wrong with
 * the form of one row and with the rules of another is said in one answer.
 */
export const RowField = z.unknown().meta(rowSchema());

/** What reading a row needs of an operation. */
const rowOperation = {
  id: 'streams.batch-create',
  input: ScheduleBody,
  aliases: { recipientAddress: 'recipient' },
} as unknown as AnyOperation;

type DraftContext = Parameters<typeof draftStream>[2] & { readonly network: Network };

/** A problem of a row. Source: design, api.md (Errors): paths from 0, rows from 1. */
export type RowIssue = Issue & { readonly row: number };

const issuesOf = (error: TreasuryError): readonly Issue[] =>
  (error.details['issues'] as readonly Issue[] | undefined) ?? [{ path: '', message: error.message }];

/** A row of a request or a file: a raw entry, or why it cannot be read as one. */
export type SheetRow = { readonly entry: unknown } | { readonly issues: readonly Issue[] };

/** Rows in their order, and what their fields are called where they come from. */
export type Sheet = {
  readonly rows: readonly SheetRow[];
  readonly nameOf: (field: string) => string;
};

/** What becomes of a row: a draft, or what is wrong with it. Rows count from 1. */
export type RowVerdict =
  | { readonly row: number; readonly stream: StreamRecord }
  | { readonly row: number; readonly issues: readonly Issue[] };

/** One row as a draft, or what is wrong with it. */
const readRow = async (
  raw: unknown,
  frame: DraftFrame,
  context: DraftContext,
): Promise<{ readonly stream: StreamRecord } | { readonly issues: readonly Issue[] }> => {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return { issues: [{ path: '', message: 'expected an object' }] };
  try {
    const { input } = readInput(rowOperation, raw as Record<string, unknown>, context.network);
    return await draftStream(input as ScheduleRequest, frame, context);
  } catch (error) {
    const known: TreasuryError | null = error instanceof TreasuryError ? error : null;
    if (known === null) throw error;
    return { issues: issuesOf(known) };
  }
};

/** A dotted path by the name that its field has where the row comes from. */
const renamed = ({ path, message }: Issue, { nameOf }: Sheet): Issue => {
  const [field = '', ...rest] = path.split('.');
  return { path: [nameOf(field), ...rest].join('.'), message };
};

/** The verdict on every row, in their order. */
export const judgeRows = async (
  sheet: Sheet,
  frame: DraftFrame,
  context: DraftContext,
): Promise<readonly RowVerdict[]> =>
  await Promise.all(
    sheet.rows.map(async (given, index) => {
      const row = index + 1;
      if ('issues' in given) return { row, issues: given.issues };
      const draft = await readRow(given.entry, frame, context);
      if ('stream' in draft) return { row, stream: draft.stream };
      return { row, issues: draft.issues.map((issue) => renamed(issue, sheet)) };
    }),
  );

/** `invalid_input` for all bad rows. */
const badRows = (issues: readonly RowIssue[]): TreasuryError =>
  new TreasuryError('invalid_input', {
    summary: issues.map(({ row, path, message }) => `row ${row}, ${path}: ${message}`).join('; '),
    issues,
  });

/**
 * The streams of rows that are all good.
 *
 * @throws invalid_input with every bad row
 */
export const requireGoodRows = (verdicts: readonly RowVerdict[]): readonly StreamRecord[] => {
  const bad = verdicts.flatMap((verdict) =>
    'stream' in verdict
      ? []
      : verdict.issues.map(({ path, message }) => ({
          path: ['entries', verdict.row - 1, ...(path === '' ? [] : [path])].join('.'),
          message,
          row: verdict.row,
        })),
  );
  if (bad.length > 0) throw badRows(bad);
  return verdicts.flatMap((verdict) => ('stream' in verdict ? [verdict.stream] : []));
};
