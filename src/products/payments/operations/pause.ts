/** Pausing a payment: what is due and funded is paid in the same transaction, and nothing more falls due. */
import { z } from 'zod';
import { displayNumber } from '../../../bch/amount.js';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { confirmedMove } from '../../../offer/confirm-move.js';
import { CONFIRM_ERRORS, defineAction, defineOperation } from '../../../operation/define.js';
import { confirmPaymentMove, tellPayout } from '../confirm-move.js';
import { PaymentId } from '../fields.js';
import { offerSettlement, SETTLEMENT_ERRORS, type Settlement } from '../settlement.js';
import { buildRecurringPause } from '../../../covenant/recurring/transactions.js';
import { findPayment } from '../records.js';

const build = defineOperation({
  id: 'payments.pause',
  summary: 'Build the transaction that pauses a recurring payment and pays what is due',
  http: { method: 'POST', path: '/api/payments/:id/pause' },
  auth: 'address',
  input: z.object({ id: PaymentId }),
  output: z.object({
    label: z.string(),
    nextStatus: z.literal('PAUSED'),
    paidPeriods: z.number().describe('Due and funded periods that this transaction pays'),
    paidAmount: z.number(),
    paidAmountOnChain: z.string(),
    wcTransaction: WalletTransactionField,
  }),
  errors: SETTLEMENT_ERRORS,
  run: async ({ id }, context) => {
    const settlement: Settlement = { move: 'pause', verb: 'Pause', build: buildRecurringPause };
    const { payment, paidPeriods, paid, wcTransaction } = await offerSettlement(id, settlement, context);
    return {
      label: payment.payment_id,
      nextStatus: 'PAUSED' as const,
      paidPeriods,
      paidAmount: displayNumber(paid, payment.decimals),
      paidAmountOnChain: paid.toString(),
      wcTransaction,
    };
  },
});

const confirm = defineOperation({
  id: 'payments.confirm-pause',
  summary: 'Confirm a pause on chain',
  http: { method: 'POST', path: '/api/payments/:id/confirm-pause' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({ id: PaymentId, txHash: TxHash }),
  output: ConfirmReply.extend({ paidPeriods: z.number(), paidAmount: z.number() }),
  errors: ['payment_not_found', ...CONFIRM_ERRORS],
  run: async ({ id, txHash }, context) => {
    const move = await confirmPaymentMove({ id, txHash, type: 'paused', expected: 'a pause' }, context);
    const { record, event, periods } = move;
    const message = `${record.payment_id} was paused: ${tellPayout(move)}`;
    return {
      ...confirmedMove(message, txHash, move),
      paidPeriods: periods,
      paidAmount: displayNumber(event.amount, record.decimals),
    };
  },
  view: viewConfirmed,
});

export const pause = defineAction({
  build,
  confirm,
  record: findPayment,
  verb: 'pause',
  summary: 'Pay what is due and stop',
});
