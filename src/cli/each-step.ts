/** `--all`: a whole step for everything that it can be taken for, one after the other. */
import { errorBody, EXIT, invalidField, isTreasuryError, messageOf } from '../errors.js';
import type { Action, Each, EachItem } from '../operation/define.js';
import { execute, type Reply } from '../operation/execute.js';
import type { StepFlags } from './build-step.js';
import type { Call } from './call.js';
import { readWrittenValues } from './written-values.js';
import { fieldsOf } from './fields.js';
import { fillCaller, gatherInput, type Given, type RawInput } from './gather-input.js';
import { kebabCase } from './flags.js';
import type { Output } from './output.js';
import { isInterruption, withSpinner } from './environment.js';
import { withSession, type Session } from './session.js';
import { requireWallet } from './sign-step.js';
import { runStep } from './whole-step.js';

/** What became of one item: the document that its own step would have given, and how it ended. */
type Result = Reply & { readonly label: string; readonly success: boolean; readonly exit: number };

type Order = {
  readonly action: Action;
  readonly each: Each;
  readonly given: Given;
  readonly flags: StepFlags;
};

/** Exit codes from the worst on: what needs a person stands before what another run may mend. */
const WORST_FIRST: readonly number[] = [
  EXIT.interrupted,
  EXIT.unexpected,
  EXIT.refused,
  EXIT.notAllowed,
  EXIT.invalid,
  EXIT.notFound,
  EXIT.rule,
  EXIT.network,
  EXIT.pending,
  EXIT.declined,
];

/** The worst of some exit codes; 0 when all went well, or there is none. */
export const worstExit = (exits: readonly number[]): number =>
  WORST_FIRST.find((code) => exits.includes(code)) ?? EXIT.done;

/** Failures of the command and not of one item: every further item would meet the same. */
const isOfCommand = (error: unknown): boolean =>
  isTreasuryError(error) && ['missing_value', 'wallet_locked', 'wrong_passphrase'].includes(error.code);

/** @throws invalid_input when one record is named, or a transaction is to be signed elsewhere */
const checkOrder = (named: readonly string[], { given, flags }: Order): void => {
  const [first] = named.filter((name) => given[name] !== undefined);
  if (first !== undefined) throw invalidField(kebabCase(first), 'names one record: leave it out, or --all');
  // Transactions built side by side would spend the same coins.
  if (flags.unsigned === true)
    throw invalidField('unsigned', 'prints one transaction: name the record instead of --all');
};

/** The output of one step of many: its document is kept, not written. */
const keepDocument = (output: Output): { readonly quiet: Output; readonly document: () => Reply } => {
  const kept: string[] = [];
  return {
    quiet: { ...output, mode: 'json', data: (text) => kept.push(text) },
    document: () => (kept.length === 0 ? {} : (JSON.parse(kept.join('\n')) as Reply)),
  };
};

const failure = (error: unknown): Reply & { readonly exit: number } => {
  if (isTreasuryError(error)) return { ...errorBody(error), exit: error.exit };
  const message = messageOf(error);
  const [code, exit] = isInterruption(error)
    ? (['interrupted', EXIT.interrupted] as const)
    : (['internal_error', EXIT.unexpected] as const);
  return { success: false, code, error: message, retryable: false, exit };
};

const stepFor = async (
  session: Session,
  { action, flags }: Order,
  { label }: EachItem,
  input: RawInput,
): Promise<Result> => {
  const { quiet, document } = keepDocument(session.call.output);
  const own: Session = { ...session, call: { ...session.call, output: quiet } };
  try {
    const exit = await runStep({ session: own, action, input, flags });
    return { ...document(), label, success: exit === EXIT.done, exit };
  } catch (error) {
    if (isOfCommand(error)) throw error;
    return { ...failure(error), label, success: false };
  }
};

/** What a result says in one line. */
const lineOf = ({ label, success, ...reply }: Result, { dryRun }: StepFlags, output: Output): string => {
  const { message, error, code, txHash } = reply;
  const said = [message, error, code].find((text): text is string => typeof text === 'string');
  if (!success) return `${label}  ${output.paint('red', 'failed')}  ${said ?? 'it did not end well'}`;
  if (dryRun === true) return `${label}  ${output.paint('green', 'checked')}  nothing was signed or sent`;
  const words = [said ?? 'nothing to sign', ...(typeof txHash === 'string' ? [txHash] : [])];
  return `${label}  ${output.paint('green', 'done')}  ${words.join('  ')}`;
};

const writeDocument = (output: Output, results: readonly Result[]): void => {
  const done = results.filter(({ success }) => success).length;
  const failed = results.length - done;
  const document = { success: failed === 0, results, total: results.length, done, failed };
  output.data(JSON.stringify(document, null, 2));
};

/** Writes each result as it comes; a single document comes at the end. */
const takeSteps = async (session: Session, order: Order, gathered: RawInput, items: readonly EachItem[]) => {
  const { output } = session.call;
  const caller = session.operator.address?.text ?? null;
  const results: Result[] = [];
  for (const item of items) {
    const input = fillCaller(fieldsOf(order.action.build), { ...gathered, ...item.input }, caller);
    const result = await stepFor(session, order, item, input);
    results.push(result);
    if (output.mode === 'jsonl') output.data(JSON.stringify(result));
    if (output.mode === 'text') output.data(lineOf(result, order.flags, output));
    if (result.exit === EXIT.interrupted) break;
  }
  return results;
};

/**
 * Takes the whole step of an action for everything that its list finds for the operator. One failure stops no other.
 *
 * @returns the worst exit code
 * @throws what listing throws, and what concerns the command itself: unauthenticated, signing_failed, missing_value,
 *   wallet_locked, wrong_passphrase, invalid_input
 */
export const performEach = async (call: Call, order: Order): Promise<number> => {
  const { action, each, given } = order;
  const fields = fieldsOf(action.build);
  const named = fields.filter(({ place }) => place === 'position').map(({ name }) => name);
  checkOrder(named, order);
  const gathered = await gatherInput(fields, given, call, named);
  return withSession(call, async (session) => {
    requireWallet(session);
    const { context, credentials, operator } = session;
    const listed = await withSpinner(call, 'Looking for what there is', () =>
      execute(each.list, each.listInput(operator.address?.text ?? ''), context, credentials),
    );
    const items = each.items(listed);
    if (items.length === 0) call.output.talk(each.none);
    const named = await readWrittenValues(fields, gathered, session);
    const results = await takeSteps(session, order, named, items);
    if (call.output.mode === 'json') writeDocument(call.output, results);
    return worstExit(results.map(({ exit }) => exit));
  });
};
