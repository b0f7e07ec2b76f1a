/**
 * The one place that reads votes back from the chain.
 *
 * A lock counts when its transaction was accepted before the end, has exactly one stake and exactly one ballot at
 * the voter's vote-lock address, the ballot was minted there and then from a coin of the voter's own, says the stake
 * and the proposal, and the stake did not move before the end. Of several, the first one counts.
 */
import type { Output } from '../../bch/coins.js';
import type { ChainTransaction, Transaction } from '../../bch/transaction.js';
import type { CountedLock } from './proposal.js';
import { decodeBallot, proposalHash } from './state.js';

/** What a vote on one proposal must be. */
export type LockTerms = {
  readonly proposalId: string;
  /** Of the vote lock, hex. */
  readonly lockingBytecode: string;
  /** Of the voter's wallet, hex. */
  readonly voterLock: string;
  /** Unix seconds. */
  readonly end: number;
  /** Null: any token. */
  readonly tokenCategory: string | null;
};

/** Why a transaction that pays a vote lock is no vote. */
export const FAULTS = {
  stake: 'it does not have exactly one stake: one output of one fungible token',
  ballot: 'it does not have exactly one ballot',
  minted: 'its ballot was not minted in it, or not alone',
  content: 'its NFT is not a ballot',
  proposal: 'its ballot is for another proposal',
  amount: 'its ballot says another stake than the amount that lies there',
  voter: 'the coin that its ballot was minted from is not the voter’s own',
  token: 'its stake is in another token than the proposal’s',
  late: 'it was accepted after the end',
  moved: 'its stake moved before the end',
  second: 'the voter had locked before',
} as const;
export type Fault = keyof typeof FAULTS;

/** A lock as a transaction makes it. */
export type SeenLock = Omit<CountedLock, 'decimals' | 'locked_at'> & {
  readonly txid: string;
  /** Null while in the mempool. */
  readonly blockTime: number | null;
};

/** A transaction with what judging it needs besides itself. */
export type SeenTransaction = {
  readonly chain: ChainTransaction;
  /** Unix seconds. */
  readonly acceptedAt: number;
  /** The output that the ballot's genesis input spends; null when there is none. */
  readonly genesis: Output | null;
};

/** What one voter's vote-lock address says. */
export type VoterCount = {
  readonly lock: SeenLock | null;
  /** What spent the stake of `lock`. */
  readonly unlock: ChainTransaction | null;
  /** Transactions that pay the address and are no vote. */
  readonly ignored: readonly { readonly txid: string; readonly fault: Fault }[];
};

type Indexed = { readonly output: Output; readonly vout: number };

const outputsAt = ({ outputs }: Transaction, lockingBytecode: string): readonly Indexed[] =>
  outputs
    .map((output, vout) => ({ output, vout }))
    .filter(({ output }) => output.lockingBytecode === lockingBytecode);

/** True when an input of the transaction gives it the category, and one output alone carries it. */
const isMintedAlone = ({ inputs, outputs }: Transaction, category: string): boolean =>
  inputs.some(({ txid, vout }) => txid === category && vout === 0) &&
  outputs.filter(({ token }) => token?.category === category).length === 1;

/** The ballot of a transaction, or why it is none. */
const readBallot = (transaction: Transaction, at: Indexed, stake: bigint, terms: LockTerms) => {
  const { token } = at.output;
  if (token?.nft === undefined) return 'ballot';
  if (!isMintedAlone(transaction, token.category)) return 'minted';
  const ballot = decodeBallot(token.nft.commitment);
  if (ballot === null || token.nft.capability !== 'none' || token.amount !== 0n) return 'content';
  if (ballot.proposal !== proposalHash(terms.proposalId)) return 'proposal';
  if (ballot.stake !== stake) return 'amount';
  return { choice: ballot.choice, ballot_category: token.category, commitment: token.nft.commitment };
};

/**
 * The lock that a transaction makes, by the transaction alone.
 *
 * @returns null when it pays nothing to the address
 */
