/** What pause and cancel share: the authority witnesses the time, and what is settled by then goes to the recipient. */
import { decodeTransaction } from '../../bch/transaction.js';
import type { WalletTransaction } from '../../bch/wallet-transaction.js';
import type { UnsignedTransaction } from '../../covenant/spend.js';
import type { Witness } from '../../covenant/ticket.js';
import { TreasuryError, type ErrorCode } from '../../errors.js';
import { WITNESS_ERRORS, type RunContext } from '../../operation/define.js';
import { offerWitnessed } from '../../offer/witness/offer.js';
import type { PaymentRecord } from './payment.js';
import { checkCancelable, checkSender, checkStatus } from './permissions.js';
import { followPayment } from './records.js';
import { settledPeriods } from '../../covenant/recurring/rules.js';
import { spendOf } from './spend-of.js';
import { balanceOf, termsOf } from './terms.js';
import type { RecurringSpend } from '../../covenant/recurring/transactions.js';

export type Settlement = {
  readonly move: 'pause' | 'cancel';
  /** For the wallet: `Pause`. */
  readonly verb: string;
  readonly build: (spend: RecurringSpend, witness: Witness) => UnsignedTransaction;
};

/** The codes of {@link offerSettlement}. */
export const SETTLEMENT_ERRORS: readonly ErrorCode[] = [
  'payment_not_found',
  'not_sender',
  'wrong_state',
  'not_cancelable',
  ...WITNESS_ERRORS,
];

/**
 * A pause or a cancellation for the sender's wallet, and what it pays the recipient.
 *
 * Asked again soon, the transaction is the same one, so what it pays is worked out at its own time.
 *
 * @throws {@link SETTLEMENT_ERRORS}
 */
export const offerSettlement = async (
  id: string,
  settlement: Settlement,
  context: RunContext<'address'>,
): Promise<{
  readonly payment: PaymentRecord;
  readonly paidPeriods: number;
  /** Smallest unit. */
  readonly paid: bigint;
  readonly wcTransaction: WalletTransaction;
}> => {
  // Check: the sender asks, and may.
  const payment = await followPayment(id, context);
  checkSender(payment, context.caller.text);
  checkStatus(payment, settlement.move);
  checkCancelable(payment);

  // Build:
  const { move, verb, build } = settlement;
  const { payment_id: label, thread, authority_pubkey: authorityPublicKey } = payment;
  if (thread === null) throw new TreasuryError('store_conflict', { label });
  const wcTransaction = await offerWitnessed(
    {
      subject: { entityType: 'payment', id: payment.id, label },
      thread,
      authorityPublicKey,
      move,
      signer: context.caller,
      userPrompt: `${verb} ${label}`,
      build: async (witness) => build(await spendOf(payment, context.caller, context), witness),
    },
    context,
  );
  const { locktime } = decodeTransaction(wcTransaction.transaction);
  const paidPeriods = settledPeriods(termsOf(payment), balanceOf(payment), locktime);
  return { payment, paidPeriods, paid: BigInt(paidPeriods) * payment.amount_per_period, wcTransaction };
};
