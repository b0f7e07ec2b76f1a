/**
 * The whole step of an action: build, show, ask, sign, write down, broadcast, confirm.
 *
 * The signed transaction is written down before it is broadcast. The same command run again goes on with it.
 */
import { decodeTransaction } from '../bch/transaction.js';
import { EXIT, isTreasuryError, type TreasuryError } from '../errors.js';
import { hasRival } from '../offer/coin-fate.js';
import type { Action } from '../operation/define.js';
import type { Reply } from '../operation/execute.js';
import { removePendingStep, savePendingStep, stepKey, type PendingStep } from '../record/pending-steps.js';
import {
  buildStep,
  preparationOf,
  sendPreparation,
  transactionOf,
  findUnderWay,
  identityOf,
  subjectOf,
  type Step,
  type StepFlags,
} from './build-step.js';
import { requireInstead, sayKept, untilSpendIsShown, type Beaten } from './beaten-step.js';
import type { Call } from './call.js';
import { completeInput } from './complete-input.js';
import { confirmInput, confirmStep, showCheck, showUnsent } from './confirm-step.js';
import { priceDollars } from './dollars.js';
import { readWrittenValues } from './written-values.js';
import { faceOf, fieldsOf } from './fields.js';
import { fillCaller, gatherInput, type Given } from './gather-input.js';
import { endLease } from './leased-build.js';
import { withSession } from './session.js';
import { showReply, tellLeft, tellTotals } from './show-reply.js';
import { sheetInput } from './sheet-input.js';
import { giveUp, takenBefore, tellInPlaceOf } from './start-over.js';
import {
  broadcastSigned,
  requireWallet,
  signShown,
  summaryFor,
  type SignedTransaction,
} from './sign-step.js';

/** What the record is called: its label where the reply has one, else as it was named on the command line. */
const labelOf = ({ action, input }: Step, reply: Reply): string => {
  const [first] = fieldsOf(action.build).filter(({ place }) => place === 'position');
  const label = reply['label'] ?? input[first?.name ?? ''];
  return typeof label === 'string' ? label : action.verb;
};

/** Written down before it is broadcast, in the place of what it is built instead of. */
const writeDown = async (
  step: Step,
  reply: Reply,
  signed: SignedTransaction,
  instead: PendingStep | null,
): Promise<PendingStep> => {
  const identity = identityOf(step);
  const pending: PendingStep = {
    id: stepKey(identity),
    subject: await subjectOf(step),
    operation: identity.operation,
    caller: identity.caller,
    ...signed,
    confirm_input: { ...confirmInput(step, reply, signed.txid) },
    created_at: step.session.context.clock.wall(),
  };
  const { context, deputy } = step.session;
  return savePendingStep(context.store, pending, instead, deputy?.book);
};

/**
 * Broadcasts a step that is written down; one that the network may still take is kept.
 *
 * @param isReplaceable true: where another is spending its coins that is answered with, in a block or not
 * @throws as broadcastSigned
 */
const sendStep = async (
  step: Step,
  pending: PendingStep,
  isReplaceable = false,
): Promise<TreasuryError | null> => {
  try {
    return await broadcastSigned(step.session, pending);
  } catch (error) {
    if (isReplaceable && isTreasuryError(error) && error.code === 'tx_conflict') return error;
    sayKept(step.session, pending, error);
    throw error;
  }
};

/** As `sendStep`; where the chain has what the step took the place of, that is the step. */
const sendOrFind = async (
  step: Step,
  pending: PendingStep,
): Promise<{ readonly sent: PendingStep; readonly refusal: TreasuryError | null }> => {
  const { session } = step;
  try {
    const refusal = await broadcastSigned(session, pending);
    const before = refusal === null ? null : await takenBefore(session, pending);
    return before === null ? { sent: pending, refusal } : { sent: before, refusal: null };
  } catch (error) {
    const isRefused = isTreasuryError(error) && error.exit === EXIT.refused;
    const before = isRefused ? await takenBefore(session, pending) : null;
    if (before !== null) return { sent: before, refusal: null };
    sayKept(session, pending, error);
    throw error;
  }
};

/** Goes on with a step of an earlier run. Null: it is dropped, since it can never succeed. */
const goOnWith = async (step: Step, pending: PendingStep): Promise<number | null> => {
  const { call, context } = step.session;
  call.output.talk(`An earlier run of this command signed ${pending.txid}: going on with it.`);
  const { sent, refusal } = await sendOrFind(step, pending);
  if (refusal === null) return confirmStep(step, sent);
  await removePendingStep(context.store, pending, step.session.deputy?.strike);
  call.output.warn(`It is dropped, since the network refuses it for good: ${refusal.message}`);
  return null;
};

const isRebuilt = ({ action, session }: Step): boolean =>
  action.rebuilds === true && session.call.globals.yes === true;

