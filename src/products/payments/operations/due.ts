/** What is due across all payments: for schedules that claim. */
import { z } from 'zod';
import { AddressField } from '../../../bch/fields.js';
import { defineOperation, FOLLOW_ERRORS } from '../../../operation/define.js';
import { chainNow } from '../../../operation/chain-now.js';
import { paymentCollection } from '../payment.js';
import { payments } from '../product.js';
import { PaymentReply, showPayment } from '../reply.js';
import { tableOfPayments } from '../view.js';

export const due = defineOperation({
  id: 'payments.due',
  summary: 'List the payments of which something can be claimed now, oldest first',
  description:
    'Every ACTIVE payment is looked up on chain first. One that is due but not funded is not listed.',
  cli: { example: 'payments due --recipient <address> --jsonl' },
  auth: 'none',
  input: z.object({ recipient: AddressField.optional(), sender: AddressField.optional() }),
  output: z.object({
    payments: z.array(PaymentReply),
    total: z.number(),
    chainTime: z.number().describe('Chain now, unix seconds'),
  }),
  errors: ['invalid_address', ...FOLLOW_ERRORS],
  run: async ({ recipient, sender }, context) => {
    const { items } = await context.store.find(paymentCollection, {
      where: {
        status: 'ACTIVE',
        ...(recipient === undefined ? {} : { recipient: recipient.text }),
        ...(sender === undefined ? {} : { sender: sender.text }),
      },
      order: 'oldest',
    });
    const now = await chainNow(context);
    const found: z.output<typeof PaymentReply>[] = [];
    for (const { id } of items) {
      const shown = showPayment(await payments.follow(id, context), now);
      if (shown.claimable_periods > 0) found.push(shown);
    }
    return { payments: found, total: found.length, chainTime: now };
  },
  view: (reply) => [tableOfPayments(reply.payments, 'Nothing is due.')],
});
