/** What is due across all payments: for schedules that claim. */
import { z } from 'zod';
import { AddressField } from '../../../bch/fields.js';
import { settledPeriods } from '../../../covenant/recurring/rules.js';
import { buildRecurringClaim } from '../../../covenant/recurring/transactions.js';
import { spendOf } from '../../../offer/gather-spend.js';
import {
  FeesField,
  LeftOutField,
  MinimumField,
  showFees,
  sortByWorth,
  viewLeftOut,
} from '../../../offer/worth-claiming.js';
import type { Context } from '../../../operation/context.js';
import { defineOperation, FOLLOW_ERRORS } from '../../../operation/define.js';
import { chainNow } from '../../../operation/chain-now.js';
import { paymentCollection, type PaymentRecord } from '../payment.js';
import { payments } from '../product.js';
import { PaymentReply, showPayment } from '../reply.js';
import { balanceOf, recurringSpend, termsOf } from '../terms.js';
import { tableOfPayments } from '../view.js';

/** What taking all that is due of a payment would cost its recipient. */
const candidateOf = (payment: PaymentRecord, now: number, context: Context) => {
  const periods = settledPeriods(termsOf(payment), balanceOf(payment), now);
  return {
    item: payment,
    label: payment.payment_id,
    worth: {
      units: BigInt(periods) * payment.amount_per_period,
      category: payment.token_category,
      decimals: payment.decimals,
    },
    build: async () => {
      const payer = payments.party(payment, 'recipient');
      const spend = await spendOf(payments, { record: payment, payer }, context);
      return buildRecurringClaim(recurringSpend(spend), { periods });
    },
  };
};

export const due = defineOperation({
  id: 'payments.due',
  summary: 'List the payments of which something can be claimed now, oldest first',
  description:
    'Every ACTIVE payment is looked up on chain first. One that is due but not funded is not listed. What is worth less than the least is left out, and counted.',
  cli: { example: 'payments due --recipient <address> --jsonl', readsOnly: true },
  auth: 'none',
  input: z.object({
    recipient: AddressField.optional(),
    sender: AddressField.optional(),
    min: MinimumField,
  }),
  output: z.object({
    payments: z.array(PaymentReply),
    total: z.number(),
    fees: FeesField,
    leftOut: LeftOutField,
    chainTime: z.number().describe('Chain now, unix seconds'),
  }),
  errors: ['invalid_address', 'invalid_amount', ...FOLLOW_ERRORS],
  run: async ({ recipient, sender, min }, context) => {
    const { items } = await context.store.find(paymentCollection, {
      where: {
        status: 'ACTIVE',
        ...(recipient === undefined ? {} : { recipient: recipient.text }),
        ...(sender === undefined ? {} : { sender: sender.text }),
      },
      order: 'oldest',
    });
    const now = await chainNow(context);
    const candidates: ReturnType<typeof candidateOf>[] = [];
    for (const { id } of items) {
      const candidate = candidateOf(await payments.follow(id, context), now, context);
      if (candidate.worth.units > 0n) candidates.push(candidate);
    }
    const sorted = await sortByWorth(candidates, min);
    const { worth, leftOut } = sorted;
    return {
      payments: worth.map(({ item }) => showPayment(item, now)),
      total: worth.length,
      fees: showFees(sorted),
      leftOut,
      chainTime: now,
    };
  },
  view: ({ payments: found, leftOut }) => [
    tableOfPayments(found, 'Nothing is due.'),
    ...viewLeftOut(leftOut),
  ],
});
