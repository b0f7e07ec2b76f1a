/** One payment with its executions and events. */
import { z } from 'zod';
import { confirmationsOf } from '../../../offer/confirm.js';
import { defineOperation, FOLLOW_ERRORS } from '../../../operation/define.js';
import { unexpectedFunding, UnexpectedFundingField } from '../../../offer/unexpected-funding.js';
import { EventReply, eventsOf, SHOWN_EVENTS, showEvent } from '../../../record/events.js';
import { chainNow } from '../../../operation/chain-now.js';
import { checkReader } from '../access.js';
import { PaymentId } from '../fields.js';
import { executionCollection, findPayment, followPayment, paymentFollowing } from '../records.js';
import { ExecutionReply, PaymentReply, showExecution, showPayment } from '../reply.js';
import { paymentStrays } from '../strays.js';
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
    events: z.array(EventReply).describe('Newest first, the latest 50'),
    unexpectedFunding: UnexpectedFundingField,
    chainTime: z.number().describe('Chain now, unix seconds'),
  }),
  errors: ['payment_not_found', 'vault_not_found', 'private_vault', ...FOLLOW_ERRORS],
  run: async ({ id }, context) => {
    // Check: a private vault's payment is for its members and for the two parties.
    const { store, caller } = context;
    await checkReader(await findPayment(store, id), caller, store);

    const payment = await followPayment(id, context);
    const { followed } = paymentFollowing(context);
    const now = await chainNow(context);
    const where = { payment: payment.id };
    const executions = await store.find(executionCollection, { where, limit: SHOWN_EVENTS });
    return {
      payment: {
        ...showPayment(payment, now),
        confirmations: await confirmationsOf(payment.last_tx_hash, context),
      },
      payment_executions: executions.items.map(showExecution),
      events: (await eventsOf(store, payment.id)).map(showEvent),
      unexpectedFunding: await unexpectedFunding(payment, paymentStrays, followed, context),
      chainTime: now,
    };
  },
  view: viewPayment,
});
