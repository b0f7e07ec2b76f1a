/** Pausing a payment: what is due and funded is paid in the same transaction, and nothing more falls due. */
import { showAmounts } from '../../../bch/amount.js';
import { buildRecurringPause } from '../../../covenant/recurring/transactions.js';
import { defineMove } from '../../../offer/move.js';
import { payments } from '../product.js';
import { recurringSpend } from '../terms.js';
import { SettledFields, settledAt, confirmsSettled } from '../settlement.js';

export const pause = defineMove(payments, 'pause', {
  summary: 'Build the transaction that pauses a recurring payment and pays what is due',
  step: 'Pay what is due and stop',
  nextStatus: 'PAUSED',
  fields: SettledFields,
  buildWitnessed: (spend, witness) => buildRecurringPause(recurringSpend(spend), witness),
  answer: (payment, { locktime }) => {
    const { paidPeriods, paid } = settledAt(payment, locktime);
    return { paidPeriods, ...showAmounts({ paidAmount: paid }, payment.decimals) };
  },
  confirm: { event: 'paused', expected: 'a pause', ...confirmsSettled('paused') },
});
