/** Confirming a recovery: the chain is asked what it took, and the record stays what it was. */
import { z } from 'zod';
import { parseAddress } from '../bch/address.js';
import { spentOutputs } from '../covenant/follow.js';
import { ConfirmReply, confirmationsOf, confirmed, indexedTransaction, mismatch } from './confirm.js';
import type { Context } from '../operation/context.js';
import { eventOfTransaction } from '../record/events.js';

/** What every product's confirm-recover answers. */
export const ConfirmRecoverReply = ConfirmReply.extend({
  recovered: z
    .array(z.object({ txid: z.string(), vout: z.number(), satoshis: z.string() }))
    .describe('The coins of the address that the transaction took'),
});

/** A record whose stray was recovered. */
type Recovered = { readonly id: string; readonly status: string; readonly contract_address: string };

/**
 * The answer to a recovery on chain. The record is what it was: a move of its own is no recovery.
 *
 * @throws tx_not_indexed, tx_mismatch, chain_unavailable
 */
export const confirmRecovery = async (
  { id, status, contract_address: address }: Recovered,
  label: string,
  txHash: string,
  context: Pick<Context, 'chain' | 'store'>,
): Promise<z.output<typeof ConfirmRecoverReply>> => {
  const expected = `a recovery from ${label}`;
  const found = await indexedTransaction(txHash, context);
  if ((await eventOfTransaction(context.store, id, txHash)) !== null)
    throw mismatch(txHash, expected, `a move of ${label} itself`);
  const spent = await spentOutputs(found, context.chain);
  const { lockingBytecode } = parseAddress(address);
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