/** Builds once more in the place of a transaction that was refused, which is kept until it is sure that it is beaten. */
const startAgain = async (
  { instead: _given, ...step }: Step,
  signed: PendingStep,
  refusal: TreasuryError,
): Promise<number> => {
  const { context, call } = step.session;
  call.output.talk('Somebody else was quicker with one of its coins: building it once more.');
  await untilSpendIsShown(step.session, signed);
  const isSure = await hasRival(decodeTransaction(signed.transaction), context);
  if (isSure) await removePendingStep(context.store, signed, step.session.deputy?.strike);
  return startStep(step, { signed, refusal, isSure });
};

/**
 * Builds, signs and sends a new transaction.
 *
 * @param beaten what it is built in the place of: then it is not built another time
 */
const startStep = async (step: Step, beaten: Beaten | null = null): Promise<number> => {
  const { session, action, flags } = step;
  const { context, call } = session;
  // Build:
  let reply = await buildStep(step);
  const preparation = preparationOf(reply);
  if (preparation !== null) reply = await sendPreparation(step, reply, preparation);
  const transaction = transactionOf(reply);
  if (transaction === null) {
    call.output.talk('There is nothing to sign.');
    await showReply(call.output, action.build, reply, context.store);
    return EXIT.done;
  }
  requireInstead(session, transaction, beaten);
  if (step.instead !== undefined) tellInPlaceOf(session, step.instead, transaction);
  await tellTotals(call.output, action, reply, context.store);
  // Sign, record, send:
  const summary = await summaryFor(session, transaction, reply);
  const endingLabel = faceOf(action.build)?.ending === true ? labelOf(step, reply) : null;
  const taken = step.taken === undefined ? '' : ` (${step.taken.join(', ')})`;
  const intent = {
    question: `Sign and send this${taken}?`,
    endingLabel,
    confirmed: flags.confirm,
    ...(preparation === null ? {} : { turn: 'Second of two, the transaction itself' }),
  };
  const signed = await signShown(session, transaction, summary, intent).catch((error: unknown) => {
    tellLeft(call.output, action, reply);
    throw error;
  });
  const pending = await writeDown(step, reply, signed, beaten?.signed ?? step.instead ?? null);
  const isReplaceable = beaten === null && isRebuilt(step);
  const refusal = await sendStep(step, pending, isReplaceable);
  if (refusal === null) return confirmStep(step, pending);
  if (isReplaceable && refusal.code === 'tx_conflict') return startAgain(step, pending, refusal);
  await removePendingStep(context.store, pending, session.deputy?.strike);
  tellLeft(call.output, action, reply);
  throw refusal;
};

/** The step with BCH in the place of dollars, which is said. @throws rate_unavailable, invalid_amount */
const withRate = async (step: Step): Promise<Step> => {
  const { action, session, input: asked, known = asked } = step;
  const target = { operation: action.build, fields: fieldsOf(action.build) };
  const { input, taken, notes } = await priceDollars(target, asked, session.context);
  for (const note of notes) session.call.output.warn(note);
  return taken.length === 0 ? step : { ...step, input, known, taken };
};

/**
 * Takes a step whose input is complete, or the part of it that its flags ask for.
 *
 * @returns the exit code
 * @throws what its operations, the wallet and the chain throw
 */
export const runStep = async (step: Step): Promise<number> => {
  const { session, action, flags } = step;
  if (flags.dryRun === true && action.check !== undefined)
    return showCheck(await withRate(step), action.check);
  if (flags.unsigned === true || flags.dryRun === true) return showUnsent(await withRate(step));
  requireWallet(session);
  await session.context.store.refresh();
  const underWay = await findUnderWay(step);
  const isOver = flags.startOver === true;
  const done = underWay === null || isOver ? null : await goOnWith(step, underWay);
  if (done !== null) return done;
  const instead = underWay === null || !isOver ? null : await giveUp(session, underWay);
  const lease = session.context.uuid();
  try {
    return await startStep({ ...(await withRate(step)), lease, ...(instead === null ? {} : { instead }) });
  } finally {
    await endLease(session, lease);
  }
};

/**
 * Performs the whole step of an action, or the part that its flags ask for.
 *
 * @returns the exit code
 * @throws what its operations, the wallet and the chain throw
 */
export const performAction = async (
  call: Call,
  action: Action,
  given: Given,
  flags: StepFlags,
): Promise<number> => {
  const fields = fieldsOf(action.build);
  const gathered = await gatherInput(fields, given, call);
  return withSession(call, async (session) => {
    const target = { operation: action.build, fields };
    const named = await readWrittenValues(target, gathered, session);
    const own = fillCaller(fields, named, session.operator.address?.text ?? null);
    const input = await completeInput(session, { ...target, input: own });
    const { dateOrder } = flags;
    const asked = await sheetInput(action.build, input, { session, dateOrder });
    return runStep({ session, action, input: asked, known: input, flags });
  });
};
