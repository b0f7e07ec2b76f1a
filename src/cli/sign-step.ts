/** One transaction of a step: summed up for people (who receives what, the fee, what it leaves), agreed to, signed, broadcast. */
import type { Address } from '../bch/address.js';
import { decodeTransaction } from '../bch/transaction.js';
import type { WalletTransaction } from '../bch/wallet-transaction.js';
import { EXIT, isTreasuryError, TreasuryError, type ErrorCode } from '../errors.js';
import { hasMinedRival, hasRival } from '../offer/coin-fate.js';
import { summariseStep } from '../offer/step-summary.js';
import { noWallet } from '../operation/auth.js';
import type { Context } from '../operation/context.js';
import type { View } from '../operation/define.js';
import type { Reply } from '../operation/execute.js';
import { contactAt } from '../record/contacts.js';
import { askConsent, type Intent } from './consent.js';
import { drawView } from './draw-view.js';
import type { Session } from './session.js';
import { withSpinner } from './environment.js';

/** A transaction that can be broadcast. */
export type SignedTransaction = { readonly transaction: string; readonly txid: string };

/**
 * Refusals of what it spends: final once a block has another spend of it, since until then that one may be dropped. No
 * other is: the virtual machine has taken what was signed, so that a server that finds a fault in it may be wrong, or
 * lie, and hand it on later; and another may take it.
 */
const COIN_REFUSALS: readonly ErrorCode[] = ['tx_conflict', 'tx_missing_inputs'];

/** The wallet that signs. @throws unauthenticated, signing_failed */
export const requireWallet = ({ operator, context }: Session): string => {
  if (operator.walletName !== null) return operator.walletName;
  if (operator.address === null) {
    throw noWallet(context.network);
  }
  throw new TreasuryError('signing_failed', {
    wallet: operator.address.text,
    reason: 'this home holds no key of it',
  });
};

/** What the operator calls an address: a wallet of theirs, or a contact. */
const nameFor =
  ({ keys, store }: Session['context']) =>
  async (address: Address): Promise<string | null> => {
    const wallet = (await keys.list()).find((one) => one.address.lockingBytecode === address.lockingBytecode);
    if (wallet !== undefined) return wallet.name;
    const contact = await contactAt(address, store);
    return contact === null ? null : `@${contact.id}`;
  };

/** What signing means, for the operator of a session. @throws tx_malformed */
export const summaryFor = (
  { context, operator }: Session,
  transaction: unknown,
  reply: Reply,
): Promise<View> =>
  summariseStep(transaction, reply, {
    ...context,
    caller: operator.address,
    nameOf: nameFor(context),
  });

/**
 * Shows a transaction, asks, and signs it with the operator's wallet.
 *
 * @throws declined, missing_value, and what the wallet answers (`SIGN_ERRORS`)
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
  if (session.deputy === undefined) await askConsent(session, intent);
  else await session.deputy.look(transaction);
  const { turn } = intent;
  const tell = (text: string): void => {
    call.output.talk(turn === undefined ? text : `${turn}: ${text}`);
  };
  return context.keys.signTransaction(walletName, transaction, { tell });
};

/**
 * Hands a signed transaction to the network.
 *
 * @returns null when the chain has it (now or already), or the refusal when it never will: a block has another spend of
 *   one of its coins
 * @throws chain_unavailable, and any other refusal: it may be taken yet
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
    if (error.exit !== EXIT.refused) throw error;
    // A node that has mined it, and seen its outputs spent, may call its inputs missing.
    if ((await context.chain.transaction(txid)) !== null) return null;
    if (COIN_REFUSALS.includes(error.code) && (await isBeaten(transaction, context))) return error;
    throw error;
  }
};

/** True when a block has another spend of a coin of a signed transaction. @throws chain_unavailable */
export const isBeaten = async (transaction: string, context: Context): Promise<boolean> => {
  const own = decodeTransaction(transaction);
  // Heights are what servers say, so its signature is looked at too.
  return (await hasMinedRival(own, context)) && (await hasRival(own, context));
};
