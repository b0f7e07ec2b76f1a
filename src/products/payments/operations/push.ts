/** Pushing: the periods that are due go to the recipient, who need not sign. */
import { buildRecurringPush } from '../../../covenant/recurring/transactions.js';
import { nextUnlock } from '../../../covenant/recurring/rules.js';
import { TreasuryError } from '../../../errors.js';
import type { MoveSpend } from '../../../offer/gather-spend.js';
import { definePush } from '../../../offer/push.js';
import { definePushable } from '../../../offer/pushable.js';
import { paymentCollection, type PaymentRecord } from '../payment.js';
import { payments } from '../product.js';
import { pushRules } from '../pushing.js';
import { PaymentReply, showPayment } from '../reply.js';
import { balanceOf, recurringSpend, termsOf } from '../terms.js';
import { tableOfPayments } from '../view.js';

const build = (spend: MoveSpend<PaymentRecord>) => buildRecurringPush(recurringSpend(spend), spend.payer);

export const pushable = definePushable({
  ...pushRules,
  product: payments,
  name: 'payments',
  reply: PaymentReply,
  activeOf: async (sender, { store }) =>
    (await store.find(paymentCollection, { where: { status: 'ACTIVE', sender }, order: 'oldest' })).items,
  build,
  show: (payment, now) => showPayment(payment, now),
  table: tableOfPayments,
});

export const push = definePush({
  ...pushRules,
  product: payments,
  event: 'claimed',
  nothing: {
    code: 'nothing_claimable',
    error: (payment, now) =>
      new TreasuryError('nothing_claimable', {
        label: payment.payment_id,
        nextUnlock: nextUnlock(termsOf(payment), balanceOf(payment), now),
        chainTime: now,
      }),
  },
  build,
  list: pushable,
  listed: { name: 'payments', label: 'payment_id' },
});
