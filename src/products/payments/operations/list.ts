/** The payments that somebody may see. */
import { z } from 'zod';
import { AddressField } from '../../../bch/fields.js';
import { listRecords } from '../../../offer/read-record.js';
import { defineOperation } from '../../../operation/define.js';
import { PageFields, PageReply, viewPart } from '../../../operation/paging.js';
import { listNow, StaleReply } from '../../../operation/stale.js';
import { findVault } from '../../vaults/index.js';
import { PAYMENT_STATUSES, type PaymentRecord } from '../payment.js';
import { payments } from '../product.js';
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
  run: async ({ sender, recipient, status, vaultId, ...paging }, context) => {
    const vault = vaultId === undefined ? undefined : (await findVault(context.store, vaultId)).id;
    const where = { vault, sender: sender?.text, recipient: recipient?.text, status };
    const { now, stale } = await listNow(context);
    const show = (payment: PaymentRecord) => showPayment(payment, now);
    const { shown, page } = await listRecords(payments, { where, paging, show }, context);
    return { payments: shown, ...page, ...stale };
  },
  view: ({ payments: shown, total }) => [
    tableOfPayments(shown, 'No payments yet. `treasury payments create` makes one.'),
    ...viewPart(shown.length, total),
  ],
});
