/** Funding a payment: mints its thread and puts the first periods in, up to twelve. */
import { z } from 'zod';
import { parseAddress } from '../../../bch/address.js';
import { displayNumber } from '../../../bch/amount.js';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { THREAD_DUST } from '../../../bch/transaction.js';
import {
  confirmationsOf,
  confirmed,
  ConfirmReply,
  indexedTransaction,
  mismatch,
  viewConfirmed,
} from '../../../operation/confirm.js';
import { defineAction, defineOperation } from '../../../operation/define.js';
import { PreparationReply } from '../../../operation/hand-out.js';
import { FundingInfoFields, offerFunding } from '../../../operation/offer-funding.js';
import { PaymentId } from '../fields.js';
import { checkStatus } from '../permissions.js';
import { followPayment } from '../records.js';
import { startOf, termsOf } from '../terms.js';
import { recurringGenesis } from '../transactions.js';

const ReadyReply = z.object({
  success: z.literal(true),
  label: z.string(),
  fundingInfo: z.object({
    ...FundingInfoFields,
    amount: z.number(),
    periods: z.number().describe('Periods that this funds: up to 12'),
  }),
  wcTransaction: WalletTransactionField,
});

const build = defineOperation({
  id: 'payments.funding-info',
  summary: 'Build the transaction that funds a recurring payment',
  description:
    'It funds up to 12 periods, fewer when the end comes sooner. When the sender has no coin at output index 0, the answer is the preparation form: sign and broadcast that first.',
  http: { method: 'GET', path: '/api/payments/:id/funding-info' },
  auth: 'none',
  input: z.object({ id: PaymentId }),
  output: z.union([ReadyReply, PreparationReply]),
  errors: ['payment_not_found', 'wrong_state', 'insufficient_funds', 'chain_unavailable'],
  run: async ({ id }, context) => {
    // Check: it waits for its funding, also when the chain is asked.
    const payment = await followPayment(id, context);
    checkStatus(payment, 'fund');

    // Build: the thread, its first periods, and the sender's change; or the preparation.
    const start = startOf(payment);
    const member = recurringGenesis(termsOf(payment), start, context.network);
    const offer = await offerFunding(parseAddress(payment.sender), [member], payment.payment_id, context);
    if (offer.kind === 'preparation') return offer.reply;
    const { inputs, outputs, fee, wcTransaction } = offer;
    return {
      success: true as const,
      label: payment.payment_id,
      fundingInfo: {
        contractAddress: payment.contract_address,
        amount: displayNumber(member.pool, payment.decimals),
        onChainAmount: member.pool.toString(),
        periods: start.funded,
        tokenType: payment.token_type,
        threadDustSatoshis: Number(THREAD_DUST),
        inputs,
        outputs,
        fee,
      },
      wcTransaction,
    };
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
  errors: ['payment_not_found', 'tx_not_indexed', 'tx_mismatch', 'chain_unavailable'],
  run: async ({ id, txHash }, context) => {
    // Check: the chain knows it, and it funded this payment from the sender's wallet.
    const transaction = await indexedTransaction(txHash, context);
    const payment = await followPayment(id, context, [transaction]);
    const { payment_id: label, tx_hash: funding } = payment;
    if (funding !== txHash) {
      const found =
        funding === null
          ? 'a transaction that does not mint its thread with the first periods from the sender’s coins'
          : `another transaction; ${label} was funded by ${funding}`;
      throw mismatch(txHash, `the funding of ${label}`, found);
    }
    const confirmations = await confirmationsOf(txHash, context);
    return {
      ...confirmed(`${label} is funded`, txHash, payment.status, confirmations),
      fundedPeriods: startOf(payment).funded,
    };
  },
  view: viewConfirmed,
});

export const fund = defineAction({
  build,
  confirm,
  verb: 'fund',
  summary: 'Put the first periods into a recurring payment',
});
