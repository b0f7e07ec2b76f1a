/** What became of a coin, as the chain tells it. */
import { sameOutpoint, type Coin, type Outpoint } from '../bch/coins.js';
import type { Transaction } from '../bch/transaction.js';
import type { Context } from '../operation/context.js';

/** One that waits is spent, and by no block yet: it may come back. */
export type Fate = 'unspent' | 'waiting' | 'mined';

/** A coin of a locking bytecode (hex) while it is unspent. @throws chain_unavailable */
export const findCoin = async (
  lockingBytecode: string,
  outpoint: Outpoint,
  { chain }: Pick<Context, 'chain'>,
): Promise<Coin | undefined> =>
  (await chain.coins(lockingBytecode)).find((coin) => sameOutpoint(coin, outpoint));

/** What became of a coin of a locking bytecode (hex). @throws chain_unavailable */
export const fateOf = async (
  lockingBytecode: string,
  outpoint: Outpoint,
  { chain }: Pick<Context, 'chain'>,
): Promise<Fate> => {
  if ((await findCoin(lockingBytecode, outpoint, { chain })) !== undefined) return 'unspent';
  // What spends it is among the last.
  for (const { txid, height } of [...(await chain.history(lockingBytecode))].reverse()) {
    const found = await chain.transaction(txid);
    if (found?.transaction.inputs.some((input) => sameOutpoint(input, outpoint)) === true)
      return height === null ? 'waiting' : 'mined';
  }
  return 'waiting';
};

/** True when a block has another spend of what a transaction spends: it can never be mined. @throws chain_unavailable */
export const hasMinedRival = async (
  { inputs }: Pick<Transaction, 'inputs'>,
  { chain }: Pick<Context, 'chain'>,
): Promise<boolean> => {
  for (const input of inputs) {
    const source = (await chain.transaction(input.txid))?.transaction.outputs[input.vout];
    // What it would spend is gone itself; it may come back.
    if (source === undefined) continue;
    if ((await fateOf(source.lockingBytecode, input, { chain })) === 'mined') return true;
  }
  return false;
};
