/** The only caller of `run`: both faces come through here. */
import { channel } from 'node:diagnostics_channel';
import { TreasuryError, type ErrorCode } from '../errors.js';
import { identify, type Credentials, type Identity } from './auth.js';
import type { Caller, Context } from './context.js';
import { errorsOf, type AnyOperation } from './define.js';
import { encodeReply } from './encode-reply.js';
import { withOneLook } from './one-look.js';
import { applyAliases, decodeInput } from './read-input.js';
import { requireLive } from './script-keys/live-key.js';
import { noteRefusal } from './script-keys/refusals.js';
import { keyInWords, type ScriptKeyRecord } from './script-keys/script-key.js';
import { lacksRecord } from './script-keys/scope.js';

/** The JSON of a successful answer. */
export type Reply = Record<string, unknown>;

/** The caller that a decoded input names. */
const callerIn = ({ callerField = '' }: AnyOperation, input: unknown): Caller | null =>
  (input as Readonly<Record<string, Caller | undefined>>)[callerField] ?? null;

/**
 * What only reads goes on where the chain's servers disagreed: who was wrong has been let go of by then. What builds or
 * confirms a move says so instead, and whoever asked decides.
 */
const onAgreement = async (run: () => Promise<unknown>): Promise<unknown> => {
  try {
    return await run();
  } catch (error) {
    if ((error as { readonly code?: unknown } | null)?.code !== 'server_disagrees') throw error;
    return run();
  }
};

/** Told of every error whose code its operation does not declare: the tests fail on one. */
const undeclared = channel('treasury:undeclared-error');

const noteUndeclared = (operation: AnyOperation, error: unknown, { log }: Context): void => {
  if (!(error instanceof TreasuryError)) return;
  const { code } = error as TreasuryError;
  if (errorsOf(operation).includes(code)) return;
  const note = { operation: operation.id, code };
  log.warn(note, 'an operation has answered with a code that it does not declare');
  undeclared.publish(note);
};

/** What an operation is asked for: its input under the names of its fields, and by whom. */
export type Asked = { readonly input: Readonly<Record<string, unknown>>; readonly identity: Identity };

/**
 * Checks that a key is still good, and for the records that a request names.
 *
 * @throws key_not_allowed, invalid_key, key_expired, key_revoked
 */
const requireScope = async (
  operation: AnyOperation,
  named: Asked['input'],
  key: ScriptKeyRecord,
  { store, clock }: Pick<Context, 'store' | 'clock'>,
): Promise<void> => {
  // Reading the request may have taken a while.
  await requireLive(key, store, clock.wall());
  const missing = lacksRecord(operation, named, key);
  if (missing !== null) throw new TreasuryError('key_not_allowed', { keyName: keyInWords(key), missing });
};

/** What measures is heavy: it is loaded for the keys that have a maximum. */
const openSpendingOf = async (key: ScriptKeyRecord, context: Context) =>
  (await import('./script-keys/spending.js')).openSpending(key, context);

const answer = async (
  operation: AnyOperation,
  { input: named, identity }: Asked,
  context: Context,
): Promise<Reply> => {
  const { key = null } = identity;
  if (key !== null) await requireScope(operation, named, key, context);
  const spending = key === null || key.maximums.length === 0 ? null : await openSpendingOf(key, context);
  const { input, warnings } = decodeInput(operation, named, context.network);
  const caller = identity.isNamedInside ? callerIn(operation, input) : identity.caller;
  const encode = (reply: unknown): Reply => {
    const encoded = encodeReply(operation.output, reply) as Reply;
    if (warnings.length === 0) return encoded;
    const own = Array.isArray(encoded['warnings']) ? (encoded['warnings'] as unknown[]) : [];
    return { ...encoded, warnings: [...own, ...warnings] };
  };
  const { keepAnswer } = context;
  const keeping: Pick<Context, 'keepAnswer'> =
    keepAnswer === undefined
      ? {}
      : {
          keepAnswer: (writer, reply) => keepAnswer(writer, encode(reply)),
        };
  const guarding: Pick<Context, 'spending'> = spending === null ? {} : { spending };
  const { isOperator } = identity;
  const run = (): Promise<unknown> =>
    operation.run(input, { ...withOneLook(context), ...keeping, ...guarding, caller, isOperator });
  const reply = operation.http?.method === 'GET' ? onAgreement(run) : run();
  const encoded = encode(
    await reply.catch(async (error: unknown) => {
      const { tellPinned } = await import('../offer/funding-pins.js');
      throw await tellPinned(error, caller, context);
    }),
  );
  await spending?.takeReply(encoded);
  return encoded;
};

/** What a key is refused with once it may ask. */
const KEY_REFUSALS: readonly string[] = [
  'key_not_allowed',
  'amount_exceeds_key_maximum',
] satisfies ErrorCode[];

/** A refusal of the key that asks is noted; other errors are nobody's. */
const noteOfKey = async (
  operation: AnyOperation,
  error: unknown,
  { key = null }: Identity,
  context: Context,
): Promise<void> => {
  if (key === null || !(error instanceof TreasuryError)) return;
  const refusal = error as TreasuryError;
  if (KEY_REFUSALS.includes(refusal.code)) await noteRefusal(key, refusal, operation.id, context);
};

/**
 * Runs an operation for somebody who was identified: decode the input, run, encode the output. What it asks the chain
 * for it asks once.
 *
 * @returns the reply as it stands in JSON, with `warnings` when fields were ignored
 * @throws TreasuryError of the operation's codes, or of those that every request can meet
 */
export const perform = async (operation: AnyOperation, asked: Asked, context: Context): Promise<Reply> => {
  try {
    return await answer(operation, asked, context);
  } catch (error) {
    noteUndeclared(operation, error, context);
    await noteOfKey(operation, error, asked.identity, context);
    throw error;
  }
};

/**
 * Runs an operation on what was given for it: {@link perform}, once the caller was identified and aliases were applied.
 *
 * @throws as {@link perform} and {@link identify}
 */
export const execute = async (
  operation: AnyOperation,
  rawInput: Readonly<Record<string, unknown>>,
  context: Context,
  credentials: Credentials,
): Promise<Reply> => {
  await context.store.refresh();
  const identity = await identify(operation, credentials, context);
  return perform(operation, { input: applyAliases(operation, rawInput), identity }, context);
};
