/** Confirming a recovery: the chain is asked what it took, and the record stays what it was. */
import { z } from 'zod';
import { coinAt } from '../bch/transaction.js';
import { ConfirmReply, confirmationsOf, confirmed, indexedTransaction, mismatch } from './confirm.js';
import type { Context } from './context.js';
import { eventOfTransaction } from './events.js';

/** What every product's confirm-recover answers. */
export const ConfirmRecoverReply = ConfirmReply.extend({
  recovered: z
    .array(z.object({ txid: z.string(), vout: z.number(), satoshis: z.string() }))
    .describe('The coins of the address that the transaction took'),
});

/** A record whose stray was recovered. */
export type Recovered = {
  readonly id: string;
  readonly label: string;
  readonly status: string;
  readonly lockingBytecode: string;
};

/**
 * The answer to a recovery on chain. The record is what it was: a move of its own is no recovery.
 *
 * @throws tx_not_indexed, tx_mismatch, chain_unavailable
 */
export const confirmRecovery = async (
  { id, label, status, lockingBytecode }: Recovered,
  txHash: string,
  context: Pick<Context, 'chain' | 'store'>,
): Promise<z.output<typeof ConfirmRecoverReply>> => {
  const expected = `a recovery from ${label}`;
  const { transaction } = await indexedTransaction(txHash, context);
  if (eventOfTransaction(context.store, id, txHash) !== null)
    throw mismatch(txHash, expected, `a move of ${label} itself`);
  const spent = await Promise.all(
    transaction.inputs.map(async ({ txid, vout }) => {
      const source = await context.chain.transaction(txid);
      return source === null ? null : coinAt(source, vout);
    }),
  );
  const taken = spent.filter((coin) => coin?.lockingBytecode === lockingBytecode);
  if (taken.length === 0)
    throw mismatch(txHash, expected, 'a transaction that spends nothing of its address');
  const confirmations = await confirmationsOf(txHash, context);
  return {
    ...confirmed(`What lay unexpected at ${label} was recovered`, txHash, status, confirmations),
    recovered: taken.flatMap((coin) =>
      coin === null ? [] : [{ txid: coin.txid, vout: coin.vout, satoshis: coin.satoshis.toString() }],
    ),
  };
};
