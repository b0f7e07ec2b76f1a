/** The payments that somebody may see. */
import { z } from 'zod';
import { AddressField } from '../../../bch/fields.js';
import { markDamage } from '../../../record/damaged.js';
import { defineOperation } from '../../../operation/define.js';
import { PageFields, PageReply, pageOf } from '../../../operation/paging.js';
import { listNow, StaleReply } from '../../../operation/stale.js';
import { findVault, sightOf } from '../../vaults/index.js';
import { PAYMENT_STATUSES } from '../payment.js';
import { paymentCollection, paymentFollowing } from '../records.js';
import { PaymentReply, showPayment } from '../reply.js';
import { tableOfPayments } from '../view.js';

export const list = defineOperation({
  id: 'payments.list',
  summary: 'List recurring payments, newest first',
  description: 'Payments of a private vault are shown to its members and to their own sender and recipient.',
  http: { method: 'GET', path: '/api/payments' },
  auth: 'optional',
  input: z.object({
    sender: AddressField.optional(),
    recipient: AddressField.optional(),
    status: z.enum(PAYMENT_STATUSES).optional(),
    vaultId: z.string().optional(),
    ...PageFields,
  }),
  output: z.object({ payments: z.array(PaymentReply), ...PageReply, ...StaleReply }),
  errors: ['vault_not_found'],
  run: async ({ sender, recipient, status, vaultId, page, limit }, context) => {
    const { store, caller } = context;
    const where = {
      ...(sender === undefined ? {} : { sender: sender.text }),
      ...(recipient === undefined ? {} : { recipient: recipient.text }),
      ...(status === undefined ? {} : { status }),
      ...(vaultId === undefined ? {} : { vault: (await findVault(store, vaultId)).id }),
    };
    const { now, stale } = await listNow(context);
    const isSeen = await sightOf(store, caller);
    const { items, ...figures } = await pageOf(
      store,
      paymentCollection,
      {
        where,
        filter: (payment) =>
          isSeen({ vaultId: payment.vault_id, parties: [payment.sender, payment.recipient] }),
      },
      { page, limit },
    );
    const { contract } = paymentFollowing(context);
    return {
      payments: items.map((payment) => ({ ...showPayment(payment, now), ...markDamage(payment, contract) })),
      ...figures,
      ...stale,
    };
  },
  view: ({ payments, total }) => [
    tableOfPayments(payments, 'No payments yet. `treasury payments create` makes one.'),
    ...(total > payments.length
      ? [{ kind: 'text' as const, text: `${payments.length} of ${total}; --page 2 shows more.` }]
      : []),
  ],
});
