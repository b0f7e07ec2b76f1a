/** What a push of a payment pays. */
import { pushableAmount, type Due } from '../../covenant/push.js';
import { settledPeriods } from '../../covenant/recurring/rules.js';
import type { PaymentRecord } from './payment.js';
import { balanceOf, termsOf } from './terms.js';

export const pushRules = {
  contract: ({ artifact_fingerprint: pinned }: PaymentRecord) =>
    ({ name: 'recurring-payment', pinned }) as const,
  dueAt: (payment: PaymentRecord, now: number): Due => {
    const periods = settledPeriods(termsOf(payment), balanceOf(payment), now);
    return {
      due: BigInt(periods) * payment.amount_per_period,
      isLast: payment.periods > 0 && payment.payment_count + periods === payment.periods,
    };
  },
};

/** What a push would pay at a moment of chain time, smallest unit. */
export const pushableOf = (payment: PaymentRecord, now: number): bigint =>
  pushableAmount(pushRules, payment, now);
