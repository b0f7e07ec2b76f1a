/** Who may make which move of a payment, and when: pure, with time as an argument. */
import { BCH_DECIMALS, formatUnits } from '../../bch/amount.js';
import { PAYOUT_DUST } from '../../bch/transaction.js';
import { TreasuryError } from '../../errors.js';
import { PAYMENT_MOVES, type PaymentMove, type PaymentRecord } from './payment.js';
import { fundablePeriods, nextUnlock, settledPeriods } from '../../covenant/recurring/rules.js';
import { balanceOf, termsOf } from './terms.js';

/** Checks that a move may start. @throws wrong_state */
export const checkStatus = (
  { payment_id: label, status }: Pick<PaymentRecord, 'payment_id' | 'status'>,
  move: PaymentMove,
): void => {
  const allowed: readonly string[] = PAYMENT_MOVES[move];
  if (!allowed.includes(status)) throw new TreasuryError('wrong_state', { label, status, allowed });
};

/** Checks that somebody is the sender. @throws not_sender */
export const checkSender = ({ sender }: Pick<PaymentRecord, 'sender'>, caller: string): void => {
  if (sender !== caller) throw new TreasuryError('not_sender', { sender, caller });
};

/** Checks that somebody is the registered recipient. @throws not_recipient */
export const checkRecipient = ({ recipient }: Pick<PaymentRecord, 'recipient'>, caller: string): void => {
  if (recipient !== caller) throw new TreasuryError('not_recipient', { recipient, caller });
};

/** Checks that the sender may stop it: whoever may not take money back may not pause either (covenants rule 15). @throws not_cancelable */
export const checkCancelable = ({
  payment_id: label,
  cancelable,
}: Pick<PaymentRecord, 'payment_id' | 'cancelable'>): void => {
  if (!cancelable) throw new TreasuryError('not_cancelable', { label });
};

/**
 * Checks that one period of BCH can be an output of its own.
 *
 * @throws amount_below_dust (covenants rule 13)
 */
export const checkPeriodDust = ({
  token_type: tokenType,
  amount_per_period: amount,
}: Pick<PaymentRecord, 'token_type' | 'amount_per_period'>): void => {
  if (tokenType !== 'BCH' || amount >= PAYOUT_DUST) return;
  throw new TreasuryError('amount_below_dust', {
    field: 'amountPerPeriod',
    amount: formatUnits(amount, BCH_DECIMALS),
    minimum: formatUnits(PAYOUT_DUST, BCH_DECIMALS),
  });
};

/**
 * The periods that a claim pays: all that are due and funded, or as many as were asked for.
 *
 * @param now - chain now, unix seconds
 * @throws nothing_claimable (with `nextUnlock`, null when nothing more is funded), periods_exceeds_due
 */
export const claimablePeriods = (payment: PaymentRecord, asked: number | undefined, now: number): number => {
  const [terms, balance] = [termsOf(payment), balanceOf(payment)];
  const settled = settledPeriods(terms, balance, now);
  if (settled === 0) {
    const { payment_id: label } = payment;
    throw new TreasuryError('nothing_claimable', {
      label,
      nextUnlock: nextUnlock(terms, balance, now),
      chainTime: now,
    });
  }
  if (asked === undefined) return settled;
  if (asked > settled) throw new TreasuryError('periods_exceeds_due', { periods: asked, settled });
  return asked;
};

/** Checks that a fixed term has room for more periods. @throws periods_exceeds_left */
export const checkFundable = (payment: PaymentRecord, periods: number): void => {
  const left = fundablePeriods(termsOf(payment), balanceOf(payment));
  if (left !== null && periods > left) throw new TreasuryError('periods_exceeds_left', { periods, left });
};
