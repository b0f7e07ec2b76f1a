/** `--unsigned` and `--dry-run`: the part of a step that signs and sends nothing. */
import { EXIT } from '../errors.js';
import type { AnyOperation } from '../operation/define.js';
import { execute } from '../operation/execute.js';
import { confirmCommand } from './confirm-step.js';
import { exitOf, showReply, showView, tellLeft, writeDocument } from './show-reply.js';
import { summaryFor } from './sign-step.js';
import { buildStep, preparationOf, transactionOf, type Step } from './build-step.js';
import { withSpinner } from './spinner.js';
import { findUnderWay } from './step-under-way.js';

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
    showReply(output, action.build, reply);
    return EXIT.done;
  }
  if (preparation !== null) output.warn('A preparation has to be signed and sent first: this is it.');
  if (flags.dryRun === true) {
    showView(output, await summaryFor(session, transaction, reply));
    output.talk('Dry run: nothing was signed and nothing was sent.');
    return exitOf(reply);
  }
  output.data(JSON.stringify(transaction, null, 2));
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
  showReply(call.output, check, reply);
  const transaction = preparationOf(reply) ?? transactionOf(reply);
  if (call.output.mode === 'text' && transaction !== null) {
    showView(call.output, await summaryFor(session, transaction, reply));
  }
  call.output.talk('Dry run: nothing was stored, signed or sent.');
  return exitOf(reply);
};
