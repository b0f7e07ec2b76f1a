/**
 * Following: how a record takes in what happened on chain.
 *
 * Confirming, monitoring and rebuilding all come through here, so they cannot disagree: a record is a fold of
 * `observe` over the transactions that move its thread, from the funding on.
 */
import type { Output } from '../bch/coins.js';
import { coinAt, type ChainTransaction } from '../bch/transaction.js';
import { spendsAtFirst, type ThreadPointer } from './thread.js';

/** One thing that happened on chain, as an event will tell it. */
export type Move = {
  readonly type: string;
  readonly txHash: string;
  /** Locking bytecode (hex) of who made or received it. */
  readonly actorLock: string;
  /** In the smallest unit of the record's asset. */
  readonly amount: bigint;
  /** Height of its block, or null while in the mempool. */
  readonly height: number | null;
  /** Time of its block in unix seconds, or null while in the mempool. */
  readonly blockTime: number | null;
  readonly details: Readonly<Record<string, string | number>>;
};

export type Observed<R> = { readonly record: R; readonly moves: readonly Move[] };

/** What following needs to know of a kind of record. */
export type Followed<R> = {
  /** The covenant's locking bytecode, hex. */
  readonly lockingBytecode: (record: R) => string;
  /** Null: not funded, or ended. */
  readonly thread: (record: R) => ThreadPointer | null;
  /** True while it waits for its funding. */
  readonly isPending: (record: R) => boolean;
  /** The record as it was before its funding. */
  readonly unfunded: (record: R) => R;
  /** The funding seen in `transaction`, or null when it is not this record's. `spent` are the outputs its inputs spend. */
  readonly observeFunding: (
    record: R,
    transaction: ChainTransaction,
    spent: readonly (Output | null)[],
  ) => Observed<R> | null;
  /** The move seen in a transaction that spends the record's thread at input 0. */
  readonly observeMove: (record: R, transaction: ChainTransaction) => Observed<R>;
};

/** The part of the chain port that following reads. */
export type ChainReader = {
  readonly coins: (
    lockingBytecode: string,
  ) => Promise<readonly { readonly txid: string; readonly vout: number }[]>;
  readonly transaction: (txid: string) => Promise<ChainTransaction | null>;
  readonly history: (lockingBytecode: string) => Promise<readonly { readonly txid: string }[]>;
};

export type FollowResult<R> = Observed<R> & {
  /** True when the chain took something back, and the record was folded anew from its funding. */
  readonly rebuilt: boolean;
};

const spentOutputs = (transaction: ChainTransaction, chain: ChainReader): Promise<(Output | null)[]> =>
  Promise.all(
    transaction.transaction.inputs.map(async ({ txid, vout }) => {
      const source = await chain.transaction(txid);
      return source === null ? null : coinAt(source, vout);
    }),
  );

/** True when a transaction could be a funding: what others send to the address costs no further look. */
const carriesThread = ({ transaction }: ChainTransaction, lock: string): boolean =>
  transaction.outputs.some(
    ({ lockingBytecode, token }) => lockingBytecode === lock && token?.nft !== undefined,
  );

/** Folds transactions (in any order) into a record until none of them moves it. */
const fold = async <R>(
  start: R,
  transactions: readonly ChainTransaction[],
  followed: Followed<R>,
  chain: ChainReader,
): Promise<Observed<R>> => {
  let record = start;
  const moves: Move[] = [];
  const take = (observed: Observed<R>) => {
    record = observed.record;
    moves.push(...observed.moves);
  };
  if (followed.isPending(record)) {
    const lockingBytecode = followed.lockingBytecode(record);
    for (const transaction of transactions.filter((candidate) => carriesThread(candidate, lockingBytecode))) {
      const observed = followed.observeFunding(record, transaction, await spentOutputs(transaction, chain));
      if (observed === null) continue;
      take(observed);
      break;
    }
  }
  for (;;) {
    const thread = followed.thread(record);
    const next =
      thread === null
        ? undefined
        : transactions.find(({ transaction }) => spendsAtFirst(transaction, thread));
    if (next === undefined) return { record, moves };
    take(followed.observeMove(record, next));
  }
};

/** What the chain has of a covenant, and behind it the candidates that its history lacks. */
const historyOf = async (
  lockingBytecode: string,
  chain: ChainReader,
  candidates: readonly ChainTransaction[],
): Promise<ChainTransaction[]> => {
  const entries = await chain.history(lockingBytecode);
  const found = await Promise.all(entries.map(({ txid }) => chain.transaction(txid)));
  const history = found.filter((transaction) => transaction !== null);
  const known = new Set(history.map(({ transaction }) => transaction.txid));
  return [...history, ...candidates.filter(({ transaction }) => !known.has(transaction.txid))];
};

/**
 * Follows a record to the tip.
 *
 * A live thread whose outpoint is unspent has not moved: one look at its coins. Otherwise the covenant's history is
 * folded on from where the record is; and when the record stands on something that the chain no longer has, it is
 * folded anew from before its funding. An ended record has nothing to follow (see {@link refold} for what undoes it).
 *
 * @param candidates transactions that may not be in the history yet (what a confirmation names)
 * @throws chain_unavailable
 */
export const follow = async <R>(
  record: R,
  followed: Followed<R>,
  chain: ChainReader,
  candidates: readonly ChainTransaction[] = [],
): Promise<FollowResult<R>> => {
  const lockingBytecode = followed.lockingBytecode(record);
  const thread = followed.thread(record);
  if (thread === null && !followed.isPending(record)) return { record, moves: [], rebuilt: false };
  if (thread !== null) {
    const coins = await chain.coins(lockingBytecode);
    if (coins.some(({ txid, vout }) => txid === thread.txid && vout === thread.vout)) {
      return { record, moves: [], rebuilt: false };
    }
  }
  const transactions = await historyOf(lockingBytecode, chain, candidates);
  const onward = await fold(record, transactions, followed, chain);
  if (thread === null || onward.moves.length > 0) return { ...onward, rebuilt: false };
  return { ...(await fold(followed.unfunded(record), transactions, followed, chain)), rebuilt: true };
};

/**
 * Folds a record from before its funding over the chain's history, whatever the record says now.
 *
 * @throws chain_unavailable
 */
export const refold = async <R>(
  record: R,
  followed: Followed<R>,
  chain: ChainReader,
  candidates: readonly ChainTransaction[] = [],
): Promise<FollowResult<R>> => {
  const transactions = await historyOf(followed.lockingBytecode(record), chain, candidates);
  return { ...(await fold(followed.unfunded(record), transactions, followed, chain)), rebuilt: true };
};
