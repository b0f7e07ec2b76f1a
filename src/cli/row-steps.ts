/** `--file` of an action whose rows are steps of their own: all rows are checked, then each is taken, and none twice. */
import { decodeWalletTransaction } from '../bch/wallet-transaction.js';
import { parseAddress } from '../bch/address.js';
import { readAmount, toUnits } from '../bch/amount.js';
import { sumSatoshis } from '../bch/coins.js';
import { fromLibauthOutput } from '../bch/transaction.js';
import { invalidField, isTreasuryError, type Issue } from '../errors.js';
import type { Action, EachItem, RowFacts } from '../operation/define.js';
import { execute, type Reply } from '../operation/execute.js';
import { findUnderWay, transactionOf, type StepFlags } from './build-step.js';
import type { Call } from './call.js';
import { withSpinner } from './environment.js';
import { faceOf, fieldsOf } from './fields.js';
import { kebabCase } from './flags.js';
import { fillCaller, gatherInput, readDocument, type Given, type RawInput } from './gather-input.js';
import { performSteps } from './many-steps.js';
import { withSession, type Session } from './session.js';
import { goodRows, readRows, refuseRows } from './sheet-input.js';
import { requireWallet } from './sign-step.js';
import { readWrittenValues } from './written-values.js';

type RowOrder = {
  readonly action: Action;
  readonly given: Given;
  readonly flags: StepFlags;
  /** Name of the file, or `-`. */
  readonly file: string;
  /** Pays rows too that were paid before. */
  readonly isAgain: boolean;
};

/** A row of the file: what its step is asked with, and how its check ended. */
type Row = {
  readonly line: number;
  readonly input: RawInput;
  readonly issues: readonly Issue[];
  /** Satoshis; null: not known. */
  readonly fee: bigint | null;
};

/** Columns that the file fills, by the fields of the build. */
const filledBy = (action: Action): readonly string[] =>
  faceOf(action.build)?.sheet?.kind.columns.map(({ field }) => field) ?? [];

/** @throws invalid_input for what one recipient is named by, beside a file of them, and for --unsigned */
const checkOrder = ({ action, given, flags }: RowOrder): void => {
  const [first] = filledBy(action).filter((name) => given[name] !== undefined);
  if (first !== undefined) throw invalidField(kebabCase(first), 'is in the rows of --file: leave it out');
  if (flags.unsigned === true) throw invalidField('unsigned', 'prints one transaction: leave out --file');
};

const feeIn = (reply: Reply): bigint | null => {
  const transaction = transactionOf(reply);
  if (transaction === null) return null;
  const { sourceOutputs, transaction: built } = decodeWalletTransaction(transaction);
  return (
    sumSatoshis(sourceOutputs.map(fromLibauthOutput)) - sumSatoshis(built.outputs.map(fromLibauthOutput))
  );
};

/** Builds the step of a row and throws it away: what is wrong with it, by the columns of its file, and what it costs. */
const checkRow = async (
  { context, credentials }: Session,
  { build }: Action,
  line: number,
  input: RawInput,
): Promise<Row> => {
  try {
    return { line, input, issues: [], fee: feeIn(await execute(build, input, context, credentials)) };
  } catch (error) {
    if (!isTreasuryError(error) || error.retryable) throw error;
    const { field } = error.details;
    const column = faceOf(build)?.sheet?.kind.columns.find((one) => one.field === field);
    return {
      line,
      input,
      issues: [{ path: column?.name ?? '', message: error.message.replace(/\.$/, '') }],
      fee: null,
    };
  }
};

type Paid = RowFacts['paid'][number];

const paymentOf = (row: Row, facts: RowFacts): Paid => ({
  to: parseAddress(String(row.input[facts.to])).text,
  units: toUnits(
    readAmount(row.input[facts.amount]) ?? { decimal: '0', isNumber: false },
    facts.decimals,
    'amount',
  ),
});

/** Rows that are to be paid, and those that were paid before: each payment of the past stands for one row. */
const splitPaid = (rows: readonly Row[], facts: RowFacts, isAgain: boolean) => {
  const past = isAgain ? [] : [...facts.paid];
  const isPaid = rows.map((row) => {
    const { to, units } = paymentOf(row, facts);
    const index = past.findIndex((one) => one.to === to && one.units === units);
    if (index >= 0) past.splice(index, 1);
    return index >= 0;
  });
  return {
    due: rows.filter((_row, index) => isPaid[index] === false),
    paid: rows.filter((_row, index) => isPaid[index]),
  };
};

