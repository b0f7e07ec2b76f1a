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

/**
 * When a record was last touched, unix seconds: by the block of a move, unless something was said of it later. So a
 * record that is folded anew keeps what was said of it between its moves.
 */
export const touchedAt = (
  { updated_at }: { readonly updated_at: number },
  { blockTime }: Pick<ChainTransaction, 'blockTime'>,
): number => Math.max(updated_at, blockTime ?? updated_at);

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
  readonly history: (lockingBytecode: string) => Promise<readonly HistoryEntry[]>;
};

/** A transaction of a covenant's address; `height` is null in the mempool. */
type HistoryEntry = { readonly txid: string; readonly height: number | null };

/** A move, and the record as the move left it. */
export type Step<R> = Move & { readonly record: R };

export type FollowResult<R> = {
  readonly record: R;
  readonly moves: readonly Step<R>[];
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
): Promise<Pick<FollowResult<R>, 'record' | 'moves'>> => {
  let record = start;
  const moves: Step<R>[] = [];
  const take = (observed: Observed<R>) => {
    record = observed.record;
    moves.push(...observed.moves.map((move) => ({ ...move, record: observed.record })));
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

/** Transactions of a history that are read at once: a server is not asked for a thousand in one breath. */
const AT_ONCE = 50;

/** The transactions of a history, and behind them the candidates that it lacks. */
const readHistory = async (
  entries: readonly HistoryEntry[],
  chain: ChainReader,
  candidates: readonly ChainTransaction[],
): Promise<ChainTransaction[]> => {
  const history: ChainTransaction[] = [];
  for (let start = 0; start < entries.length; start += AT_ONCE) {
    const part = entries.slice(start, start + AT_ONCE);
    const found = await Promise.all(part.map(({ txid }) => chain.transaction(txid)));
    history.push(...found.filter((transaction) => transaction !== null));
  }
  const known = new Set(history.map(({ transaction }) => transaction.txid));
  return [...history, ...candidates.filter(({ transaction }) => !known.has(transaction.txid))];
};

/**
 * The part of a history in which what spends an output of `txid` must be: its own block (whose order says nothing),
 * and what comes after. Null when the history has no such transaction.
 */
const sinceTransaction = (entries: readonly HistoryEntry[], txid: string): readonly HistoryEntry[] | null => {
  const at = entries.find((entry) => entry.txid === txid);
  if (at === undefined) return null;
  const from = at.height ?? Infinity;
  return entries.filter(({ height }) => height === null || height >= from);
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
  const entries = await chain.history(lockingBytecode);
  const since = thread === null ? entries : sinceTransaction(entries, thread.txid);
  if (since !== null) {
    const onward = await fold(record, await readHistory(since, chain, candidates), followed, chain);
    if (thread === null || onward.moves.length > 0) return { ...onward, rebuilt: false };
  }
  return refold(record, followed, chain, candidates);
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
  const entries = await chain.history(followed.lockingBytecode(record));
  const transactions = await readHistory(entries, chain, candidates);
  return { ...(await fold(followed.unfunded(record), transactions, followed, chain)), rebuilt: true };
};
