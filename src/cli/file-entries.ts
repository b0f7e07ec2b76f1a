/** `--file` of an operation that takes all rows at once: its entries, what they come to, and faults by their lines. */
import { readAmount, toUnits } from '../bch/amount.js';
import { isTreasuryError, TreasuryError, type Issue } from '../errors.js';
import type { AnyOperation, SheetFace } from '../operation/define.js';
import { BCH, tokenAsset } from '../record/assets.js';
import { askConsent } from './consent.js';
import { drawView } from './draw-view.js';
import { tellTotals, totalsOf } from './each-summary.js';
import { faceOf } from './fields.js';
import { readDocument, type RawInput } from './gather-input.js';
import type { Session } from './session.js';
import { goodRows, isJson, readRows, refuseRows } from './sheet-input.js';

/** A file of rows, as it was named. */
export type RowsFile = { readonly file: string; readonly dateOrder?: string | undefined };

type Entry = { readonly line: number; readonly entry: RawInput };

/** Entries that were read out of a file, with their lines. */
type Listed = { readonly entries: readonly Entry[]; readonly face: SheetFace };

/** The entries of a file, for the operation that takes them. */
export type FileEntries = {
  /** Of the operation, the entries in it. */
  readonly input: RawInput;
  /** Shows what they come to, warns of somebody who is in them twice, and asks once. @throws declined, missing_value */
  readonly agree: (input: RawInput, payer: string) => Promise<void>;
  /** What the operation says of them, by the lines and columns of the file. */
  readonly inLines: (error: unknown) => unknown;
};

const fieldOf = ({ kind }: SheetFace, is: 'address' | 'amount'): string =>
  kind.columns.find((column) => column.kind === is)?.field ?? '';

/** An amount that the operation will refuse counts for nothing: it is refused before anything is done. */
const amountOf = async (entry: RawInput, face: SheetFace, { context }: Session) => {
  const { tokenCategory } = entry;
  const asset = typeof tokenCategory === 'string' ? await tokenAsset(tokenCategory, context.store) : BCH;
  const written = readAmount(entry[fieldOf(face, 'amount')]) ?? { decimal: '0', isNumber: false };
  const { category, decimals } = asset;
  try {
    return { units: toUnits(written, decimals, 'amount'), category, decimals };
  } catch {
    return { units: 0n, category, decimals };
  }
};

/**
 * Shows what the rows of a file come to, warns of somebody who is in it twice, and asks once.
 *
 * @throws declined, missing_value
 */
const agreeOnEntries = async (
  session: Session,
  { entries: read, face }: Listed,
  input: RawInput,
  payer: string,
): Promise<void> => {
  const asked = input[face.entries ?? ''] as readonly RawInput[];
  const entries = read.map(({ line }, index) => ({ line, entry: asked[index] ?? {} }));
  const { output } = session.call;
  const to = fieldOf(face, 'address');
  const payees = [...new Set(entries.map(({ entry }) => String(entry[to])))];
  for (const payee of payees) {
    const lines = entries.filter(({ entry }) => entry[to] === payee).map(({ line }) => line);
    if (lines.length > 1)
      output.warn(`Warning: ${payee} is in it ${lines.length} times (lines ${lines.join(', ')})`);
  }
  const amounts = await Promise.all(entries.map(({ entry }) => amountOf(entry, face, session)));
  const totals = tellTotals(await totalsOf(amounts, session.context.store));
  const rows = [
    ['Rows', `${entries.length}, to ${payees.length} ${payees.length === 1 ? 'recipient' : 'recipients'}`],
    ['In all', totals],
    ['Paid by', `${payer}, the fee too`],
  ] as const;
  output.talk(drawView([{ kind: 'facts', rows }], output.paintTalk));
  await askConsent(session, { question: 'Go on with these?', endingLabel: null, confirmed: undefined });
};

/** What an operation says of its entries, by the lines and columns of the file that they came from. */
const inLines = (error: unknown, { entries, face }: Listed): unknown => {
  if (!isTreasuryError(error)) return error;
  const { issues, field } = error.details;
  const message = error.message.replace(/\.$/, '');
  const said: readonly Issue[] = Array.isArray(issues)
    ? (issues as readonly Issue[])
    : typeof field === 'string'
      ? [{ path: field, message }]
      : [];
  const placed = said.flatMap((issue) => {
    const [list, index = '', name = ''] = issue.path.split('.');
    const line = list === face.entries ? entries[Number(index)]?.line : undefined;
    const column = face.kind.columns.find((one) => one.field === name)?.name ?? name;
    // A message may begin with the path.
    const text = issue.message.replace(`${issue.path}: `, '');
    return line === undefined ? [] : [{ line, issues: [{ path: column, message: text }] }];
  });
  return placed.length === 0 || placed.length < said.length ? error : refuseRows(placed);
};

/**
 * The input with the entries of a file.
 *
 * @throws invalid_file, invalid_input with every fault of every row
 */
export const readFileEntries = async (
  session: Session,
  operation: AnyOperation,
  input: RawInput,
  { file, dateOrder }: RowsFile,
): Promise<FileEntries | null> => {
  const face = faceOf(operation)?.sheet;
  if (face?.entries == null) return null;
  const text = await readDocument(file, session.call);
  if (isJson(text))
    throw new TreasuryError('invalid_file', {
      file,
      reason: `expected CSV; JSON is taken by --${face.entries}`,
    });
  const entries = goodRows(await readRows(text, operation, input, { session, dateOrder }));
  const listed: Listed = { entries, face };
  return {
    input: { ...input, [face.entries]: entries.map(({ entry }) => entry) },
    agree: (asked, payer) => agreeOnEntries(session, listed, asked, payer),
    inLines: (error) => inLines(error, listed),
  };
};
