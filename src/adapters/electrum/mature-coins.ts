/** Coins that can be spent: those of a coinbase only when it is deep enough. */
import type { Coin } from '../../bch/coins.js';
import { COINBASE_MATURITY, isCoinbase, type Transaction } from '../../bch/transaction.js';

export type Maturity = {
  /** Height of the tip. */
  readonly tipHeight: () => Promise<number>;
  /** The bytes of an id; null when no server has them. */
  readonly transaction: (txid: string) => Promise<Transaction | null>;
};

/** Transactions that are asked for in one breath. */
const AT_ONCE = 50;

/**
 * The coins without those of a young coinbase. Whether a transaction is one is seen in its bytes, which are asked for
 * only where it matters: for coins of fewer than 100 confirmations, and without a token, which no coinbase can make.
 */
export const matureCoins = async (
  coins: readonly Coin[],
  { tipHeight, transaction }: Maturity,
): Promise<Coin[]> => {
  const mined = coins.filter(({ height, token }) => height !== null && token === undefined);
  if (mined.length === 0) return [...coins];
  const nextHeight = (await tipHeight()) + 1;
  const young = mined.filter(({ height }) => nextHeight - (height ?? 0) < COINBASE_MATURITY);
  const txids = [...new Set(young.map(({ txid }) => txid))];
  const immature = new Set<string>();
  for (let start = 0; start < txids.length; start += AT_ONCE) {
    const found = await Promise.all(txids.slice(start, start + AT_ONCE).map(transaction));
    for (const one of found) if (one !== null && isCoinbase(one)) immature.add(one.txid);
  }
  return coins.filter(({ txid, height }) => height === null || !immature.has(txid));
};
