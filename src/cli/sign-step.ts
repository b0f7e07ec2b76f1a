/** One transaction of a step: shown, agreed to, signed, broadcast. */
import { decodeTransaction } from '../bch/transaction.js';
import { signWalletTransaction, type WalletTransaction } from '../bch/wallet-transaction.js';
import { TreasuryError, type ErrorCode } from '../errors.js';
import { hasMinedRival } from '../offer/coin-fate.js';
import type { View } from '../operation/define.js';
import type { Reply } from '../operation/execute.js';
import { askConsent, type Intent } from './consent.js';
import { drawView } from './draw-view.js';
import { isTreasuryError } from './report-error.js';
import type { Session } from './session.js';
import { withSpinner } from './spinner.js';
import { summariseStep } from './step-summary.js';

/** A transaction that can be broadcast. */
export type SignedTransaction = { readonly transaction: string; readonly txid: string };

/** Refusals of the transaction itself: it will never be mined. */
const FINAL_REFUSALS: readonly ErrorCode[] = [
  'tx_dust',
  'tx_fee_too_low',
  'tx_token_rule',
  'tx_script_failed',
  'tx_too_large',
  'tx_not_standard',
  'tx_malformed',
];
/** Refusals of what it spends: final once a block has another spend of it, since until then that one may be dropped. */
const COIN_REFUSALS: readonly ErrorCode[] = ['tx_conflict', 'tx_missing_inputs'];

/** The wallet that signs. @throws unauthenticated, signing_failed */
export const requireWallet = ({ operator }: Session): string => {
  if (operator.walletName !== null) return operator.walletName;
  if (operator.address === null) {
    throw new TreasuryError('unauthenticated', {
      reason: 'This needs a wallet: name one with --wallet, or run `treasury init`',
    });
  }
  throw new TreasuryError('signing_failed', {
    wallet: operator.address.text,
    reason: 'this home holds no key of it',
  });
};

/** What signing means, for the operator of a session. @throws tx_malformed */
export const summaryFor = (
  { context, operator }: Session,
  transaction: unknown,
  reply: Reply,
): Promise<View> => summariseStep(transaction, reply, { ...context, caller: operator.address });

/**
 * Shows a transaction, asks, and signs it with the operator's wallet.
 *
 * @throws declined, missing_value, wallet_locked, wrong_passphrase, signing_failed, tx_malformed
 */
export const signShown = async (
  session: Session,
  transaction: WalletTransaction,
  summary: View,
  intent: Intent,
): Promise<SignedTransaction> => {
  const { call, context } = session;
  const walletName = requireWallet(session);
  call.output.talk(drawView(summary, call.output.paintTalk));
  await askConsent(session, intent);
  const signer = await context.keys.unlock(walletName);
  const signed = signWalletTransaction(transaction, signer);
  return { transaction: signed.transaction, txid: signed.txid };
};

/**
 * Hands a signed transaction to the network.
 *
 * @returns null when the chain has it (now or already), or the refusal when it never will
 * @throws chain_unavailable, tx_not_final, and tx_conflict and tx_missing_inputs while no block has what came first
 */
export const broadcastSigned = async (
  { call, context }: Session,
  { transaction, txid }: SignedTransaction,
): Promise<TreasuryError | null> => {
  try {
    await withSpinner(call, `Broadcasting ${txid}`, () => context.chain.broadcast(transaction));
    return null;
  } catch (error) {
    if (!isTreasuryError(error)) throw error;
    const isOfCoins = COIN_REFUSALS.includes(error.code);
    if (!isOfCoins && !FINAL_REFUSALS.includes(error.code)) throw error;
    // A node that has mined it, and seen its outputs spent, may call its inputs missing.
    if ((await context.chain.transaction(txid)) !== null) return null;
    if (isOfCoins && !(await hasMinedRival(decodeTransaction(transaction), context))) throw error;
    return error;
  }
};
