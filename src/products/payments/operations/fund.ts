/** Funding a payment: mints its thread and puts the first periods in, up to twelve. */
import { z } from 'zod';
import { parseAddress } from '../../../bch/address.js';
import { TxHash } from '../../../bch/fields.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { confirmFunding } from '../../../offer/confirm-funding.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, OFFER_ERRORS } from '../../../operation/define.js';
import { answerFunding, fundingReply } from '../../../offer/funding.js';
import { checkReader } from '../access.js';
import { PaymentId } from '../fields.js';
import { checkStatus } from '../permissions.js';
import { findPayment, followPayment, paymentCollection } from '../records.js';
import { startOf, termsOf } from '../terms.js';
import { recurringGenesis } from '../../../covenant/recurring/transactions.js';

const build = defineOperation({
  id: 'payments.funding-info',
  summary: 'Build the transaction that funds a recurring payment',
  description:
    'It funds up to 12 periods, fewer when the end comes sooner. When the sender has no coin at output index 0, the answer is the preparation form: sign and broadcast that first.',
  http: { method: 'GET', path: '/api/payments/:id/funding-info' },
  auth: 'optional',
  input: z.object({ id: PaymentId }),
  output: fundingReply({ periods: z.number().describe('Periods that this funds: up to 12') }),
  errors: ['payment_not_found', 'vault_not_found', 'private_vault', 'wrong_state', ...OFFER_ERRORS],
  run: async ({ id }, context) => {
    // Check: who may read it, and that it waits for its funding, also when the chain is asked.
    await checkReader(await findPayment(context.store, id), context.caller, context.store);
    const payment = await followPayment(id, context);
    checkStatus(payment, 'fund');

    // Build: the thread, its first periods, and the sender's change; or the preparation.
    const start = startOf(payment);
    return answerFunding(
      {
        label: payment.payment_id,
        payer: parseAddress(payment.sender),
        members: [recurringGenesis(termsOf(payment), start, context.network)],
        collection: paymentCollection.name,
        id: payment.id,
        contractAddress: payment.contract_address,
        tokenType: payment.token_type,
        decimals: payment.decimals,
      },
      { periods: start.funded },
      context,
    );
  },
});

const confirm = defineOperation({
  id: 'payments.confirm-funding',
  summary: 'Confirm the funding of a recurring payment on chain',
  http: { method: 'POST', path: '/api/payments/:id/confirm-funding' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({ id: PaymentId, txHash: TxHash }),
  output: ConfirmReply.extend({ fundedPeriods: z.number() }),
  errors: ['payment_not_found', ...CONFIRM_ERRORS],
  run: async ({ id, txHash }, context) => {
    // Check: the chain knows it, and it funded this payment from the sender's wallet.
    const { record, reply } = await confirmFunding(
      {
        txHash,
        follow: (transaction) => followPayment(id, context, [transaction]),
        label: ({ payment_id }) => payment_id,
        funding: 'mint its thread with the first periods from the sender’s coins',
      },
      context,
    );
    return { ...reply, fundedPeriods: startOf(record).funded };
  },
  view: viewConfirmed,
});

export const fund = defineAction({
  build,
  confirm,
  record: findPayment,
  verb: 'fund',
  summary: 'Put the first periods into a recurring payment',
});
