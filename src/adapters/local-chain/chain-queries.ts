/** What is asked of a chain state. Pure. */
import type { Coin } from '../../bch/coins.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import type { HistoryEntry, Tip } from '../../operation/ports/chain.js';
import { showBlock } from './blocks.js';
import { maturityLock } from './finality.js';
import { findOutput, tipBlock, type ChainState, type KnownTransaction } from './chain-state.js';

/** The unspent outputs of a locking bytecode (hex), mempool included. */
export const findCoins = (state: ChainState, lockingBytecode: string): Coin[] =>
  [...(state.unspent.get(lockingBytecode)?.values() ?? [])].flatMap((outpoint) => {
    const output = findOutput(state, outpoint);
    if (output === null) return [];
    return [{ ...output, ...outpoint, height: state.transactions.get(outpoint.txid)?.height ?? null }];
  });

/** {@link findCoins} without the coins of coinbases that are not mature. */
export const findSpendable = (state: ChainState, lockingBytecode: string): Coin[] =>
  findCoins(state, lockingBytecode).filter(({ txid }) => {
    const known = state.transactions.get(txid);
    return known === undefined || maturityLock(known, state.blocks.length) === null;
  });

/** A transaction with the height and the time of its block; null when it is unknown. */
export const findTransaction = (state: ChainState, txid: string): ChainTransaction | null => {
  const known = state.transactions.get(txid);
  if (known === undefined) return null;
  const { transaction, height } = known;
  return { transaction, height, blockTime: height === null ? null : (state.blocks[height]?.time ?? null) };
};

/** Oldest first: by height, within a block as it is ordered (coinbase, then by id), the mempool last. */
const inChainOrder = (a: KnownTransaction, b: KnownTransaction): number => {
  if (a.height !== b.height) return (a.height ?? Infinity) - (b.height ?? Infinity);
  if (a.height === null) return a.order - b.order;
  if (a.isCoinbase || b.isCoinbase) return a.isCoinbase ? -1 : 1;
  return a.transaction.txid < b.transaction.txid ? -1 : 1;
};

/** What pays or spends a locking bytecode (hex), in chain order, what is in the mempool last. */
export const findHistory = (state: ChainState, lockingBytecode: string): HistoryEntry[] =>
  [...(state.scripts.get(lockingBytecode) ?? [])]
    .flatMap((txid) => state.transactions.get(txid) ?? [])
    .sort(inChainOrder)
    .map(({ transaction: { txid }, height }) => ({ txid, height }));

/** The last block as the ports name it. */
export const tipOf = (state: ChainState): Tip => showBlock(tipBlock(state));

/** The block at a height as the ports name it; null above the tip. */
export const blockAt = (state: ChainState, height: number): Tip | null => {
  const block = state.blocks[height];
  return block === undefined ? null : showBlock(block);
};
