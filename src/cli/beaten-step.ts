/** A step whose transaction was refused, since another was quicker with one of its coins: what may be built instead. */
import { sameOutpoint } from '../bch/coins.js';
import { decodeTransaction } from '../bch/transaction.js';
import type { WalletTransaction } from '../bch/wallet-transaction.js';
import type { TreasuryError } from '../errors.js';
import type { Session } from './session.js';
import type { SignedTransaction } from './sign-step.js';

/** A transaction that the network has refused, since another was quicker with one of its coins. */
export type Beaten = {
  readonly signed: SignedTransaction;
  readonly refusal: TreasuryError;
  /** True when the other one was seen. */
  readonly isSure: boolean;
};

/** Says that a transaction is not lost. */
export const sayKept = ({ call }: Session, { txid }: SignedTransaction): void => {
  call.output.warn(`${txid} is signed and kept. The same command goes on with it; --start-over forgets it.`);
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
  const before = decodeTransaction(beaten.signed.transaction).inputs;
  const { inputs } = decodeTransaction(transaction.transaction);
  if (inputs.some((input) => before.some((one) => sameOutpoint(one, input)))) return;
  sayKept(session, beaten.signed);
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
