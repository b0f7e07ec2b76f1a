/** Payments as they are read: those that somebody may see, and one with its executions and events. */
import { z } from 'zod';
import { AddressField } from '../../../bch/fields.js';
import { defineReading } from '../../../offer/read-record.js';
import { executionCollection, PAYMENT_STATUSES } from '../payment.js';
import { payments } from '../product.js';
import { ExecutionReply, PaymentReply, showExecution, showPayment } from '../reply.js';
import { nextOf, tableOfPayments, viewPayment } from '../view.js';

export const { list, show } = defineReading(payments, {
  names: ['payment', 'payments'],
  reply: PaymentReply,
  show: (payment, _store, now) => showPayment(payment, now),
  timed: 'Chain now, unix seconds',
  list: {
    summary: 'List recurring payments, newest first',
    description:
      'Payments of a private vault are shown to its members and to their own sender and recipient.',
    filters: {
      sender: AddressField.optional(),
      recipient: AddressField.optional(),
      status: z.enum(PAYMENT_STATUSES).optional(),
      vaultId: z.string().optional(),
    },
    table: (shown) => tableOfPayments(shown, 'No payments yet. `treasury payments create` makes one.'),
  },
  details: {
    summary: 'Show a recurring payment with its executions and events',
    page: 'payment',
    rows: {
      name: 'payment_executions',
      collection: executionCollection,
      index: 'payment',
      reply: ExecutionReply,
      show: showExecution,
    },
    view: viewPayment,
    next: nextOf,
  },
});
