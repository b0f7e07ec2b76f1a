/** A step whose transaction was refused, since another was quicker with one of its coins: what may be built instead. */
import { sameOutpoint } from '../bch/coins.js';
import { decodeTransaction } from '../bch/transaction.js';
import type { WalletTransaction } from '../bch/wallet-transaction.js';
import { EXIT, isTreasuryError, type TreasuryError } from '../errors.js';
import type { PendingStep } from '../record/pending-steps.js';
import type { Session } from './session.js';
import type { SignedTransaction } from './sign-step.js';
import { sharedCoin } from './start-over.js';

/** A transaction that the network has refused, since another was quicker with one of its coins. */
export type Beaten = {
  readonly signed: PendingStep;
  readonly refusal: TreasuryError;
  /** True when the other one was seen. */
  readonly isSure: boolean;
};

/** Who refused a transaction, and in which words, where a server did. */
const refusedBy = ({ cause, message }: TreasuryError): string =>
  cause instanceof Error ? cause.message : `the network refuses it: ${message}`;

/** Says that a transaction is not lost, and what can be done about it. */
export const sayKept = ({ call }: Session, { txid }: SignedTransaction, reason: unknown): void => {
  const isRefused = isTreasuryError(reason) && reason.exit === EXIT.refused;
  const said = isRefused
    ? `, since it may be taken yet, here or by another server (${refusedBy(reason).replace(/\.$/, '')})`
    : '';
  call.output.warn(
    `${txid} is signed and kept${said}. The same command goes on with it; --start-over builds another in its place.`,
  );
};

/**
 * What is built in the place of another never pays beside it: the one that was quicker was seen, or both spend one coin.
 * A server that keeps what it was given, and says that it has refused it, may hand it on later.
 *
 * @throws tx_conflict
 */
export const requireInstead = (
  session: Session,
  transaction: WalletTransaction,
  beaten: Beaten | null,
): void => {
  if (beaten?.isSure !== false) return;
  if (sharedCoin(beaten.signed, transaction) !== undefined) return;
  sayKept(session, beaten.signed, beaten.refusal);
  throw beaten.refusal;
};

/** Milliseconds between the looks at whether the chain shows what has spent a coin. About ten seconds in all. */
const SPEND_DELAYS_MS = [0, 250, 500, 1_000, 2_000, 3_000, 3_000];

/** Returns when one of the coins that a transaction spends is not listed any more, or when none goes in time. */
export const untilSpendIsShown = async (
  { call, context, operator }: Session,
  { transaction }: SignedTransaction,
): Promise<void> => {
  const { inputs } = decodeTransaction(transaction);
  for (const delay of SPEND_DELAYS_MS) {
    if (delay > 0) await call.environment.sleep(delay);
    const coins = await context.chain.coins(operator.address?.lockingBytecode ?? '');
    if (!inputs.every((input) => coins.some((coin) => sameOutpoint(coin, input)))) return;
  }
};
