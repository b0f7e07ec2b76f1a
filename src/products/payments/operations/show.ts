/** One payment with its executions and events. */
import { z } from 'zod';
import { readRecord, ToldFields } from '../../../offer/read-record.js';
import { chainNow } from '../../../operation/chain-now.js';
import { defineOperation, FOLLOW_ERRORS, VAULT_ERRORS } from '../../../operation/define.js';
import { SHOWN_EVENTS } from '../../../record/events.js';
import { PaymentId } from '../fields.js';
import { executionCollection } from '../payment.js';
import { payments } from '../product.js';
import { ExecutionReply, PaymentReply, showExecution, showPayment } from '../reply.js';
import { viewPayment } from '../view.js';

export const show = defineOperation({
  id: 'payments.show',
  summary: 'Show a recurring payment with its executions and events',
  http: { method: 'GET', path: '/api/payments/:id' },
  auth: 'optional',
  input: z.object({ id: PaymentId }),
  output: z.object({
    payment: PaymentReply.extend({ confirmations: z.number() }),
    payment_executions: z.array(ExecutionReply).describe('Newest first, the latest 50'),
    ...ToldFields,
    chainTime: z.number().describe('Chain now, unix seconds'),
  }),
  errors: ['payment_not_found', ...VAULT_ERRORS, ...FOLLOW_ERRORS],
  run: async ({ id }, context) => {
    const { record: payment, confirmations, told } = await readRecord(payments, id, context);
    const now = await chainNow(context);
    const where = { payment: payment.id };
    const executions = await context.store.find(executionCollection, { where, limit: SHOWN_EVENTS });
    return {
      payment: { ...showPayment(payment, now), confirmations },
      payment_executions: executions.items.map(showExecution),
      ...told,
      chainTime: now,
    };
  },
  view: viewPayment,
});