const linesOf = (rows: readonly { readonly line: number }[]): string =>
  rows.map(({ line }) => line).join(', ');

const warnTwice = ({ call }: Session, rows: readonly Row[], facts: RowFacts): void => {
  const payees = rows.map((row) => ({ ...row, to: paymentOf(row, facts).to }));
  for (const to of new Set(payees.map((row) => row.to))) {
    const own = payees.filter((row) => row.to === to);
    if (own.length > 1)
      call.output.warn(`Warning: ${to} is in it ${own.length} times (lines ${linesOf(own)})`);
  }
};

/** @throws invalid_input with every fault of every row, or when the rows come to more than there is */
const checkRows = (rows: readonly Row[], facts: RowFacts): void => {
  const bad = rows.filter(({ issues }) => issues.length > 0);
  if (bad.length > 0) throw refuseRows(bad);
  const sum = rows.reduce((total, row) => total + paymentOf(row, facts).units, 0n);
  if (sum > facts.available) throw invalidField('file', facts.tooMuch(sum));
};

const itemOf = (row: Row, facts: RowFacts): EachItem => {
  const { to, units } = paymentOf(row, facts);
  const { category, decimals } = facts;
  return {
    label: `line ${row.line} to ${to}`,
    input: row.input,
    worth: { units, category, decimals, fee: row.fee },
  };
};

const readFile = async (
  session: Session,
  order: RowOrder,
  input: RawInput,
): Promise<readonly { readonly line: number; readonly input: RawInput }[]> => {
  const { action, file, flags } = order;
  const csv = await readDocument(file, session.call);
  const { dateOrder } = flags;
  const rows = goodRows(await readRows(csv, action.build, input, { session, dateOrder }));
  return rows.map(({ line, entry }) => ({ line, input: { ...input, ...entry } }));
};

/** The rows with their checks. A row whose step is under way is none to be checked: it goes on. */
const checkedRows = async (session: Session, order: RowOrder, input: RawInput): Promise<readonly Row[]> => {
  const { action, flags } = order;
  const read = await readFile(session, order, input);
  const rows: Row[] = [];
  for (const [index, row] of read.entries()) {
    const isUnderWay = (await findUnderWay({ session, action, input: row.input, flags })) !== null;
    const check = () => checkRow(session, action, row.line, row.input);
    rows.push(
      isUnderWay
        ? { ...row, issues: [], fee: null }
        : await withSpinner(session.call, `Checking row ${index + 1} of ${read.length}`, check),
    );
  }
  return rows;
};

/**
 * Takes the step of an action for every row of a file. Nothing is done while one of them is bad. What was paid before, to
 * the same recipient and as much, is left alone: so the same file again goes on where it was left.
 *
 * @returns the worst exit code
 * @throws invalid_file, invalid_input with every fault of every row, and what concerns the command itself
 */
export const performRows = async (call: Call, order: RowOrder): Promise<number> => {
  const { action, given, flags } = order;
  checkOrder(order);
  const fields = fieldsOf(action.build);
  const gathered = await gatherInput(fields, given, call, filledBy(action));
  return withSession(call, async (session) => {
    requireWallet(session);
    const named = await readWrittenValues({ operation: action.build, fields }, gathered, session);
    const input = fillCaller(fields, named, session.operator.address?.text ?? null);
    const rows = await checkedRows(session, order, input);
    const facts = await action.rows?.(session.context.store, input);
    if (facts === undefined) throw new Error(`${action.verb} has no rows`);
    const { due, paid } = splitPaid(rows, facts, order.isAgain);
    checkRows(due, facts);
    warnTwice(session, due, facts);
    if (paid.length > 0)
      call.output.warn(
        `${paid.length} of ${rows.length} rows were paid before, to the same recipient and as much, and are left alone (lines ${linesOf(paid)}): --again pays them once more.`,
      );
    return performSteps(session, {
      action,
      flags,
      items: due.map((row) => itemOf(row, facts)),
      inputOf: (item) => item.input,
      left: null,
      more: { paidBefore: paid.map(({ line }) => line) },
    });
  });
};
