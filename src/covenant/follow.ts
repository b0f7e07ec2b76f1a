/**
 * Following: how a record takes in what happened on chain.
 *
 * Confirming, monitoring and rebuilding all come through here, so they cannot disagree: a record is a fold of
 * `observe` over the transactions that move its thread, from the funding on. No transaction moves it before it was run
 * in the virtual machine with what it spends: what shows it is a stranger.
 */
import type { Coin, Output } from '../bch/coins.js';
import { coinAt, type ChainTransaction } from '../bch/transaction.js';
import { TreasuryError } from '../errors.js';
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
 *
 * @example
 * touchedAt({ updated_at: monday }, { blockTime: null }); // monday
 */
export const touchedAt = (
  { updated_at }: { readonly updated_at: number },
  { blockTime }: Pick<ChainTransaction, 'blockTime'>,
): number => Math.max(updated_at, blockTime ?? updated_at);

type Movable = { readonly last_tx_hash: string | null; readonly updated_at: number };

/**
 * A record after a transaction, and the moves that this made of it.
 *
 * @example
 * const record = { last_tx_hash: null, updated_at: 0 };
 * moved(record, mined(payment), {}, []).record.updated_at; // monday
 */
export const moved = <R extends Movable>(
  record: R,
  chain: ChainTransaction,
  changes: Partial<R>,
  moves: readonly (Pick<Move, 'type' | 'actorLock' | 'amount'> & Partial<Pick<Move, 'details'>>)[],
): Observed<R> => {
  const { transaction, height, blockTime } = chain;
  const { txid: txHash } = transaction;
  return {
    record: { ...record, last_tx_hash: txHash, updated_at: touchedAt(record, chain), ...changes },
    moves: moves.map((move) => ({ details: {}, ...move, txHash, height, blockTime })),
  };
};

