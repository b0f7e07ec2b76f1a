/** Cancelling a payment: what is due and funded goes to the recipient, the rest to the sender, and the thread is burned. */
import { z } from 'zod';
import { displayNumber } from '../../../bch/amount.js';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { confirmedMove } from '../../../offer/confirm-move.js';
import { CONFIRM_ERRORS, defineAction, defineOperation } from '../../../operation/define.js';
import { confirmPaymentMove, tellPayout } from '../confirm-move.js';
import { PaymentId } from '../fields.js';
import { offerSettlement, SETTLEMENT_ERRORS, type Settlement } from '../settlement.js';
import { buildRecurringCancel } from '../../../covenant/recurring/transactions.js';
import { findPayment } from '../records.js';

const build = defineOperation({
  id: 'payments.cancel',
  summary: 'Build the transaction that cancels a recurring payment and returns what was not paid',
  http: { method: 'POST', path: '/api/payments/:id/cancel' },
  cli: { ending: true },
  auth: 'address',
  input: z.object({ id: PaymentId }),
  output: z.object({
    label: z.string(),
    nextStatus: z.literal('CANCELLED'),
    paidPeriods: z.number().describe('Due and funded periods that this transaction pays'),
    paidAmount: z.number(),
    paidAmountOnChain: z.string(),
    returnedAmount: z.number().describe('What comes back to the sender, before the fee'),
    returnedAmountOnChain: z.string(),
    cancelReturnAddress: z.string(),
    wcTransaction: WalletTransactionField,
  }),
  errors: SETTLEMENT_ERRORS,
  run: async ({ id }, context) => {
    const settlement: Settlement = { move: 'cancel', verb: 'Cancel', build: buildRecurringCancel };
    const { payment, paidPeriods, paid, wcTransaction } = await offerSettlement(id, settlement, context);
    return {
      label: payment.payment_id,
      nextStatus: 'CANCELLED' as const,
      paidPeriods,
      paidAmount: displayNumber(paid, payment.decimals),
      paidAmountOnChain: paid.toString(),
      returnedAmount: displayNumber(payment.pool - paid, payment.decimals),
      returnedAmountOnChain: (payment.pool - paid).toString(),
      cancelReturnAddress: payment.sender,
      wcTransaction,
    };
  },
});

const confirm = defineOperation({
  id: 'payments.confirm-cancel',
  summary: 'Confirm a cancellation on chain',
  http: { method: 'POST', path: '/api/payments/:id/confirm-cancel' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({ id: PaymentId, txHash: TxHash }),
  output: ConfirmReply.extend({ paidPeriods: z.number(), paidAmount: z.number() }),
  errors: ['payment_not_found', ...CONFIRM_ERRORS],
  run: async ({ id, txHash }, context) => {
    const move = await confirmPaymentMove(
      { id, txHash, type: 'cancelled', expected: 'a cancellation' },
      context,
    );
    const { record, event, periods } = move;
    const message = `${record.payment_id} was cancelled: ${tellPayout(move)}`;
    return {
      ...confirmedMove(message, txHash, move),
      paidPeriods: periods,
      paidAmount: displayNumber(event.amount, record.decimals),
    };
  },
  view: viewConfirmed,
});

export const cancel = defineAction({
  build,
  confirm,
  record: findPayment,
  verb: 'cancel',
  summary: 'Pay what is due, take the rest back and end it',
});
