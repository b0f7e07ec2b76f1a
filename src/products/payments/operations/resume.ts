/** Resuming a payment: the next period falls due an interval from now. */
import { z } from 'zod';
import { buildRecurringResume } from '../../../covenant/recurring/transactions.js';
import { defineMove } from '../../../offer/move.js';
import { INTERVAL_SECONDS } from '../payment.js';
import { payments } from '../product.js';
import { recurringSpend } from '../terms.js';

export const resume = defineMove(payments, 'resume', {
  summary: 'Build the transaction that resumes a paused payment',
  step: 'Go on with a paused payment',
  nextStatus: 'ACTIVE',
  closed: () => true,
  fields: { nextPaymentDate: z.number().describe('Now plus the interval, unix seconds') },
  build: (spend) => buildRecurringResume(recurringSpend(spend)),
  answer: ({ interval }, { locktime }) => ({ nextPaymentDate: locktime + INTERVAL_SECONDS[interval] }),
  confirm: {
    event: 'resumed',
    expected: 'a resumption',
    message: ({ record }) => `${record.payment_id} was resumed`,
    fields: { next_payment_date: z.number().nullable(), nextPaymentDate: z.number().nullable() },
    answer: ({ record: { next_payment_date: date } }) => ({ next_payment_date: date, nextPaymentDate: date }),
  },
});
