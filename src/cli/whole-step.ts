/**
 * The whole step of an action: build, show, ask, sign, write down, broadcast, confirm.
 *
 * The signed transaction is written down before it is broadcast. The same command run again goes on with it.
 */
import { sameOutpoint } from '../bch/coins.js';
import { decodeTransaction } from '../bch/transaction.js';
import { EXIT, isTreasuryError, type TreasuryError } from '../errors.js';
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
import type { Call } from './call.js';
import { confirmInput, confirmStep, showCheck, showUnsent } from './confirm-step.js';
import { readWrittenValues } from './written-values.js';
import { faceOf, fieldsOf } from './fields.js';
import { fillCaller, gatherInput, type Given } from './gather-input.js';
import { withSession, type Session } from './session.js';
import { showReply, tellLeft } from './show-reply.js';
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

/** Written down before it is broadcast. */
const writeDown = async (step: Step, reply: Reply, signed: SignedTransaction): Promise<PendingStep> => {
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
  await savePendingStep(step.session.context.store, pending);
  return pending;
};

/**
 * Broadcasts a step that is written down; one that the network may still take is kept.
 *
 * @param isReplaceable true: where another is spending its coins it is given up, in a block or not. The network has
 *   refused it and nobody else holds it, so that what is built in its place is the only one.
 * @throws as broadcastSigned
 */
const sendStep = async (
  { session }: Step,
  pending: PendingStep,
  isReplaceable = false,
): Promise<TreasuryError | null> => {
  try {
    return await broadcastSigned(session, pending);
  } catch (error) {
    if (isReplaceable && isTreasuryError(error) && error.code === 'tx_conflict') return error;
    session.call.output.warn(
      `${pending.txid} is signed and kept. The same command goes on with it; --start-over forgets it.`,
    );
    throw error;
  }
};

/** Goes on with a step of an earlier run. Null: there is none, or it is dropped, since it can never succeed. */
const goOnWith = async (step: Step, pending: PendingStep | null): Promise<number | null> => {
  if (pending === null) return null;
  const { call, context } = step.session;
  if (step.flags.startOver === true) {
    await removePendingStep(context.store, pending);
    call.output.warn(`Forgot ${pending.txid}, which an earlier run of this command signed.`);
    return null;
  }
  call.output.talk(`An earlier run of this command signed ${pending.txid}: going on with it.`);
  const refusal = await sendStep(step, pending);
  if (refusal === null) return confirmStep(step, pending);
  await removePendingStep(context.store, pending);
  call.output.warn(`It is dropped, since the network refuses it for good: ${refusal.message}`);
  return null;
};

const isRebuilt = ({ action, session }: Step): boolean =>
  action.rebuilds === true && session.call.globals.yes === true;

/** Milliseconds between the looks at whether the chain shows what has spent a coin. About ten seconds in all. */
const SPEND_DELAYS_MS = [0, 250, 500, 1_000, 2_000, 3_000, 3_000];

/** Returns when one of the coins that a transaction spends is not listed any more, or when none goes in time. */
const untilSpendIsShown = async (
  { call, context, operator }: Session,
  { transaction }: SignedTransaction,
): Promise<void> => {
  const { inputs } = decodeTransaction(transaction);
  for (const delay of SPEND_DELAYS_MS) {
    if (delay > 0) await call.environment.sleep(delay);
    const coins = await context.chain.coins(operator.address?.lockingBytecode ?? '');
    if (!inputs.every((input) => coins.some((coin) => sameOutpoint(coin, input)))) return;
  }
};

/**
 * Builds, signs and sends a new transaction.
 *
 * @param mayRebuild false for a step that was built once more already
 */
const startStep = async (step: Step, mayRebuild = true): Promise<number> => {
  const { session, action, flags } = step;
  const { context, call } = session;
  // Build:
  let reply = await buildStep(step);
  const preparation = preparationOf(reply);
  if (preparation !== null) reply = await sendPreparation(step, reply, preparation);
  const transaction = transactionOf(reply);
  if (transaction === null) {
    call.output.talk('There is nothing to sign.');
    showReply(call.output, action.build, reply);
    return EXIT.done;
  }
  // Sign, record, send:
  const summary = await summaryFor(session, transaction, reply);
  const endingLabel = faceOf(action.build)?.ending === true ? labelOf(step, reply) : null;
  const intent = { question: 'Sign and send this?', endingLabel, confirmed: flags.confirm };
  const signed = await signShown(session, transaction, summary, intent).catch((error: unknown) => {
    tellLeft(call.output, action, reply);
    throw error;
  });
  const pending = await writeDown(step, reply, signed);
  const isReplaceable = mayRebuild && isRebuilt(step);
  const refusal = await sendStep(step, pending, isReplaceable);
  if (refusal === null) return confirmStep(step, pending);
  await removePendingStep(context.store, pending);
  if (isReplaceable && refusal.code === 'tx_conflict') {
    call.output.talk('Somebody else was quicker with one of its coins: building it once more.');
    await untilSpendIsShown(session, signed);
    return startStep(step, false);
  }
  tellLeft(call.output, action, reply);
  throw refusal;
};

/**
 * Takes a step whose input is complete, or the part of it that its flags ask for.
 *
 * @returns the exit code
 * @throws what its operations, the wallet and the chain throw
 */
export const runStep = async (step: Step): Promise<number> => {
  const { session, action, flags } = step;
  if (flags.dryRun === true && action.check !== undefined) return showCheck(step, action.check);
  if (flags.unsigned === true || flags.dryRun === true) return showUnsent(step);
  requireWallet(session);
  await session.context.store.refresh();
  const done = await goOnWith(step, await findUnderWay(step));
  return done ?? startStep(step);
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
    const named = await readWrittenValues(fields, gathered, session);
    const input = fillCaller(fields, named, session.operator.address?.text ?? null);
    return runStep({ session, action, input, flags });
  });
};
