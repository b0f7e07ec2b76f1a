/** A chain of transactions that a test makes up: nobody signs, nothing is validated, and what is there can vanish. */
import { hexToBin } from '@bitauth/libauth';
import type { Coin, Outpoint, Output } from '../../src/bch/coins.js';
import {
  coinAt,
  fromLibauthTransaction,
  toLibauthOutput,
  type ChainTransaction,
  type Transaction,
} from '../../src/bch/transaction.js';
import type { ChainReader } from '../../src/covenant/follow.js';
import type { HistoryEntry, Tip } from '../../src/operation/ports/chain.js';

/** The transaction of some inputs and outputs, with the id that these give it. */
export const makeTransaction = (inputs: readonly Outpoint[], outputs: readonly Output[]): Transaction =>
  fromLibauthTransaction({
    version: 2,
    locktime: 0,
    inputs: inputs.map(({ txid, vout }) => ({
      outpointTransactionHash: hexToBin(txid),
      outpointIndex: vout,
      sequenceNumber: 0,
      unlockingBytecode: Uint8Array.of(),
    })),
    outputs: outputs.map(toLibauthOutput),
  });

/** A transaction in the mempool, or at a height. */
export const onChain = (transaction: Transaction, height: number | null = null): ChainTransaction => ({
  transaction,
  height,
  blockTime: height === null ? null : 1_780_000_000 + height * 600,
});

/** A coin of a transaction's output. */
export const coinOf = (transaction: Transaction, vout: number): Coin => {
  const coin = coinAt(onChain(transaction), vout);
  if (coin === null) throw new Error(`there is no output ${vout}`);
  return coin;
};

export type ScriptedChain = ChainReader & {
  readonly coins: (lockingBytecode: string) => Promise<Coin[]>;
  readonly history: (lockingBytecode: string) => Promise<HistoryEntry[]>;
  readonly tip: () => Promise<Tip>;
  /** Says what the rules have against a transaction; as long as nothing is said, they have nothing. */
  readonly declare: (txid: string, fault: string) => unknown;
  /** Mines empty blocks up to a height; at the beginning it is 10. */
  readonly grow: (height: number) => void;
  /** Takes a transaction in; of one that is known it takes the height. */
  readonly add: (transaction: Transaction, height?: number | null) => Transaction;
  /** Forgets a transaction, and all that spend it. */
  readonly drop: (txid: string) => void;
  /** What was asked, in order: `coins`, `history`, `transaction`. */
  readonly asked: string[];
};

export const scriptedChain = (): ScriptedChain => {
  const known = new Map<string, ChainTransaction>();
  const asked: string[] = [];
  const faults = new Map<string, string>();
  let tipHeight = 10;
  const all = () => [...known.values()].map(({ transaction }) => transaction);
  const outputOf = ({ txid, vout }: Outpoint) => known.get(txid)?.transaction.outputs[vout];
  const drop = (txid: string): void => {
    known.delete(txid);
    for (const { txid: later, inputs } of all()) {
      if (inputs.some((input) => input.txid === txid)) drop(later);
    }
  };
  return {
    asked,
    drop,
    grow: (height) => {
      tipHeight = height;
    },
    tip: () => {
      const time = 1_780_000_000 + tipHeight * 600;
      const hash = tipHeight.toString(16).padStart(64, '0');
      return Promise.resolve({ height: tipHeight, hash, time, medianTimePast: time - 3_000 });
    },
    add: (transaction, height = null) => {
      known.set(transaction.txid, onChain(transaction, height));
      return transaction;
    },
    coins: (lockingBytecode) => {
      asked.push('coins');
      const spent = new Set(all().flatMap(({ inputs }) => inputs.map(({ txid, vout }) => `${txid}:${vout}`)));
      const coins = all().flatMap((transaction) =>
        transaction.outputs.map((_, vout) => coinOf(transaction, vout)),
      );
      return Promise.resolve(
        coins.filter(
          (coin) => coin.lockingBytecode === lockingBytecode && !spent.has(`${coin.txid}:${coin.vout}`),
        ),
      );
    },
    faultOf: ({ transaction: { txid } }) => Promise.resolve(faults.get(txid) ?? null),
    declare: (txid, fault) => faults.set(txid, fault),
    history: (lockingBytecode) => {
      asked.push('history');
      const touches = ({ inputs, outputs }: Transaction) =>
        [...outputs, ...inputs.map(outputOf)].some((output) => output?.lockingBytecode === lockingBytecode);
      return Promise.resolve(
        [...known.values()]
          .filter(({ transaction }) => touches(transaction))
          .map(({ transaction: { txid }, height }) => ({ txid, height })),
      );
    },
    transaction: (txid) => {
      asked.push('transaction');
      return Promise.resolve(known.get(txid) ?? null);
    },
  };
};
