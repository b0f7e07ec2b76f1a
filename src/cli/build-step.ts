/** A step of a session: what it is known by, and building its transaction, with the preparation that may come first. */
import type { WalletTransaction } from '../bch/wallet-transaction.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import type { Action } from '../operation/define.js';
import { execute, type Reply } from '../operation/execute.js';
import {
  findPendingStep,
  findPendingStepBySubject,
  stepKey,
  stepSubject,
  type PendingStep,
  type StepIdentity,
} from '../record/pending-steps.js';
import { pathSegments } from './fields.js';
import type { RawInput } from './gather-input.js';
import { buildLeased } from './leased-build.js';
import type { Session } from './session.js';
import { buildInPlaceOf } from './start-over.js';
import { broadcastSigned, signShown, summaryFor } from './sign-step.js';
import { withSpinner } from './environment.js';

/** Flags of whole steps. */
export type StepFlags = {
  readonly unsigned?: boolean;
  readonly dryRun?: boolean;
  readonly startOver?: boolean;
  readonly confirm?: string;
  /** How dates of a file are written that may be read in several ways. */
  readonly dateOrder?: string;
};

/** A step of one session. */
export type Step = {
  readonly session: Session;
  readonly action: Action;
  readonly input: RawInput;
  /** What the step is known by where its input has dollars or rows of a file: as it was given, not what that comes to now. */
  readonly known?: RawInput;
  /** What dollars were taken for: `$50 is 0.1 BCH`. */
  readonly taken?: readonly string[];
  readonly flags: StepFlags;
  /** What an earlier run has signed, and this is built in the place of. */
  readonly instead?: PendingStep;
  /** Given: what it is built from is leased under this id, so that no other command takes it meanwhile. */
  readonly lease?: string;
};

/** How long to wait before each further look for a coin that a preparation has just made. */
const PREPARATION_DELAYS_MS = [500, 1_000, 2_000, 4_000, 5_000];

/** Builds the transaction of a step. */
export const buildStep = ({ session, action, input, lease, instead }: Step): Promise<Reply> => {
  const buildFrom = (context: Context) => execute(action.build, input, context, session.credentials);
  const owner = session.operator.address?.lockingBytecode;
  const build = (context: Context) =>
    instead === undefined
      ? buildFrom(context)
      : buildInPlaceOf(instead, owner, { context, build: buildFrom });
  return withSpinner(session.call, 'Building the transaction', () =>
    lease === undefined ? build(session.context) : buildLeased(session, lease, build),
  );
};

/** The transaction of a build reply, or null when there is nothing to sign. */
export const transactionOf = (reply: Reply): WalletTransaction | null =>
  (reply['wcTransaction'] ?? null) as WalletTransaction | null;

/** The self-send that has to come first, or null. */
export const preparationOf = (reply: Reply): WalletTransaction | null =>
  reply['requiresPreparation'] === true ? (reply['preparationTransaction'] as WalletTransaction) : null;

/**
 * Sends the preparation and builds again, until the new coin is seen.
 *
 * @throws preparation_required, declined, and what signing and the chain throw
 */
export const sendPreparation = async (
  step: Step,
  reply: Reply,
  preparation: WalletTransaction,
): Promise<Reply> => {
  const { session } = step;
  const refused = () =>
    new TreasuryError('preparation_required', {
      ...reply,
      address: session.operator.address?.text ?? 'the payer',
    });
  // A rule is about the step itself.
  if (session.deputy !== undefined) throw refused();
  const summary = await summaryFor(session, preparation, {});
  const intent = {
    question: 'Sign and send this preparation first?',
    endingLabel: null,
    confirmed: undefined,
    turn: 'First of two, the preparation',
  };
  const signed = await signShown(session, preparation, summary, intent);
  const refusal = await broadcastSigned(session, signed);
  if (refusal !== null) throw refusal;
  session.call.output.talk(`Sent the preparation ${signed.txid}.`);
  for (const delay of [0, ...PREPARATION_DELAYS_MS]) {
    if (delay > 0) await session.call.environment.sleep(delay);
    const again = await buildStep(step);
    if (preparationOf(again) === null) return again;
  }
  throw refused();
};

/** What makes two commands the same one. */
export const identityOf = ({ session, action, input, known = input }: Step): StepIdentity => ({
  network: session.context.network,
  operation: action.build.id,
  caller: session.operator.address?.text ?? '',
  input: known,
});

/** What the step is about. @throws the record's `_not_found` code */
export const subjectOf = async (step: Step): Promise<string> => {
  const { session, action, input } = step;
  const [field] = pathSegments(action.build);
  const name = field === undefined ? undefined : input[field];
  const record =
    field === undefined || action.record === undefined || typeof name !== 'string'
      ? null
      : { id: (await action.record(session.context.store, name)).id, field };
  return stepSubject(identityOf(step), record);
};

/** The same step of an earlier run, its record named so or otherwise; or null. @throws as {@link subjectOf} */
export const findUnderWay = async (step: Step): Promise<PendingStep | null> => {
  const { store } = step.session.context;
  return (
    (await findPendingStep(store, stepKey(identityOf(step)))) ??
    (await findPendingStepBySubject(store, await subjectOf(step)))
  );
};
