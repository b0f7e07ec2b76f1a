/** One operation from the command line to its answer. */
import type { AppPart } from '../app.js';
import type { AnyOperation } from '../operation/define.js';
import { execute } from '../operation/execute.js';
import { readInput } from '../operation/read-input.js';
import { removePendingStepsOf } from '../record/pending-steps.js';
import type { Call } from './call.js';
import { askConsent } from './consent.js';
import { readWrittenValues } from './written-values.js';
import { faceOf, verbOf, type Field } from './fields.js';
import { fillCaller, gatherInput, type Given, type RawInput } from './gather-input.js';
import { withSession, type Session } from './session.js';
import { exitOf, showReply } from './show-reply.js';

/** The words that name the record: what was given by position first. */
const recordName = (fields: readonly Field[], input: RawInput, operation: AnyOperation): string => {
  const first = fields.find(({ place }) => place === 'position');
  const name = first === undefined ? undefined : input[first.name];
  return typeof name === 'string' ? name : verbOf(operation);
};

/** Asks what the operation wants to be asked. @throws declined, missing_value, and what the input is refused with */
const askFirst = async (session: Session, operation: AnyOperation, raw: RawInput): Promise<void> => {
  const asks = faceOf(operation)?.asks;
  if (asks === undefined) return;
  const { context } = session;
  const question = await asks(readInput(operation, raw, context.network).input, context);
  if (question === null) return;
  await askConsent(session, { question, endingLabel: null, confirmed: undefined });
};

/** What of the app an operation needs. */
const partOf = (operation: AnyOperation): AppPart => {
  if (faceOf(operation)?.homeOnly === true) return 'home';
  return operation.http?.method === 'GET' ? 'read' : 'command';
};

/**
 * Performs an operation: gathers its input, opens the home, asks when it ends something, runs it, shows the reply.
 *
 * @returns the exit code
 * @throws what the operation throws, missing_value, declined
 */
export const performOperation = async (
  call: Call,
  operation: AnyOperation,
  fields: readonly Field[],
  given: Given,
  { confirm }: { readonly confirm?: string },
): Promise<number> => {
  const gathered = await gatherInput(fields, given, call);
  return withSession(
    call,
    async (session) => {
      const { context, operator, credentials } = session;
      const named = await readWrittenValues(fields, gathered, session);
      const input = fillCaller(fields, named, operator.address?.text ?? null);
      await askFirst(session, operation, input);
      // What is only handed out to be signed elsewhere ends nothing.
      if (faceOf(operation)?.ending === true && input['unsigned'] !== true) {
        const endingLabel = recordName(fields, input, operation);
        await askConsent(session, { question: '', endingLabel, confirmed: confirm });
      }
      const reply = await execute(operation, input, context, credentials);
      // A step that was confirmed by hand is no longer under way.
      const { state, txHash } = reply;
      if (state === 'confirmed' && typeof txHash === 'string') {
        await removePendingStepsOf(context.store, txHash);
      }
      showReply(call.output, operation, reply);
      return exitOf(reply);
    },
    {
      setUp: operation.id !== 'init',
      inspectOnly: faceOf(operation)?.inspectOnly === true,
      part: partOf(operation),
    },
  );
};
