/** Recovering what lies unexpected at a payment's address: by its own state, the sender cancels it and the recipient claims it. */
import { z } from 'zod';
import { TxHash } from '../../../bch/fields.js';
import { viewConfirmed } from '../../../offer/confirm.js';
import { confirmRecovery, ConfirmRecoverReply } from '../../../offer/confirm-recover.js';
import {
  CONFIRM_ERRORS,
  defineAction,
  defineOperation,
  RECOVER_ERRORS,
  WITNESS_ERRORS,
} from '../../../operation/define.js';
import { chooseStrayFor, offerRecovery, RecoverFields, RecoverReply } from '../../../offer/recover.js';
import { PaymentId } from '../fields.js';
import { findPayment, followPayment, paymentFollowing } from '../records.js';
import { recurringStray } from '../../../covenant/recurring/stray.js';
import { paymentStrays } from '../strays.js';
import { termsOf } from '../terms.js';

const build = defineOperation({
  id: 'payments.recover',
  summary: "Build the transaction that takes unexpected money out of a payment's address",
  description:
    'A second funding, one with a wrong sum, or one by somebody else. For the sender it is cancelled, co-signed by the authority and good for ten minutes; for its recipient it pays what is due. The payment itself stays as it is.',
  http: { method: 'POST', path: '/api/payments/:id/recover' },
  cli: { example: 'payments recover PAY-0001' },
  auth: 'address',
  input: z.object({ id: PaymentId, ...RecoverFields }),
  output: RecoverReply,
  errors: ['payment_not_found', 'not_sender', 'nothing_claimable', ...RECOVER_ERRORS, ...WITNESS_ERRORS],
  run: async ({ id, txid, vout }, context) => {
    // Check: a party asks, and something can be taken out.
    const payment = await followPayment(id, context);
    const { followed } = paymentFollowing(context);
    const site = { record: payment, rules: paymentStrays, followed, label: payment.payment_id };
    const between = { sender: payment.sender, recipient: payment.recipient };
    const stray = await chooseStrayFor(context.caller, between, site, { txid, vout }, context);

    // Build: what its state allows the caller.
    const terms = recurringStray(
      termsOf(payment),
      { label: payment.payment_id, decimals: payment.decimals },
      stray,
      context.network,
    );
    const { authority_pubkey: authorityPublicKey } = payment;
    const request = { entityType: 'payment', id: payment.id, authorityPublicKey, stray, terms };
    return offerRecovery(request, context.caller, context);
  },
});

const confirm = defineOperation({
  id: 'payments.confirm-recover',
  summary: 'Confirm on chain that unexpected money was recovered',
  http: { method: 'POST', path: '/api/payments/:id/confirm-recover' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({ id: PaymentId, txHash: TxHash }),
  output: ConfirmRecoverReply,
  errors: ['payment_not_found', ...CONFIRM_ERRORS],
  run: async ({ id, txHash }, context) => {
    const payment = await followPayment(id, context);
    return confirmRecovery(payment, payment.payment_id, txHash, context);
  },
  view: viewConfirmed,
});

export const recover = defineAction({
  build,
  confirm,
  record: findPayment,
  verb: 'recover',
  summary: 'Take unexpected money out of the address',
});
