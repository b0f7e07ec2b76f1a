/**
 * Many whole steps, one after the other. All of them are summed up and agreed to once. After Ctrl-C the step that is being
 * taken is taken, and no other is begun.
 */
import { errorBody, EXIT, isTreasuryError, messageOf } from '../errors.js';
import type { Action, EachItem, LeftOut } from '../operation/define.js';
import type { Reply } from '../operation/execute.js';
import { findUnderWay, type StepFlags } from './build-step.js';
import type { Call } from './call.js';
import { askConsent } from './consent.js';
import { drawView } from './draw-view.js';
import { showTotals, summariseEach, tellTotals, totalsOf } from './each-summary.js';
import { isInterruption } from './environment.js';
import type { RawInput } from './gather-input.js';
import type { Output } from './output.js';
import type { Session } from './session.js';
import { runStep } from './whole-step.js';

/** What became of one item: the document that its own step would have given, and how it ended. */
type Result = Reply & { readonly label: string; readonly success: boolean; readonly exit: number };

/** What is to be done: each item with its step, and what was left alone. */
export type Steps = {
  readonly action: Action;
  readonly flags: StepFlags;
  readonly items: readonly EachItem[];
  /** The raw input of the step of an item. */
  readonly inputOf: (item: EachItem) => RawInput;
  readonly left: LeftOut | null;
  /** True where a list has found them a moment ago: what is not to be done any more was done by somebody quicker. */
  readonly isListed?: boolean;
  /** What the document has beside. */
  readonly more?: Readonly<Record<string, unknown>>;
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

/** The output of one step of many: its document is kept, not written, and it is summed up with the others. */
const keepDocument = (output: Output): { readonly quiet: Output; readonly document: () => Reply } => {
  const kept: string[] = [];
  return {
    quiet: { ...output, mode: 'json', data: (text) => kept.push(text), talk: () => undefined },
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

/** What a step is refused with when it was taken already. */
const TAKEN: readonly string[] = ['nothing_claimable', 'nothing_releasable', 'wrong_state'];

/** What became of a step that another command has taken since it was listed: that is no failure. */
const leftAlone = (error: unknown): Pick<Result, 'success' | 'exit'> & Reply => ({
  success: true,
  leftAlone: true,
  message: `another command was quicker: ${messageOf(error)}`,
  exit: EXIT.done,
});

/** Takes one step of many, which were agreed to. @throws what concerns the command itself */
const takeStep = async (
  session: Session,
  { action, flags, inputOf, isListed = false }: Steps,
  item: EachItem,
): Promise<Result> => {
  const { label } = item;
  const { call } = session;
  const { quiet, document } = keepDocument(call.output);
  const agreed: Call = { ...call, output: quiet, globals: { ...call.globals, yes: true } };
  const step = { session: { ...session, call: agreed }, action, input: inputOf(item), flags };
  try {
    const underWay = await findUnderWay(step);
    if (underWay !== null)
      call.output.talk(`An earlier run of this command signed ${underWay.txid}: going on with it.`);
    const exit = await runStep(step);
    return { ...document(), label, success: exit === EXIT.done, exit };
  } catch (error) {
    if (isOfCommand(error)) throw error;
    if (isListed && isTreasuryError(error) && TAKEN.includes(error.code))
      return { ...leftAlone(error), label };
    return { ...failure(error), label, success: false };
  }
};

const isLeft = (reply: Reply): boolean => reply['leftAlone'] === true;

/** What a result says in one line. */
const lineOf = ({ label, success, ...reply }: Result, { dryRun }: StepFlags, output: Output): string => {
  const { message, error, code, txHash } = reply;
  const said = [message, error, code].find((text): text is string => typeof text === 'string');
  if (!success) return `${label}  ${output.paint('red', 'failed')}  ${said ?? 'it did not end well'}`;
  if (isLeft(reply)) return `${label}  left alone  ${said ?? ''}`;
  if (dryRun === true) return `${label}  ${output.paint('green', 'checked')}  nothing was signed or sent`;
  const words = [said ?? 'nothing to sign', ...(typeof txHash === 'string' ? [txHash] : [])];
  return `${label}  ${output.paint('green', 'done')}  ${words.join('  ')}`;
};

/** What became of many steps. */
type Outcome = {
  readonly results: readonly Result[];
  readonly isInterrupted: boolean;
};

/** Takes the steps one by one, and writes each result as it comes. */
const takeSteps = async (session: Session, steps: Steps): Promise<Outcome> => {
  const { call } = session;
  const { output, environment } = call;
  const { items, flags } = steps;
  const results: Result[] = [];
  let isInterrupted = false;
  const stopListening = environment.onInterrupt?.(() => {
    isInterrupted = true;
    output.warn(
      'Interrupted: this one is brought to its end, and no other is begun. Ctrl-C again ends at once.',
    );
  });
  try {
    for (const [index, item] of items.entries()) {
      output.talk(`${index + 1}/${items.length}  ${item.label}`);
      const result = await takeStep(session, steps, item);
      results.push(result);
      if (output.mode === 'jsonl') output.data(JSON.stringify(result));
      if (output.mode === 'text') output.data(lineOf(result, flags, output));
      if (result.exit === EXIT.interrupted) isInterrupted = true;
      if (isInterrupted) break;
    }
    return { results, isInterrupted };
  } finally {
    stopListening?.();
  }
};

/** What was moved: as its result tells it, where it does. */
const movedBy = ({ items }: Steps, results: readonly Result[]) =>
  items.flatMap(({ worth }, index) => {
    const result = results[index];
    if (worth === undefined || result?.success !== true || isLeft(result)) return [];
    const told = result['claimedAmountOnChain'];
    return [{ ...worth, units: typeof told === 'string' ? BigInt(told) : worth.units }];
  });

/** The document, or the closing line: what was done, what it came to, and what is left. */
const writeOutcome = async (
  session: Session,
  steps: Steps,
  { results, isInterrupted }: Outcome,
): Promise<void> => {
  const { output } = session.call;
  const { items, left, flags } = steps;
  const taken = results.filter(isLeft).length;
  const done = results.filter(({ success }) => success).length - taken;
  const failed = results.length - done - taken;
  const notTried = items.slice(results.length).map(({ label }) => label);
  const moved = flags.dryRun === true ? [] : movedBy(steps, results);
  const totals = await totalsOf(moved, session.context.store);
  if (output.mode === 'json') {
    const document = {
      success: failed === 0 && !isInterrupted,
      results,
      total: items.length,
      done,
      failed,
      ...(taken === 0 ? {} : { leftAlone: taken }),
      totals: showTotals(totals),
      ...(left === null ? {} : { leftOut: left }),
      ...steps.more,
      ...(isInterrupted ? { interrupted: true } : {}),
      ...(notTried.length === 0 ? {} : { notTried }),
    };
    output.data(JSON.stringify(document, null, 2));
  }
  if (items.length < 2 && !isInterrupted) return;
  const said = [
    `${isInterrupted ? 'Interrupted. ' : ''}${done} of ${items.length} ${flags.dryRun === true ? 'checked' : 'done'}`,
    ...(totals.length === 0 ? [] : [tellTotals(totals)]),
    ...(taken === 0 ? [] : [`${taken} left alone`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(notTried.length === 0 ? [] : [`${notTried.length} not begun`]),
  ];
  output.talk(`${said.join(', ')}.`);
};

/**
 * Shows many steps together, asks once, and takes them one by one. One failure stops no other.
 *
 * @returns the worst exit code; that of an interruption when it was interrupted
 * @throws what concerns the command itself: declined, missing_value, wallet_locked, wrong_passphrase
 */
export const performSteps = async (session: Session, steps: Steps): Promise<number> => {
  const { call, operator, context } = session;
  const { items, left, flags } = steps;
  if (items.length > 0) {
    const who = `${operator.address?.text ?? ''} (${operator.walletName ?? ''})`;
    const view = await summariseEach(items, { who, left, store: context.store });
    call.output.talk(drawView(view, call.output.paintTalk));
  }
  if (items.length > 0 && flags.dryRun !== true) {
    const question = items.length === 1 ? 'Sign and send it?' : `Sign and send all ${items.length}?`;
    await askConsent(session, { question, endingLabel: null, confirmed: undefined });
  }
  const outcome = await takeSteps(session, steps);
  await writeOutcome(session, steps, outcome);
  return worstExit([
    ...outcome.results.map(({ exit }) => exit),
    ...(outcome.isInterrupted ? [EXIT.interrupted] : []),
  ]);
};
