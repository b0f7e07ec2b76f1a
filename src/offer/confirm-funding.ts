/** Confirming a funding: the record follows the chain, and what funded it is compared with the claim. */
import type { z } from 'zod';
import type { ChainTransaction } from '../bch/transaction.js';
import { confirmationsOf, confirmed, indexedTransaction, mismatch, type ConfirmReply } from './confirm.js';
import type { Context } from '../operation/context.js';

export type FundingClaim<R> = {
  readonly txHash: string;
  /** Takes the transaction into the record and returns it as the chain has it. */
  readonly follow: (transaction: ChainTransaction) => Promise<R>;
  readonly label: (record: R) => string;
  /** What its funding does: `mint its thread with the whole pool from the creator’s coins`. */
  readonly funding: string;
};

/**
 * The record that a transaction funded.
 *
 * Repeating it, or confirming what was followed already, changes nothing.
 *
 * @throws tx_not_indexed, tx_mismatch, chain_unavailable
 */
export const confirmFunding = async <R extends { readonly status: string; readonly tx_hash: string | null }>(
  { txHash, follow, label: labelOf, funding }: FundingClaim<R>,
  context: Pick<Context, 'chain'>,
): Promise<{
  readonly record: R;
  readonly transaction: ChainTransaction;
  readonly reply: z.output<typeof ConfirmReply>;
}> => {
  const transaction = await indexedTransaction(txHash, context);
  const record = await follow(transaction);
  const label = labelOf(record);
  if (record.tx_hash !== txHash) {
    const found =
      record.tx_hash === null
        ? `a transaction that does not ${funding}`
        : `a transaction that did not fund it: ${label} was funded by another`;
    throw mismatch(txHash, `the funding of ${label}`, found);
  }
  const confirmations = await confirmationsOf(txHash, context);
  return {
    record,
    transaction,
    reply: confirmed(`${label} is funded`, txHash, record.status, confirmations),
  };
};
