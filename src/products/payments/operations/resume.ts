/** Resuming a payment: the next period falls due an interval from now. */
import { z } from 'zod';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { confirmedMove } from '../../../offer/confirm-move.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, OFFER_ERRORS } from '../../../operation/define.js';
import { handOut } from '../../../offer/hand-out.js';
import { confirmPaymentMove } from '../confirm-move.js';
import { PaymentId } from '../fields.js';
import { checkSender, checkStatus } from '../permissions.js';
import { findPayment, followPayment } from '../records.js';
import { spendOf } from '../spend-of.js';
import { buildRecurringResume } from '../../../covenant/recurring/transactions.js';

const build = defineOperation({
  id: 'payments.resume',
  summary: 'Build the transaction that resumes a paused payment',
  http: { method: 'POST', path: '/api/payments/:id/resume' },
  auth: 'address',
  input: z.object({ id: PaymentId }),
  output: z.object({
    label: z.string(),
    nextStatus: z.literal('ACTIVE'),
    nextPaymentDate: z.number().describe('Now plus the interval, unix seconds'),
    wcTransaction: WalletTransactionField,
  }),
  errors: ['payment_not_found', 'not_sender', 'wrong_state', ...OFFER_ERRORS],
  run: async ({ id }, context) => {
    // Check: the sender asks, and it is paused.
    const payment = await followPayment(id, context);
    checkSender(payment, context.caller.text);
    checkStatus(payment, 'resume');

    // Build: only the state changes.
    const spend = await spendOf(payment, context.caller, context);
    const unsigned = buildRecurringResume(spend);
    return {
      label: payment.payment_id,
      nextStatus: 'ACTIVE' as const,
      nextPaymentDate: spend.locktime + spend.terms.intervalSeconds,
      wcTransaction: await handOut(unsigned, context.caller, `Resume ${payment.payment_id}`, context),
    };
  },
});

const confirm = defineOperation({
  id: 'payments.confirm-resume',
  summary: 'Confirm a resumption on chain',
  http: { method: 'POST', path: '/api/payments/:id/confirm-resume' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({ id: PaymentId, txHash: TxHash }),
  output: ConfirmReply.extend({
    next_payment_date: z.number().nullable(),
    nextPaymentDate: z.number().nullable(),
  }),
  errors: ['payment_not_found', ...CONFIRM_ERRORS],
  run: async ({ id, txHash }, context) => {
    const move = await confirmPaymentMove({ id, txHash, type: 'resumed', expected: 'a resumption' }, context);
    const { next_payment_date: date } = move.record;
    return {
      ...confirmedMove(`${move.record.payment_id} was resumed`, txHash, move),
      next_payment_date: date,
      nextPaymentDate: date,
    };
  },
  view: viewConfirmed,
});

export const resume = defineAction({
  build,
  confirm,
  record: findPayment,
  verb: 'resume',
  summary: 'Go on with a paused payment',
});
