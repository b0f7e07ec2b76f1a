/** Confirming: the chain is asked, the record follows it, and only then is there an answer. */
import { z } from 'zod';
import type { ChainTransaction } from '../bch/transaction.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import type { View } from '../operation/define.js';

/** What every confirm route answers. */
export const ConfirmReply = z.object({
  message: z.string(),
  txHash: z.string(),
  status: z.string().describe("The record's present status"),
  state: z.literal('confirmed'),
  retryable: z.literal(false),
  confirmations: z.number(),
});

/** A {@link ConfirmReply}. */
export const confirmed = (
  message: string,
  txHash: string,
  status: string,
  confirmations: number,
): z.output<typeof ConfirmReply> => ({
  message,
  txHash,
  status,
  state: 'confirmed',
  retryable: false,
  confirmations,
});

/**
 * A transaction that the chain knows, and that the rules of the network allow.
 *
 * @throws tx_not_indexed (`state: "pending"`), tx_invalid, chain_unavailable
 */
export const indexedTransaction = async (
  txHash: string,
  context: Pick<Context, 'chain'>,
): Promise<ChainTransaction> => {
  const found = await context.chain.transaction(txHash);
  if (found === null) {
    const message = `${txHash} is not indexed yet: confirm it again shortly`;
    throw new TreasuryError('tx_not_indexed', { txHash, state: 'pending', status: 'PENDING', message });
  }
  const reason = await context.chain.faultOf(found);
  if (reason !== null) throw new TreasuryError('tx_invalid', { txHash, reason });
  return found;
};

/** `tx_mismatch` (`state: "failed"`): the transaction is something else than what was to be confirmed. */
export const mismatch = (txHash: string, expected: string, found: string): TreasuryError =>
  new TreasuryError('tx_mismatch', { txHash, expected, found, state: 'failed' });

/** How deep a transaction is: 0 in the mempool. @throws chain_unavailable */
export const confirmationsOf = async (
  txHash: string | null,
  context: Pick<Context, 'chain'>,
): Promise<number> => {
  if (txHash === null) return 0;
  const [found, tip] = await Promise.all([context.chain.transaction(txHash), context.chain.tip()]);
  // The tip may have been looked at before the block came.
  return found === null || found.height === null ? 0 : Math.max(1, tip.height - found.height + 1);
};

/** How a confirmation reads for people. */
export const viewConfirmed = ({ message, confirmations }: z.output<typeof ConfirmReply>): View => [
  { kind: 'text', text: `${message}${confirmations === 0 ? '; it waits for a block' : ''}.` },
];
