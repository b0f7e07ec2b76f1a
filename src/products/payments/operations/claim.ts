/** Claiming: the recipient takes the periods that are due, all of them or fewer. */
import { z } from 'zod';
import { displayNumber, formatUnits, toPositiveUnits } from '../../../bch/amount.js';
import { AddressField, AmountField, TxHash, WalletTransactionField } from '../../../bch/fields.js';
import type { ChainTransaction } from '../../../bch/transaction.js';
import { follow } from '../../../covenant/follow.js';
import { ConfirmReply, mismatch, viewConfirmed } from '../../../offer/confirm.js';
import { confirmedMove } from '../../../offer/confirm-move.js';
import type { Context } from '../../../operation/context.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, OFFER_ERRORS } from '../../../operation/define.js';
import { handOut } from '../../../offer/hand-out.js';
import { confirmPaymentMove, countPeriods } from '../confirm-move.js';
import { PaymentId, Periods } from '../fields.js';
import { followedPayment } from '../observe.js';
import { checkRecipient, checkStatus, claimablePeriods } from '../permissions.js';
import { findPayment, followPayment } from '../records.js';
import { spendOf } from '../spend-of.js';
import { buildRecurringClaim } from '../../../covenant/recurring/transactions.js';
import { due } from './due.js';

const build = defineOperation({
  id: 'payments.claim',
  summary: 'Build the transaction that claims the periods due',
  http: { method: 'POST', path: '/api/payments/:id/claim' },
  cli: { callerFields: ['recipientAddress'], example: 'payments claim PAY-0001 --periods 1' },
  auth: 'address',
  input: z.object({
    id: PaymentId,
    recipientAddress: AddressField.optional().describe('The registered recipient; default the caller'),
    periods: Periods.optional().describe('Default: all that are due and funded'),
  }),
  output: z.object({
    label: z.string(),
    periods: z.number(),
    claimableAmount: z.number().describe('What this transaction pays, display units'),
    claimableAmountOnChain: z.string(),
    wcTransaction: WalletTransactionField,
  }),
  errors: [
    'payment_not_found',
    'not_recipient',
    'wrong_state',
    'nothing_claimable',
    'periods_exceeds_due',
    ...OFFER_ERRORS,
  ],
  aliases: { recipient: 'recipientAddress' },
  run: async ({ id, recipientAddress, periods: asked }, context) => {
    // Check: the registered recipient asks, and so much is due and funded.
    const payment = await followPayment(id, context);
    checkRecipient(payment, context.caller.text);
    checkRecipient(payment, (recipientAddress ?? context.caller).text);
    checkStatus(payment, 'claim');
    const spend = await spendOf(payment, context.caller, context);
    const periods = claimablePeriods(payment, asked, spend.locktime);

    // Build:
    const units = BigInt(periods) * payment.amount_per_period;
    const prompt = `Claim ${formatUnits(units, payment.decimals)} from ${payment.payment_id}`;
    const unsigned = buildRecurringClaim(spend, { periods });
    return {
      label: payment.payment_id,
      periods,
      claimableAmount: displayNumber(units, payment.decimals),
      claimableAmountOnChain: units.toString(),
      wcTransaction: await handOut(unsigned, context.caller, prompt, context),
    };
  },
});

/**
 * The payment with a claim taken in, if it is of the amount that the request says: nothing is stored when it is not.
 *
 * @throws tx_mismatch
 */
const followClaim = async (
  { id, claimed, transaction }: { id: string; claimed: bigint | null; transaction: ChainTransaction },
  context: Context,
) => {
  const payment = await findPayment(context.store, id);
  if (claimed === null) return followPayment(id, context, [transaction]);
  const { txid } = transaction.transaction;
  const { moves } = await follow(payment, followedPayment(context.network), context.chain, [transaction]);
  const move = moves.find(({ txHash, type }) => txHash === txid && type === 'claimed');
  if (move !== undefined && move.amount !== claimed) {
    const show = (units: bigint) => `a claim of ${formatUnits(units, payment.decimals)}`;
    throw mismatch(txid, `${show(claimed)} from ${payment.payment_id}`, show(move.amount));
  }
  return followPayment(id, context, [transaction]);
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
    const { decimals } = await findPayment(context.store, id);
    const claimed =
      claimedAmount === undefined ? null : toPositiveUnits(claimedAmount, decimals, 'claimedAmount');
    const move = await confirmPaymentMove(
      {
        id,
        txHash,
        type: 'claimed',
        expected: claimed === null ? 'a claim' : `a claim of ${formatUnits(claimed, decimals)}`,
        follow: (transaction) => followClaim({ id, claimed, transaction }, context),
        difference: (_payment, { amount }) =>
          claimed === null || claimed === amount ? null : `a claim of ${formatUnits(amount, decimals)}`,
      },
      context,
    );
    const { record, event, amount, periods } = move;
    const message = `${amount} for ${countPeriods(periods)} of ${record.payment_id} was claimed`;
    return {
      ...confirmedMove(message, txHash, move),
      claimedAmount: displayNumber(event.amount, decimals),
      claimedAmountOnChain: event.amount.toString(),
      periods,
      totalPaid: displayNumber(record.total_paid, decimals),
      paymentCount: record.payment_count,
      nextPaymentDate: record.next_payment_date,
    };
  },
  view: viewConfirmed,
});

export const claim = defineAction({
  build,
  confirm,
  record: findPayment,
  verb: 'claim',
  summary: 'Take the periods that are due',
  each: {
    list: due,
    listInput: (recipient) => ({ recipient }),
    items: ({ payments }: z.output<typeof due.output>) =>
      payments.map(({ payment_id: label }) => ({ label, input: { id: label } })),
    none: 'Nothing is due now.',
  },
});
