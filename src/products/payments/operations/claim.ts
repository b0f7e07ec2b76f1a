/** Claiming: the recipient takes the periods that are due, all of them or fewer. */
import { z } from 'zod';
import { displayNumber, formatUnits, showAmounts, toPositiveUnits } from '../../../bch/amount.js';
import { AddressField, AmountField } from '../../../bch/fields.js';
import { buildRecurringClaim } from '../../../covenant/recurring/transactions.js';
import { claimedAmount } from '../../../offer/confirm-move.js';
import { defineMove } from '../../../offer/move.js';
import { worthOf } from '../../../offer/worth-claiming.js';
import { payments } from '../product.js';
import { claimablePeriods } from '../rules.js';
import { recurringSpend } from '../terms.js';
import { due } from './due.js';
import { Periods, toldOf, countPeriods } from '../settlement.js';

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
    const { payment_id: label, decimals } = payment;
    const periods = claimablePeriods(payment, asked.periods, locktime);
    const claimableAmount = BigInt(periods) * payment.amount_per_period;
    return {
      ...buildRecurringClaim(recurringSpend(spend), { periods }),
      prompt: `Claim ${formatUnits(claimableAmount, decimals)} ${spend.unit} from ${label}`,
      told: { periods, ...showAmounts({ claimableAmount }, decimals) },
    };
  },
  confirm: {
    event: 'claimed',
    expected: 'a claim',
    input: { claimedAmount: AmountField.optional().describe('Compared with the chain when given') },
    errors: ['invalid_amount'],
    comparesFirst: true,
    claims: ({ decimals }, { claimedAmount: claimed }) =>
      claimed === undefined
        ? null
        : claimedAmount('a claim', toPositiveUnits(claimed, decimals, 'claimedAmount'), decimals),
    message: (move) => {
      const { amount, periods } = toldOf(move);
      return `${amount} for ${countPeriods(periods)} of ${move.record.payment_id} was claimed`;
    },
    fields: {
      claimedAmount: z.number(),
      claimedAmountOnChain: z.string(),
      periods: z.number(),
      totalPaid: z.number(),
      paymentCount: z.number(),
      nextPaymentDate: z.number().nullable(),
    },
    answer: (move) => {
      const { total_paid: total, payment_count: paymentCount, decimals } = move.record;
      return {
        ...showAmounts({ claimedAmount: move.event.amount }, decimals),
        periods: toldOf(move).periods,
        totalPaid: displayNumber(total, decimals),
        paymentCount,
        nextPaymentDate: move.record.next_payment_date,
      };
    },
  },
  rebuilds: true,
  each: {
    list: due,
    listInput: (recipient, min) => ({ recipient, ...(min === undefined ? {} : { min }) }),
    items: ({ payments: found, fees }: z.output<typeof due.output>) =>
      found.map((payment) => ({
        label: payment.payment_id,
        input: { id: payment.payment_id },
        worth: worthOf(payment, BigInt(payment.claimable_amountOnChain), fees[payment.payment_id]),
      })),
    leftOut: ({ leftOut }: z.output<typeof due.output>) => leftOut,
    none: 'Nothing is due now.',
  },
});
