/**
 * The thread: the one mutable NFT that carries a covenant's state in its commitment.
 * It is minted in the funding transaction, whose spent outpoint with index 0 is its category.
 */
import { z } from 'zod';
import { sameOutpoint, type Coin, type Outpoint, type Output } from '../bch/coins.js';
import { Hex, Hex32 } from '../bch/fields.js';
import { THREAD_DUST, type Transaction } from '../bch/transaction.js';

/**
 * Where a record's thread is now. Pinned when funding is confirmed and followed from there, never looked up by address.
 *
 * @example
 * ThreadPointer.parse(thread); // thread
 */
export const ThreadPointer = z.object({
  category: Hex32,
  txid: Hex32,
  vout: z.int().min(0),
  /** The state, as it stands on chain. */
  commitment: Hex,
});
export type ThreadPointer = z.output<typeof ThreadPointer>;

/**
 * The output that carries a thread: dust, and the pool beside it when the pool is BCH.
 *
 * @example
 * threadOutput(contract.lockingBytecode, thread.category, '00', 5n).satoshis; // 1_005n
 */
export const threadOutput = (
  lockingBytecode: string,
  category: string,
  commitment: string,
  poolSatoshis: bigint,
): Output => ({
  lockingBytecode,
  satoshis: THREAD_DUST + poolSatoshis,
  token: { category, amount: 0n, nft: { capability: 'mutable', commitment } },
});

/**
 * The thread of `category` at output 0 of a transaction under `lockingBytecode`, or null when it ended there.
 *
 * @example
 * const { transaction } = mined(buildRecurringResume(spend));
 * continuedThread(transaction, contract.lockingBytecode, thread.category).txid; // transaction.txid
 * continuedThread(mined(payment).transaction, contract.lockingBytecode, thread.category); // null
 */
export const continuedThread = (
  { txid, outputs }: Transaction,
  lockingBytecode: string,
  category: string,
): ThreadPointer | null => {
  const output = outputs[0];
  const nft = output?.token?.nft;
  if (output?.lockingBytecode !== lockingBytecode || output.token?.category !== category) return null;
  return nft?.capability === 'mutable' ? { category, txid, vout: 0, commitment: nft.commitment } : null;
};

/**
 * True when `coin` is the pinned thread: an outpoint is evidence, a category or an address is not.
 *
 * @example
 * isPinned(threadCoin, thread); // true
 */
export const isPinned = (coin: Coin, thread: ThreadPointer): boolean => sameOutpoint(coin, thread);

/**
 * True when a transaction spends an outpoint at input 0, where every covenant reads its thread.
 *
 * @example
 * spendsAtFirst(mined(payment).transaction, coin); // true
 */
export const spendsAtFirst = (transaction: Transaction, outpoint: Outpoint): boolean => {
  const [first] = transaction.inputs;
  return first !== undefined && sameOutpoint(first, outpoint);
};
