/** Claiming: the recipient takes the periods that are due, all of them or fewer. */
import { z } from 'zod';
import { displayNumber, formatUnits, showAmounts, toPositiveUnits } from '../../../bch/amount.js';
import { AddressField, AmountField, TxHash } from '../../../bch/fields.js';
import type { ChainTransaction } from '../../../bch/transaction.js';
import { follow } from '../../../covenant/follow.js';
import { buildRecurringClaim } from '../../../covenant/recurring/transactions.js';
import { ConfirmReply, mismatch, viewConfirmed } from '../../../offer/confirm.js';
import { confirmedMove, confirmMove } from '../../../offer/confirm-move.js';
import { defineMove } from '../../../offer/move.js';
import type { Context } from '../../../operation/context.js';
import { CONFIRM_ERRORS, defineOperation } from '../../../operation/define.js';
import { PaymentId, Periods } from '../fields.js';
import type { PaymentRecord } from '../payment.js';
import { payments } from '../product.js';
import { claimablePeriods } from '../rules.js';
import { countPeriods, toldOf } from '../settlement.js';
import { recurringSpend } from '../terms.js';
import { due } from './due.js';

/**
 * The payment with a claim taken in, if it is of the amount that the request says: nothing is stored when it is not.
 *
 * @throws tx_mismatch
 */
const followClaim = async (
  {
    payment,
    claimed,
    transaction,
  }: { payment: PaymentRecord; claimed: bigint; transaction: ChainTransaction },
  context: Context,
): Promise<PaymentRecord> => {
  const { txid } = transaction.transaction;
  const followed = payments.followed(context.network);
  const { moves } = await follow(payment, followed, context.chain, [transaction]);
  const move = moves.find(({ txHash, type }) => txHash === txid && type === 'claimed');
  if (move !== undefined && move.amount !== claimed) {
    const show = (units: bigint) => `a claim of ${formatUnits(units, payment.decimals)}`;
    throw mismatch(txid, `${show(claimed)} from ${payment.payment_id}`, show(move.amount));
  }
  return payments.follow(payment.id, context, [transaction]);
};

const confirm = defineOperation({
  id: 'payments.confirm-claim',
  summary: 'Confirm a claim on chain',
  http: { method: 'POST', path: '/api/payments/:id/confirm-claim' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({
    id: PaymentId,
    txHash: TxHash,
    claimedAmount: AmountField.optional().describe('Compared with the chain when given'),
  }),
  output: ConfirmReply.extend({
    claimedAmount: z.number(),
    claimedAmountOnChain: z.string(),
    periods: z.number(),
    totalPaid: z.number(),
    paymentCount: z.number(),
    nextPaymentDate: z.number().nullable(),
  }),
  errors: ['payment_not_found', 'invalid_amount', ...CONFIRM_ERRORS],
  run: async ({ id, txHash, claimedAmount }, context) => {
    const payment = await payments.find(context.store, id);
    const { decimals } = payment;
    const show = (units: bigint) => `a claim of ${formatUnits(units, decimals)}`;
    const claimed =
      claimedAmount === undefined ? null : toPositiveUnits(claimedAmount, decimals, 'claimedAmount');
    const move = await confirmMove(
      {
        txHash,
        type: 'claimed',
        label: payments.label,
        expected: () => (claimed === null ? 'a claim' : show(claimed)),
        follow: async (transaction) =>
          claimed === null
            ? await payments.follow(id, context, [transaction])
            : followClaim({ payment, claimed, transaction }, context),
        difference: (_payment, { amount }) => (claimed === null || claimed === amount ? null : show(amount)),
      },
      context,
    );
    const { record, event } = move;
    const { amount, periods } = toldOf(move);
    const message = `${amount} for ${countPeriods(periods)} of ${record.payment_id} was claimed`;
    return {
      ...confirmedMove(message, txHash, move),
      ...showAmounts({ claimedAmount: event.amount }, decimals),
      periods,
      totalPaid: displayNumber(record.total_paid, decimals),
      paymentCount: record.payment_count,
      nextPaymentDate: record.next_payment_date,
    };
  },
  view: viewConfirmed,
});

/** What a claim pays: periods, and the sum in the smallest unit. */
const claimAt = (payment: PaymentRecord, asked: number | undefined, time: number) => {
  const periods = claimablePeriods(payment, asked, time);
  return { periods, units: BigInt(periods) * payment.amount_per_period };
};

export const claim = defineMove(payments, 'claim', {
  summary: 'Build the transaction that claims the periods due',
  cli: { callerFields: ['recipientAddress'], example: 'payments claim PAY-0001 --periods 1' },
  step: 'Take the periods that are due',
  input: {
    recipientAddress: AddressField.optional().describe('The registered recipient; default the caller'),
    periods: Periods.optional().describe('Default: all that are due and funded'),
  },
  aliases: { recipient: 'recipientAddress' },
  errors: ['nothing_claimable', 'periods_exceeds_due'],
  checkSigner: (payment, { recipientAddress }) => {
    if (recipientAddress !== undefined) payments.checkRole(payment, 'recipient', recipientAddress.text);
  },
  fields: {
    periods: z.number(),
    claimableAmount: z.number().describe('What this transaction pays, display units'),
    claimableAmountOnChain: z.string(),
  },
  build: (spend, asked) => {
    const { record: payment, locktime } = spend;
    const { periods, units } = claimAt(payment, asked.periods, locktime);
    const unsigned = buildRecurringClaim(recurringSpend(spend), { periods });
    return {
      ...unsigned,
      prompt: `Claim ${formatUnits(units, payment.decimals)} from ${payment.payment_id}`,
    };
  },
  answer: (payment, { asked, locktime }) => {
    const { periods, units } = claimAt(payment, asked.periods, locktime);
    return { periods, ...showAmounts({ claimableAmount: units }, payment.decimals) };
  },
  confirm,
  each: {
    list: due,
    listInput: (recipient) => ({ recipient }),
    items: ({ payments: found }: z.output<typeof due.output>) =>
      found.map(({ payment_id: label }) => ({ label, input: { id: label } })),
    none: 'Nothing is due now.',
  },
});