/** What following needs to know of a kind of record. */
export type Followed<R> = {
  /** The covenant's locking bytecode, hex. */
  readonly lockingBytecode: (record: R) => string;
  /** Null: not funded, or ended. */
  readonly thread: (record: R) => ThreadPointer | null;
  /** True while it waits for its funding. */
  readonly isPending: (record: R) => boolean;
  /** The funding that it stands on; where there are several, it stays with it while the chain has it. */
  readonly fundedBy?: (record: R) => string | null;
  /** The record as it was before its funding. */
  readonly unfunded: (record: R) => R;
  /** The funding seen in `transaction`, or null when it is not this record's. `spent` are the outputs its inputs spend. */
  readonly observeFunding: (
    record: R,
    transaction: ChainTransaction,
    spent: readonly (Output | null)[],
  ) => Observed<R> | null | Promise<Observed<R> | null>;
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
  /** What the rules of the network say against a transaction, and who shows it; null: nothing. */
  readonly faultOf: (found: ChainTransaction) => Promise<string | null>;
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

/**
 * The coins that the inputs of a transaction spend; null for one that the chain does not show.
 *
 * @example
 * (await spentOutputs(await chain.transaction(funding.txid), chain)).map(({ vout }) => vout); // [0]
 */
export const spentOutputs = async (
  { transaction: { inputs } }: ChainTransaction,
  chain: Pick<ChainReader, 'transaction'>,
): Promise<(Coin | null)[]> => {
  const txids = [...new Set(inputs.map(({ txid }) => txid))];
  const found = await Promise.all(txids.map((txid) => chain.transaction(txid)));
  const sources = new Map(txids.map((txid, index) => [txid, found[index] ?? null]));
  return inputs.map(({ txid, vout }) => {
    const source = sources.get(txid) ?? null;
    return source === null ? null : coinAt(source, vout);
  });
};

/**
 * True when a transaction mints an NFT at the address, as a funding does: the category of what it mints is the id of
 * what an input with index 0 spends. Whatever else is sent there costs no further look.
 */
const mintsThread = ({ transaction: { inputs, outputs } }: ChainTransaction, lock: string): boolean =>
  outputs.some(
    ({ lockingBytecode, token }) =>
      lockingBytecode === lock &&
      token?.nft !== undefined &&
      inputs.some(({ txid, vout }) => vout === 0 && txid === token.category),
  );

/** A transaction that is shown and cannot be. */
type Fault = { readonly txHash: string; readonly reason: string };

/** What became of a fold: `faults` are the transactions that would have moved the record and were not taken. */
type Fold<R> = Pick<FollowResult<R>, 'record' | 'moves'> & { readonly faults: readonly Fault[] };

/** Folds transactions (in any order) into a record until none of them moves it. */
const fold = async <R>(
  start: R,
  transactions: readonly ChainTransaction[],
  followed: Followed<R>,
  chain: ChainReader,
): Promise<Fold<R>> => {
  let record = start;
  const moves: Step<R>[] = [];
  const faults: Fault[] = [];
  const take = (observed: Observed<R>) => {
    record = observed.record;
    moves.push(...observed.moves.map((move) => ({ ...move, record: observed.record })));
  };
  const isValid = async (found: ChainTransaction): Promise<boolean> => {
    const reason = await chain.faultOf(found);
    if (reason !== null) faults.push({ txHash: found.transaction.txid, reason });
    return reason === null;
  };
  if (followed.isPending(record)) {
    const lockingBytecode = followed.lockingBytecode(record);
    for (const transaction of transactions.filter((candidate) => mintsThread(candidate, lockingBytecode))) {
      const spent = await spentOutputs(transaction, chain);
      const observed = await followed.observeFunding(record, transaction, spent);
      if (observed === null || !(await isValid(transaction))) continue;
      take(observed);
      break;
    }
  }
  const nextMove = async (): Promise<ChainTransaction | null> => {
    const thread = followed.thread(record);
    if (thread === null) return null;
    for (const found of transactions)
      if (spendsAtFirst(found.transaction, thread) && (await isValid(found))) return found;
    return null;
  };
  for (let next = await nextMove(); next !== null; next = await nextMove())
    take(followed.observeMove(record, next));
  return { record, moves, faults };
};

/** Transactions of a history that are read at once: a server is not asked for a thousand in one breath. */
const AT_ONCE = 50;

/**
 * The transactions of a history, and behind them the candidates that it lacks.
 *
 * @throws chain_unavailable
 * @example
 * (await readHistory(await chain.history(COVENANT_LOCK), chain, [])).length; // 2
 */
export const readHistory = async (
  entries: readonly HistoryEntry[],
  chain: Pick<ChainReader, 'transaction'>,
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
 * @throws chain_unavailable, tx_invalid
 * @example
 * const { record, moves } = await follow(counter, followedCounter, chain);
 * [record.status, moves.map(({ type }) => type)]; // ['ENDED', ['funded', 'cancelled']]
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
    const { faults, ...onward } = await fold(
      record,
      await readHistory(since, chain, candidates),
      followed,
      chain,
    );
    // Where something was made up, nothing is taken back on the same word.
    if (thread === null || onward.moves.length > 0 || faults.length > 0) return { ...onward, rebuilt: false };
  }
  return refold(record, followed, chain, candidates);
};

/**
 * Folds a record from before its funding over the chain's history, whatever the record says now.
 *
 * @throws chain_unavailable; tx_invalid when the chain shows a transaction that cannot be among those of a record that
 *   was funded: nothing is taken back from it then
 * @example
 * const { record, rebuilt } = await refold(counter, followedCounter, chain);
 * [record.status, rebuilt]; // ['ENDED', true]
 */
export const refold = async <R>(
  record: R,
  followed: Followed<R>,
  chain: ChainReader,
  candidates: readonly ChainTransaction[] = [],
): Promise<FollowResult<R>> => {
  const entries = await chain.history(followed.lockingBytecode(record));
  const own = followed.fundedBy?.(record) ?? null;
  const isOwn = ({ transaction }: ChainTransaction): number => (transaction.txid === own ? 0 : 1);
  const transactions = (await readHistory(entries, chain, candidates)).sort((a, b) => isOwn(a) - isOwn(b));
  const { faults, ...folded } = await fold(followed.unfunded(record), transactions, followed, chain);
  const [fault] = faults;
  if (fault !== undefined && !followed.isPending(record)) throw new TreasuryError('tx_invalid', fault);
  return { ...folded, rebuilt: true };
};
