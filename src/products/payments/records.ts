/** Where payments are kept and how they are followed. */
import type { ChainTransaction } from '../../bch/transaction.js';
import type { Context } from '../../operation/context.js';
import { findRecord } from '../../record/find.js';
import { followRecord, type Following } from '../../record/follow.js';
import { defineCollection, type StoreReader } from '../../operation/ports/store.js';
import { recurringContract } from '../../covenant/recurring/contract.js';
import { followedPayment } from './observe.js';
import { ExecutionRecord, PaymentRecord } from './payment.js';
import { termsOf } from './terms.js';

export const paymentCollection = defineCollection({
  name: 'payments',
  schema: PaymentRecord,
  indexes: {
    label: (payment) => payment.payment_id,
    sender: (payment) => payment.sender,
    recipient: (payment) => payment.recipient,
    contract: (payment) => payment.contract_address,
    vault: (payment) => payment.vault_id,
    status: (payment) => payment.status,
  },
  unique: ['label'],
});

export const executionCollection = defineCollection({
  name: 'payment_executions',
  schema: ExecutionRecord,
  indexes: { payment: (execution) => execution.payment_id },
});

/**
 * A payment by its id or its label.
 *
 * @throws payment_not_found
 */
export const findPayment = (store: StoreReader, id: string): Promise<PaymentRecord> =>
  findRecord(store, paymentCollection, id, 'payment_not_found');

const PAYING_MOVES: readonly string[] = ['claimed', 'paused', 'cancelled'];

/** How payments are followed. Whatever paid the recipient is an execution, a pause and a cancellation too. */
export const paymentFollowing = (context: Context): Following<PaymentRecord> => ({
  collection: paymentCollection,
  entityType: 'payment',
  followed: followedPayment(context.network),
  contract: (payment) => recurringContract(termsOf(payment), context.network),
  decimals: (payment) => payment.decimals,
  label: (payment) => payment.payment_id,
  writeRow: (writer, payment, event, move) => {
    if (!PAYING_MOVES.includes(move.type) || move.amount === 0n) return;
    writer.put(executionCollection, {
      id: event.id,
      payment_id: payment.id,
      amount: move.amount,
      periods: Number(move.details['periods']),
      decimals: payment.decimals,
      paid_at: event.created_at,
      tx_hash: move.txHash,
    });
  },
  retimeRow: async (writer, { id, created_at: paid_at }) => {
    const row = await writer.get(executionCollection, id);
    if (row !== null) writer.put(executionCollection, { ...row, paid_at });
  },
  removeRow: async (writer, event) => {
    if ((await writer.get(executionCollection, event.id)) !== null)
      writer.remove(executionCollection, event.id);
  },
});

/**
 * A payment by its id or label, as the chain has it now.
 *
 * @throws payment_not_found, chain_unavailable
 */
export const followPayment = async (
  id: string,
  context: Context,
  candidates: readonly ChainTransaction[] = [],
): Promise<PaymentRecord> =>
  followRecord((await findPayment(context.store, id)).id, paymentFollowing(context), context, candidates);
