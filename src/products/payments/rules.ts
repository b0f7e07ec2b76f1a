/** How many periods a claim pays and a refill puts in: pure, with time as an argument. */
import { TreasuryError } from '../../errors.js';
import { fundablePeriods, nextUnlock, settledPeriods } from '../../covenant/recurring/rules.js';
import type { PaymentRecord } from './payment.js';
import { balanceOf, termsOf } from './terms.js';

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
