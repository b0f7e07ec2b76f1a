/** Confirming a step that was broadcast; and the part of a step that signs and sends nothing (`--unsigned`, `--dry-run`). */
import { decodeWalletTransaction } from '../bch/wallet-transaction.js';
import { EXIT, isTreasuryError } from '../errors.js';
import { digestRow } from '../offer/step-summary.js';
import { inputSchema } from '../operation/coerce.js';
import type { AnyOperation } from '../operation/define.js';
import { execute, type Reply } from '../operation/execute.js';
import { shellLabel } from '../record/labels.js';
import { removePendingStep, type PendingStep } from '../record/pending-steps.js';
import { noting } from '../storage-failure.js';
import { buildStep, findUnderWay, preparationOf, transactionOf, type Step } from './build-step.js';
import { withSpinner } from './environment.js';
import { confirmVerb, fieldsOf, pathSegments } from './fields.js';
import { fillCaller, type RawInput } from './gather-input.js';
import { exitOf, showReply, showView, tellLeft, writeDocument } from './show-reply.js';
import { summaryFor } from './sign-step.js';

/** How long to wait before each further look for a transaction that was just broadcast. About a minute in all. */
const CONFIRM_DELAYS_MS = [500, 1_000, 2_000, 4_000, ...Array<number>(11).fill(5_000)];
/** The raw input of the confirm operation: what it shares with the build's, and what only the build's reply knows. */
export const confirmInput = ({ session, action, input }: Step, reply: Reply, txid: string): RawInput => {
  const { properties, required } = inputSchema(action.confirm);
  const shared = Object.entries(input).filter(([name]) => Object.hasOwn(properties, name));
  const known = required.filter((name) => !Object.hasOwn(input, name) && Object.hasOwn(reply, name));
  const filled = {
    ...Object.fromEntries(known.map((name) => [name, reply[name]])),
    ...Object.fromEntries(shared),
  };
  const caller = session.operator.address?.text ?? null;
  return { ...fillCaller(fieldsOf(action.confirm), filled, caller), txHash: txid };
};

/** The command that confirms a step which another wallet signs and sends; the transaction's id is still to come. */
const confirmCommand = (step: Step, reply: Reply): string => {
  const { action, session } = step;
  const input = confirmInput(step, reply, '<tx-hash>');
  const words = fieldsOf(action.confirm, [...pathSegments(action.confirm), 'txHash']).flatMap((field) => {
    const value = input[field.name];
    if (typeof value !== 'string' || field.isCaller) return [];
    const typed = value.includes(' ') ? `'${value}'` : shellLabel(value);
    return field.place === 'position' ? [typed] : [field.label, typed];
  });
  const [noun = ''] = session.call.command.split(' ');
  return ['treasury', noun, confirmVerb(action), ...words].join(' ');
};

/** Asks for the confirmation until the chain knows the transaction, or the delays are used up. */
const confirmPatiently = async (
  step: Step,
  pending: PendingStep,
  [delay, ...rest]: readonly number[],
): Promise<Reply> => {
  const { session, action } = step;
  try {
    return await execute(action.confirm, pending.confirm_input, session.context, session.credentials);
  } catch (error) {
    const mayCome = isTreasuryError(error) && error.code === 'tx_not_indexed';
    if (!mayCome || delay === undefined) throw error;
    await session.call.environment.sleep(delay);
    return confirmPatiently(step, pending, rest);
  }
};

/**
 * Confirms a step that was broadcast, says so, and forgets it. On a disk that refuses, it is forgotten another time.
 *
 * @returns the exit code
 * @throws tx_not_indexed (after about a minute), and what the confirm operation throws
 */
export const confirmStep = async (step: Step, pending: PendingStep): Promise<number> => {
  const { session, action } = step;
  const { output } = session.call;
  let reply: Reply;
  try {
    reply = await withSpinner(session.call, `Waiting for ${pending.txid}`, () =>
      confirmPatiently(step, pending, CONFIRM_DELAYS_MS),
    );
  } catch (error) {
    output.warn(`${pending.txid} was sent. The same command goes on from here and pays nothing twice.`);
    throw error;
  }
  // Said first, forgotten then: whoever was not told that it is done may run it again, and must not pay again.
  output.talk(`${output.paintTalk('green', 'Done:')} ${pending.txid}`);
  await showReply(output, action.confirm, reply, session.context.store);
  await noting(removePendingStep(session.context.store, pending));
  return EXIT.done;
};

/**
 * Builds a step and prints its transaction (`--unsigned`) or what would be done (`--dry-run`).
 *
 * @returns the exit code: that of `preparation_required` when another transaction has to come first
 */
export const showUnsent = async (step: Step): Promise<number> => {
  const { session, action, flags } = step;
  const { output } = session.call;
  await session.context.store.refresh();
  const known = await findUnderWay(step);
  if (known !== null)
    output.warn(
      `An earlier run of this command signed ${known.txid}, and it is not confirmed: this is another transaction.`,
    );
  const reply = await buildStep(step);
  const preparation = preparationOf(reply);
  const transaction = preparation ?? transactionOf(reply);
  if (output.mode !== 'text') {
    writeDocument(output, reply);
    if (preparation === null) tellLeft(output, action, reply);
    return exitOf(reply);
  }
  if (transaction === null) {
    output.talk('There is nothing to sign.');
    await showReply(output, action.build, reply, session.context.store);
    return EXIT.done;
  }
  if (preparation !== null) output.warn('A preparation has to be signed and sent first: this is it.');
  if (flags.dryRun === true) {
    showView(output, await summaryFor(session, transaction, reply));
    output.talk('Dry run: nothing was signed and nothing was sent.');
    return exitOf(reply);
  }
  output.data(JSON.stringify(transaction, null, 2));
  const [label, digest] = digestRow(decodeWalletTransaction(transaction), session.context);
  output.talk(`${label}: ${digest} (\`treasury tx verify <file>\` works it out anew elsewhere)`);
  if (preparation === null) {
    output.talk(`Once it is sent: ${confirmCommand(step, reply)}`);
    tellLeft(output, action, reply);
  }
  return exitOf(reply);
};

/**
 * `--dry-run` of an action whose build stores something: runs its check, and shows what it found and what would be signed.
 *
 * @returns the exit code: that of the reply
 */
export const showCheck = async ({ session, input }: Step, check: AnyOperation): Promise<number> => {
  const { call, context, credentials } = session;
  const reply = await withSpinner(call, 'Checking', () => execute(check, input, context, credentials));
  await showReply(call.output, check, reply, context.store);
  const transaction = preparationOf(reply) ?? transactionOf(reply);
  if (call.output.mode === 'text' && transaction !== null) {
    showView(call.output, await summaryFor(session, transaction, reply));
  }
  call.output.talk('Dry run: nothing was stored, signed or sent.');
  return exitOf(reply);
};