export const readLock = (
  { transaction, height, blockTime }: ChainTransaction,
  terms: LockTerms,
): SeenLock | Fault | null => {
  const own = outputsAt(transaction, terms.lockingBytecode);
  if (own.length === 0) return null;
  const stakes = own.filter(
    ({ output: { token } }) => token?.nft === undefined && (token?.amount ?? 0n) > 0n,
  );
  const ballots = own.filter(({ output: { token } }) => token?.nft !== undefined);
  const [stakeAt, ballotAt] = [stakes[0], ballots[0]];
  const token = stakeAt?.output.token;
  if (stakeAt === undefined || token === undefined || stakes.length !== 1) return 'stake';
  if (ballotAt === undefined || ballots.length !== 1) return 'ballot';
  const ballot = readBallot(transaction, ballotAt, token.amount, terms);
  if (typeof ballot === 'string') return ballot;
  if (terms.tokenCategory !== null && terms.tokenCategory !== token.category) return 'token';
  return {
    txid: transaction.txid,
    height,
    blockTime,
    ...ballot,
    token_category: token.category,
    stake: token.amount,
    stake_vout: stakeAt.vout,
    ballot_vout: ballotAt.vout,
  };
};

/** True for a lock. */
export const isLock = (read: SeenLock | Fault | null): read is SeenLock =>
  read !== null && typeof read !== 'string';

/** {@link readLock}, and whether it is the voter's own and in time. */
export const judgeLock = (
  { chain, acceptedAt, genesis }: SeenTransaction,
  terms: LockTerms,
): SeenLock | Fault | null => {
  const lock = readLock(chain, terms);
  if (!isLock(lock)) return lock;
  if (genesis?.lockingBytecode !== terms.voterLock) return 'voter';
  return acceptedAt < terms.end ? lock : 'late';
};

const spends = ({ transaction }: ChainTransaction, lock: SeenLock): boolean =>
  transaction.inputs.some(({ txid, vout }) => txid === lock.txid && vout === lock.stake_vout);

/** Blocks in order, the mempool last; within a block by id, which is the order that blocks have. */
const inChainOrder = (a: SeenTransaction, b: SeenTransaction): number => {
  const [left, right] = [a.chain.height ?? Infinity, b.chain.height ?? Infinity];
  if (left !== right) return left < right ? -1 : 1;
  return a.chain.transaction.txid < b.chain.transaction.txid ? -1 : 1;
};

/** What the address of somebody says who has not voted. */
export const NO_VOTE: VoterCount = { lock: null, unlock: null, ignored: [] };

/** Counts one voter: the fold of the transactions of the vote-lock address, in any order. */
export const countVoter = (terms: LockTerms, history: readonly SeenTransaction[]): VoterCount =>
  [...history].sort(inChainOrder).reduce<VoterCount>((count, seen) => {
    const { txid } = seen.chain.transaction;
    const ignore = (fault: Fault) => ({ ...count, ignored: [...count.ignored, { txid, fault }] });
    const judged = judgeLock(seen, terms);
    if (judged === null) return count;
    if (typeof judged === 'string') return ignore(judged);
    if (count.lock !== null) return ignore('second');
    const spender = history.find(({ chain }) => spends(chain, judged));
    if (spender !== undefined && spender.acceptedAt < terms.end) return ignore('moved');
    return { ...count, lock: judged, unlock: spender?.chain ?? null };
  }, NO_VOTE);

/** Tokens of each category that a transaction takes out of a vote lock, and how many of them it gives the voter. */
export const readUnlock = (
  { outputs }: Transaction,
  spent: readonly (Output | null)[],
  { lockingBytecode, voterLock }: Pick<LockTerms, 'lockingBytecode' | 'voterLock'>,
): readonly { readonly category: string; readonly taken: bigint; readonly returned: bigint }[] => {
  const sums = new Map<string, bigint>();
  for (const output of spent) {
    const { token } = output ?? {};
    if (output?.lockingBytecode !== lockingBytecode || token === undefined || token.amount === 0n) continue;
    sums.set(token.category, (sums.get(token.category) ?? 0n) + token.amount);
  }
  return [...sums].map(([category, taken]) => ({
    category,
    taken,
    returned: outputs
      .filter((output) => output.lockingBytecode === voterLock && output.token?.category === category)
      .reduce((sum, { token }) => sum + (token?.amount ?? 0n), 0n),
  }));
};
