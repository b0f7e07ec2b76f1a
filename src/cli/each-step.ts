/** `--all`: a whole step for everything that it can be taken for and that is worth it. */
import { invalidField } from '../errors.js';
import { tellLeftOut } from '../offer/worth-claiming.js';
import type { Action, Each, EachItem } from '../operation/define.js';
import { execute } from '../operation/execute.js';
import type { StepFlags } from './build-step.js';
import type { Call } from './call.js';
import { completeInput } from './complete-input.js';
import { withSpinner } from './environment.js';
import { fieldsOf } from './fields.js';
import { kebabCase } from './flags.js';
import { fillCaller, gatherInput, type Given } from './gather-input.js';
import { performSteps } from './many-steps.js';
import { withSession } from './session.js';
import { requireWallet } from './sign-step.js';
import { readWrittenValues } from './written-values.js';

type Order = {
  readonly action: Action;
  readonly each: Each;
  readonly given: Given;
  readonly flags: StepFlags;
  /** What is worth less is left alone, as it was typed. */
  readonly min?: string | undefined;
};

/** @throws invalid_input when one record is named, or a transaction is to be signed elsewhere */
const checkOrder = (named: readonly string[], { given, flags }: Order): void => {
  const [first] = named.filter((name) => given[name] !== undefined);
  if (first !== undefined) throw invalidField(kebabCase(first), 'names one record: leave it out, or --all');
  // Transactions built side by side would spend the same coins.
  if (flags.unsigned === true)
    throw invalidField('unsigned', 'prints one transaction: name the record instead of --all');
};

/**
 * Takes the whole step of an action for everything that its list finds for the operator and that is worth it.
 *
 * @returns the worst exit code
 * @throws what listing throws, and what concerns the command itself: unauthenticated, signing_failed, declined,
 *   missing_value, wallet_locked, wrong_passphrase, invalid_input
 */
export const performEach = async (call: Call, order: Order): Promise<number> => {
  const { action, each, given, flags, min } = order;
  const fields = fieldsOf(action.build);
  const named = fields.filter(({ place }) => place === 'position').map(({ name }) => name);
  checkOrder(named, order);
  const gathered = await gatherInput(fields, given, call, named);
  return withSession(call, async (session) => {
    requireWallet(session);
    const { context, credentials, operator } = session;
    const caller = operator.address?.text ?? null;
    const list = { operation: each.list, fields: fieldsOf(each.list) };
    const asked = await readWrittenValues(list, each.listInput(caller ?? '', min), session);
    const listed = await withSpinner(call, 'Looking for what there is', () =>
      execute(each.list, asked, context, credentials),
    );
    const [items, left] = [each.items(listed), each.leftOut(listed)];
    if (items.length === 0) {
      call.output.talk(each.none);
      if (left.count > 0) call.output.talk(tellLeftOut(left));
    }
    const target = { operation: action.build, fields };
    const written = await readWrittenValues(target, gathered, session);
    const own = fillCaller(fields, written, caller);
    const common = await completeInput(session, { ...target, input: own, filled: named });
    const inputOf = ({ input }: EachItem) => ({ ...common, ...input });
    return performSteps(session, { action, flags, items, inputOf, left, isListed: true });
  });
};
