/** Cancelling a payment: what is due and funded goes to the recipient, the rest to the sender, and the thread is burned. */
import { z } from 'zod';
import { showAmounts } from '../../../bch/amount.js';
import { buildRecurringCancel } from '../../../covenant/recurring/transactions.js';
import { defineMove } from '../../../offer/move.js';
import { payments } from '../product.js';
import { recurringSpend } from '../terms.js';
import { SettledFields, settledAt, confirmsSettled } from '../settlement.js';

export const cancel = defineMove(payments, 'cancel', {
  summary: 'Build the transaction that cancels a recurring payment and returns what was not paid',
  cli: { ending: true },
  step: 'Pay what is due, take the rest back and end it',
  nextStatus: 'CANCELLED',
  fields: {
    ...SettledFields,
    returnedAmount: z.number().describe('What comes back to the sender, before the fee'),
    returnedAmountOnChain: z.string(),
    cancelReturnAddress: z.string(),
  },
  buildWitnessed: (spend, witness) => buildRecurringCancel(recurringSpend(spend), witness),
  answer: (payment, { locktime }) => {
    const { paidPeriods, paid } = settledAt(payment, locktime);
    const amounts = { paidAmount: paid, returnedAmount: payment.pool - paid };
    return {
      paidPeriods,
      ...showAmounts(amounts, payment.decimals),
      cancelReturnAddress: payment.sender,
    };
  },
  confirm: { event: 'cancelled', expected: 'a cancellation', ...confirmsSettled('cancelled') },
});
