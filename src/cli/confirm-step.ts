/** Confirming a step that was broadcast. */
import { EXIT } from '../errors.js';
import { inputSchema } from '../operation/coerce.js';
import { execute, type Reply } from '../operation/execute.js';
import { shellLabel } from '../record/labels.js';
import { removePendingStep, type PendingStep } from '../record/pending-steps.js';
import type { Step } from './build-step.js';
import { fieldsOf, pathSegments } from './fields.js';
import { fillCaller, type RawInput } from './gather-input.js';
import { isTreasuryError } from './report-error.js';
import { showReply } from './show-reply.js';
import { withSpinner } from './spinner.js';
import { confirmVerb } from './verbs.js';

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
export const confirmCommand = (step: Step, reply: Reply): string => {
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
 * Confirms a step that was broadcast, and forgets it.
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
  await removePendingStep(session.context.store, pending);
  output.talk(`${output.paintTalk('green', 'Done:')} ${pending.txid}`);
  showReply(output, action.confirm, reply);
  return EXIT.done;
};
