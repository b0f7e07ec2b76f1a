/** The chain as an own ledger has it: who had what before and after each transaction. It asks the node, and no record. */
import { FAUCET_LOCKING_BYTECODE, FEE_LOCKING_BYTECODE } from '../../src/adapters/local-chain/faucet.js';
import type { LocalChain } from '../../src/adapters/local-chain/local-chain.js';
import { binToHex } from '@bitauth/libauth';
import { reserveLock } from '../../src/covenant/reserve.js';
import { decodeTransaction, isCoinbase, type Transaction } from '../../src/bch/transaction.js';

/** `bch`, or the category of a token. */
export type Asset = string;
export const BCH: Asset = 'bch';

/** Whoever can have money: a person, the miners, a covenant with all of its addresses. */
export type Purse = {
  readonly kind: 'person' | 'miners' | 'faucet' | 'covenant' | 'nobody';
  readonly name: string;
};

export const MINERS: Purse = { kind: 'miners', name: 'miners' };
const FAUCET: Purse = { kind: 'faucet', name: 'faucet' };

/** What a transaction has changed; negative: what somebody gave. */
export type Changes = ReadonlyMap<Purse, ReadonlyMap<Asset, bigint>>;

export type Entry = {
  readonly txid: string;
  readonly transaction: Transaction;
  readonly size: number;
  readonly isCoinbase: boolean;
  /** Assets that began in it. */
  readonly minted: ReadonlySet<Asset>;
  readonly fee: bigint;
  readonly changes: Changes;
  /** What each output pays, and to whom. */
  readonly outputs: readonly Paid[];
};

export type Paid = {
  readonly lock: string;
  readonly purse: Purse;
  readonly satoshis: bigint;
  readonly asset: Asset | null;
  readonly amount: bigint;
};

export type Ledger = {
  /** In an order in which what is spent stands before what spends it. */
  readonly entries: readonly Entry[];
  /** Coins that are there in the end, by their locks. */
  readonly held: ReadonlyMap<string, readonly Paid[]>;
};

const add = (changes: Map<Purse, Map<Asset, bigint>>, purse: Purse, asset: Asset, units: bigint): void => {
  const own = changes.get(purse) ?? new Map<Asset, bigint>();
  changes.set(purse, own);
  own.set(asset, (own.get(asset) ?? 0n) + units);
};

type Book = {
  readonly coins: Map<string, Paid>;
  readonly purseOf: (lock: string) => Purse;
};

const enter = ({ coins, purseOf }: Book, transaction: Transaction, size: number): Entry => {
  const { txid, inputs, outputs } = transaction;
  const changes = new Map<Purse, Map<Asset, bigint>>();
  const isNew = isCoinbase(transaction);
  let fee = 0n;
  const minted = new Set<Asset>();
  for (const input of isNew ? [] : inputs) {
    const at = `${input.txid}:${input.vout}`;
    const coin = coins.get(at);
    if (coin === undefined) throw new Error(`${txid} spends ${at}, which is not there`);
    coins.delete(at);
    fee += coin.satoshis;
    add(changes, coin.purse, BCH, -coin.satoshis);
    if (coin.asset !== null) add(changes, coin.purse, coin.asset, -coin.amount);
    if (input.vout === 0) minted.add(input.txid);
  }
  const paid = outputs.map(({ lockingBytecode: lock, satoshis, token }, vout): Paid => {
    const one: Paid = {
      lock,
      purse: purseOf(lock),
      satoshis,
      asset: token?.category ?? null,
      amount: token?.amount ?? 0n,
    };
    if (!lock.startsWith('6a')) coins.set(`${txid}:${vout}`, one);
    fee -= satoshis;
    add(changes, one.purse, BCH, satoshis);
    if (one.asset !== null) add(changes, one.purse, one.asset, one.amount);
    return one;
  });
  return {
    txid,
    transaction,
    size,
    isCoinbase: isNew,
    minted,
    fee: isNew ? 0n : fee,
    changes,
    outputs: paid,
  };
};

/** Every transaction of the chain, as the node has them. Blocks hold them by their ids: parents come first here. */
const transactionsOf = async (
  node: LocalChain,
): Promise<readonly { raw: string; decoded: Transaction }[]> => {
  const ordered: { raw: string; decoded: Transaction }[] = [];
  for (let height = 0; ; height += 1) {
    const txids = await node.blockTxids(height);
    if (txids === null) return ordered;
    const block = new Map<string, { raw: string; decoded: Transaction }>();
    for (const txid of txids) {
      const raw = await node.rawTransaction(txid);
      if (raw === null) throw new Error(`the node does not have ${txid}`);
      block.set(txid, { raw, decoded: decodeTransaction(raw) });
    }
    const done = new Set<string>();
    const put = (txid: string): void => {
      const one = block.get(txid);
      if (one === undefined || done.has(txid)) return;
      done.add(txid);
      for (const input of one.decoded.inputs) put(input.txid);
      ordered.push(one);
    };
    for (const txid of txids) put(txid);
  }
};

/** The reserves of threads that a transaction begins at covenants: a covenant has what lies there, too. */
const noteReserves = ({ inputs, outputs }: Transaction, purses: Map<string, Purse>): void => {
  for (const { lockingBytecode: lock, token } of outputs) {
    const purse = purses.get(lock);
    if (purse?.kind !== 'covenant' || token?.nft === undefined) continue;
    if (inputs.some(({ txid, vout }) => txid === token.category && vout === 0))
      purses.set(reserveLock(token.category, lock), purse);
  }
};

/**
 * Reads all of the chain.
 *
 * @param purses - whose the locking bytecodes are
 */
export const readLedger = async (node: LocalChain, purses: ReadonlyMap<string, Purse>): Promise<Ledger> => {
  const own = new Map(purses);
  own.set(FAUCET_LOCKING_BYTECODE, FAUCET);
  own.set(binToHex(FEE_LOCKING_BYTECODE), MINERS);
  const coins = new Map<string, Paid>();
  const purseOf = (lock: string): Purse => {
    const known = own.get(lock) ?? (lock.startsWith('6a') ? MINERS : { kind: 'nobody', name: lock });
    own.set(lock, known);
    return known;
  };
  const entries = (await transactionsOf(node)).map(({ raw, decoded }) => {
    noteReserves(decoded, own);
    return enter({ coins, purseOf }, decoded, raw.length / 2);
  });
  const held = new Map<string, Paid[]>();
  for (const coin of coins.values()) held.set(coin.lock, [...(held.get(coin.lock) ?? []), coin]);
  return { entries, held };
};
