/** Refilling a payment: the sender puts more whole periods in. */
import { z } from 'zod';
import { displayNumber, formatUnits } from '../../../bch/amount.js';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { confirmedMove } from '../../../offer/confirm-move.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, OFFER_ERRORS } from '../../../operation/define.js';
import { handOut } from '../../../offer/hand-out.js';
import { confirmPaymentMove, countPeriods } from '../confirm-move.js';
import { PaymentId, Periods } from '../fields.js';
import { checkFundable, checkSender, checkStatus } from '../permissions.js';
import { findPayment, followPayment } from '../records.js';
import { fundedPeriods } from '../../../covenant/recurring/rules.js';
import { spendOf } from '../spend-of.js';
import { buildRecurringRefill } from '../../../covenant/recurring/transactions.js';

const build = defineOperation({
  id: 'payments.refill',
  summary: 'Build the transaction that puts more periods into a recurring payment',
  http: { method: 'POST', path: '/api/payments/:id/refill' },
  cli: { example: 'payments refill PAY-0001 --periods 3' },
  auth: 'address',
  input: z.object({ id: PaymentId, periods: Periods }),
  output: z.object({
    label: z.string(),
    periods: z.number(),
    refillAmount: z.number(),
    refillAmountOnChain: z.string(),
    wcTransaction: WalletTransactionField,
  }),
  errors: ['payment_not_found', 'not_sender', 'wrong_state', 'periods_exceeds_left', ...OFFER_ERRORS],
  run: async ({ id, periods }, context) => {
    // Check: the sender asks, and a fixed term has room for them.
    const payment = await followPayment(id, context);
    checkSender(payment, context.caller.text);
    checkStatus(payment, 'refill');
    checkFundable(payment, periods);

    // Build:
    const units = BigInt(periods) * payment.amount_per_period;
    const amount = formatUnits(units, payment.decimals);
    const unsigned = buildRecurringRefill(await spendOf(payment, context.caller, context), { periods });
    return {
      label: payment.payment_id,
      periods,
      refillAmount: displayNumber(units, payment.decimals),
      refillAmountOnChain: units.toString(),
      wcTransaction: await handOut(
        unsigned,
        context.caller,
        `Put ${amount} into ${payment.payment_id}`,
        context,
      ),
    };
  },
});

const confirm = defineOperation({
  id: 'payments.confirm-refill',
  summary: 'Confirm a refill on chain',
  http: { method: 'POST', path: '/api/payments/:id/confirm-refill' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({ id: PaymentId, txHash: TxHash }),
  output: ConfirmReply.extend({ refillAmount: z.number(), periods: z.number(), fundedPeriods: z.number() }),
  errors: ['payment_not_found', ...CONFIRM_ERRORS],
  run: async ({ id, txHash }, context) => {
    const move = await confirmPaymentMove({ id, txHash, type: 'refilled', expected: 'a refill' }, context);
    const { record, event, amount, periods } = move;
    const message = `${amount} for ${countPeriods(periods)} was put into ${record.payment_id}`;
    return {
      ...confirmedMove(message, txHash, move),
      refillAmount: displayNumber(event.amount, record.decimals),
      periods,
      fundedPeriods: fundedPeriods({ amountPerPeriod: record.amount_per_period }, record.pool),
    };
  },
  view: viewConfirmed,
});

export const refill = defineAction({
  build,
  confirm,
  record: findPayment,
  verb: 'refill',
  summary: 'Put more periods in',
});
