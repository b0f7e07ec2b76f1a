/**
 * What is built in the place of a signed transaction that the network may have, or get: of two that spend one coin only one
 * is ever mined. Where that cannot be had it is said, since both may be paid then.
 */
import { outpointText, sameOutpoint, type Outpoint } from '../bch/coins.js';
import { decodeTransaction } from '../bch/transaction.js';
import type { WalletTransaction } from '../bch/wallet-transaction.js';
import { isTreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import type { Reply } from '../operation/execute.js';
import {
  removePendingStep,
  savePendingStep,
  type PendingStep,
  type SignedStep,
} from '../record/pending-steps.js';
import type { Session } from './session.js';
import { isBeaten } from './sign-step.js';

/** A coin that two transactions spend, or undefined: both can be mined. */
export const sharedCoin = (
  before: Pick<WalletTransaction, 'transaction'>,
  after: Pick<WalletTransaction, 'transaction'>,
): Outpoint | undefined => {
  const { inputs } = decodeTransaction(before.transaction);
  return decodeTransaction(after.transaction).inputs.find((input) =>
    inputs.some((one) => sameOutpoint(one, input)),
  );
};

/** Of all that a step takes the place of, and itself, what the chain shows; null: none of it. @throws chain_unavailable */
const shownOf = async (
  { instead_of: before = [], ...step }: PendingStep,
  { chain }: Pick<Context, 'chain'>,
): Promise<SignedStep | null> => {
  for (const one of [step, ...before]) if ((await chain.transaction(one.txid)) !== null) return one;
  return null;
};

/**
 * The step of an earlier run is given up (`--start-over`).
 *
 * @returns what is to be built in its place; null when it is forgotten, since the chain has it, or has what shuts it out
 * @throws chain_unavailable
 */
export const giveUp = async (
  { call, context }: Session,
  pending: PendingStep,
): Promise<PendingStep | null> => {
  const shown = await shownOf(pending, context);
  if (shown === null && !(await isBeaten(pending.transaction, context))) return pending;
  await removePendingStep(context.store, pending);
  if (shown === null) {
    call.output.warn(`Forgot ${pending.txid}, which an earlier run of this command signed.`);
  } else {
    call.output.warn(
      `Warning: ${shown.txid} was sent, and is on the chain. It is forgotten, and what is built now is paid beside it.`,
    );
  }
  return null;
};

type Build = (context: Context) => Promise<Reply>;

/** Builds from the coins of an earlier transaction alone, where that is enough; else from all. @throws as the build */
export const buildInPlaceOf = async (
  { transaction }: Pick<SignedStep, 'transaction'>,
  owner: string | undefined,
  { context, build }: { readonly context: Context; readonly build: Build },
): Promise<Reply> => {
  const { inputs } = decodeTransaction(transaction);
  const { chain } = context;
  const coins: typeof chain.coins = async (lock, look) => {
    const found = await chain.coins(lock, look);
    return lock === owner ? found.filter((coin) => inputs.some((input) => sameOutpoint(input, coin))) : found;
  };
  try {
    const reply = await build({ ...context, chain: { ...chain, coins } });
    if (reply['requiresPreparation'] !== true) return reply;
  } catch (error) {
    if (!isTreasuryError(error)) throw error;
  }
  return build(context);
};

/** Says what becomes of an earlier transaction by another that is about to be signed. */
export const tellInPlaceOf = (
  { call: { output } }: Session,
  { txid, transaction }: SignedStep,
  built: WalletTransaction,
): void => {
  const shared = sharedCoin({ transaction }, built);
  if (shared === undefined) {
    output.warn(
      `Warning: this spends no coin of ${txid}, which an earlier run of this command signed: the network may take both.`,
    );
    return;
  }
  output.warn(
    `This is built in the place of ${txid}: both spend ${outpointText(shared)}, so that only one of the two is ever paid.`,
  );
};

/**
 * Where the network refuses a step, since it has what the step was built in the place of: that, written down in its place.
 *
 * @returns null when the chain shows none of it
 * @throws chain_unavailable
 */
export const takenBefore = async (
  { call, context }: Session,
  pending: PendingStep,
): Promise<PendingStep | null> => {
  const shown = pending.instead_of === undefined ? null : await shownOf(pending, context);
  if (shown === null || shown.txid === pending.txid) return null;
  const { transaction, txid, confirm_input: input } = shown;
  call.output.talk(`The chain has ${txid}, in whose place it was built: going on with that.`);
  return savePendingStep(context.store, { ...pending, transaction, txid, confirm_input: input }, pending);
};
