/**
 * Following votes: what the chain has at a vote-lock address is folded into its record, once.
 *
 * A vote is no thread that moves on: its whole history is one lock and at most one unlock. It is read anew each time,
 * so that a lock that nobody confirmed is found and one that left the chain is forgotten.
 */
import { parseAddress, type Address } from '../../bch/address.js';
import { coinAt, type ChainTransaction } from '../../bch/transaction.js';
import { readHistory, type Step } from '../../covenant/follow.js';
import { tokenAsset } from '../../record/assets.js';
import type { Context } from '../../operation/context.js';
import { followRecord, type Following } from '../../record/follow.js';
import type { Tip } from '../../operation/ports/chain.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { voteLockContract } from './contract.js';
import {
  countVoter,
  isLock,
  NO_VOTE,
  readLock,
  type LockTerms,
  type SeenTransaction,
  type VoterCount,
} from './observe.js';
import {
  proposalTopic,
  UNFUNDED,
  voteLockCollection,
  type ProposalRecord,
  type VoteLockRecord,
} from './proposal.js';
import { stakeDetails } from './movements.js';
import { findProposal, findVoteLock, voteLocksOf } from './records.js';
import { acceptanceTime } from './rules.js';

/** What the vote of a lock's voter must be. */
export const lockTerms = (
  proposal: ProposalRecord,
  { voter, contract_address }: Pick<VoteLockRecord, 'voter' | 'contract_address'>,
): LockTerms => ({
  proposalId: proposal.id,
  lockingBytecode: parseAddress(contract_address).lockingBytecode,
  voterLock: parseAddress(voter).lockingBytecode,
  end: proposal.voting_ends_at,
  tokenCategory: proposal.token_category,
});

/** A transaction with what judging it needs. @throws chain_unavailable */
export const seeTransaction = async (
  found: ChainTransaction,
  terms: LockTerms,
  tip: Tip,
  { chain }: Pick<Context, 'chain'>,
): Promise<SeenTransaction> => {
  const lock = readLock(found, terms);
  // The genesis coin of a category is output 0 of the transaction that the category is named after.
  const source = isLock(lock) ? await chain.transaction(lock.ballot_category) : null;
  const genesis = source === null ? null : coinAt(source, 0);
  return { chain: found, acceptedAt: acceptanceTime(found, tip), genesis };
};

/**
 * The transactions without those that make or take a lock and cannot be. What else pays the address counts for nothing
 * and costs no look.
 */
const withoutFaults = async (
  history: readonly ChainTransaction[],
  terms: LockTerms,
  { chain }: Pick<Context, 'chain'>,
): Promise<readonly ChainTransaction[]> => {
  const locks = new Set(
    history.filter((found) => isLock(readLock(found, terms))).map(({ transaction: { txid } }) => txid),
  );
  const isValid = async (found: ChainTransaction): Promise<boolean> => {
    const { txid, inputs } = found.transaction;
    const counts = locks.has(txid) || inputs.some((input) => locks.has(input.txid));
    return !counts || (await chain.faultOf(found)) === null;
  };
  const valid = await Promise.all(history.map(isValid));
  return history.filter((_, index) => valid[index]);
};

/** Counts one voter from the chain alone. @throws chain_unavailable */
const countFromChain = async (
  terms: LockTerms,
  context: Pick<Context, 'chain'>,
  candidates: readonly ChainTransaction[],
): Promise<VoterCount> => {
  const { chain } = context;
  const tip = await chain.tip();
  const history = await readHistory(await chain.history(terms.lockingBytecode), chain, candidates);
  const valid = await withoutFaults(history, terms, context);
  return countVoter(
    terms,
    await Promise.all(valid.map((found) => seeTransaction(found, terms, tip, context))),
  );
};

/**
 * Decimals of a token that votes: those of the proposal's token, else those pinned with its first vote on the
 * proposal, else the registry's.
 */
export const votingDecimals = async (
  store: StoreReader,
  proposal: ProposalRecord,
  tokenCategory: string,
): Promise<number> => {
  if (proposal.decimals !== null) return proposal.decimals;
  const earlier = (await voteLocksOf(store, proposal.id)).find(
    ({ lock }) => lock?.token_category === tokenCategory,
  );
  return earlier?.lock?.decimals ?? (await tokenAsset(tokenCategory, store)).decimals;
};

/** The record that a count gives. */
const applyCount = (
  record: VoteLockRecord,
  { lock, unlock }: VoterCount,
  { decimals, now }: { readonly decimals: number; readonly now: number },
): VoteLockRecord => {
  if (lock === null) return { ...record, ...UNFUNDED };
  const { txid, blockTime, ...seen } = lock;
  const earlier = record.tx_hash === txid ? record.lock?.locked_at : undefined;
  return {
    ...record,
    status: unlock === null ? 'LOCKED' : 'UNLOCKED',
    tx_hash: txid,
    lock: { ...seen, decimals, locked_at: blockTime ?? earlier ?? now },
    unlock_tx_hash: unlock?.transaction.txid ?? null,
    unlock_height: unlock?.height ?? null,
  };
};

const isSame = (a: VoteLockRecord, b: VoteLockRecord): boolean =>
  a.tx_hash === b.tx_hash &&
  a.lock?.height === b.lock?.height &&
  a.unlock_tx_hash === b.unlock_tx_hash &&
  a.unlock_height === b.unlock_height;

const movesOf = (record: VoteLockRecord, { lock, unlock }: VoterCount): readonly Step<VoteLockRecord>[] => {
  if (lock === null) return [];
  const { lockingBytecode: actorLock } = parseAddress(record.voter);
  const { txid, height, blockTime, stake: amount } = lock;
  const about = { record, actorLock, amount, details: stakeDetails(lock) };
  const locked = { ...about, type: 'locked', txHash: txid, height, blockTime };
  if (unlock === null) return [locked];
  const { transaction, ...place } = unlock;
  return [locked, { ...about, ...place, type: 'unlocked', txHash: transaction.txid }];
};

/** How vote locks are followed. @param onCount - told what the chain has at the address, each time it was counted */
export const lockFollowing = (
  { network }: Pick<Context, 'network'>,
  onCount: (count: VoterCount) => void = () => undefined,
): Following<VoteLockRecord> => ({
  collection: voteLockCollection,
  entityType: 'proposal',
  decimals: ({ lock }) => lock?.decimals ?? 0,
  label: ({ vote_id }) => vote_id,
  topic: async ({ proposal_id, voter, lock }, store) => {
    const topic = proposalTopic(await findProposal(store, proposal_id));
    return { ...topic, parties: [...topic.parties, voter], category: lock?.token_category ?? topic.category };
  },
  contract: (record) => voteLockContract(record, network),
  sharedEvents: ({ proposal_id: entityId, voter: actor }) => ({ entityId, actor }),
  // A vote has no thread: it is counted.
  followed: {
    lockingBytecode: ({ contract_address }) => parseAddress(contract_address).lockingBytecode,
    thread: () => null,
    isPending: () => false,
    unfunded: (record) => ({ ...record, ...UNFUNDED }),
    observeFunding: () => null,
    observeMove: (record) => ({ record, moves: [] }),
  },
  fold: async (record, { isAnew, candidates }, context) => {
    const { store, clock } = context;
    const proposal = await findProposal(store, record.proposal_id);
    const count = await countFromChain(lockTerms(proposal, record), context, candidates);
    onCount(count);
    const { lock } = count;
    const decimals = lock === null ? 0 : await votingDecimals(store, proposal, lock.token_category);
    const next = applyCount(record, count, { decimals, now: clock.now() });
    if (!isAnew && isSame(record, next)) return { record, moves: [], rebuilt: false };
    return { record: next, moves: movesOf(next, count), rebuilt: true };
  },
});

/**
 * A vote lock as the chain has it now. Whatever was found is in the store before this returns.
 *
 * @param candidates transactions that may not be in the address's history yet
 * @throws proposal_not_found, and as `followRecord`
 */
export const followLock = (
  id: string,
  context: Context,
  candidates: readonly ChainTransaction[] = [],
): Promise<VoteLockRecord> => followRecord(id, lockFollowing(context), context, candidates);

/** The vote lock of a voter as the chain has it now; null when none was ever asked for. @throws as {@link followLock} */
export const followVoter = async (
  { id: proposalId }: Pick<ProposalRecord, 'id'>,
  { text: voter }: Address,
  context: Context,
): Promise<VoteLockRecord | null> => {
  const known = await findVoteLock(context.store, proposalId, voter);
  return known === null ? null : followLock(known.id, context);
};

/** A vote lock as the chain has it now, and the count that says so. */
export type FollowedLock = { readonly record: VoteLockRecord; readonly count: VoterCount };

/** Every vote lock of a proposal as the chain has it now, oldest first. @throws as {@link followLock} */
export const followVotes = async (
  { id: proposalId }: Pick<ProposalRecord, 'id'>,
  context: Context,
): Promise<readonly FollowedLock[]> =>
  Promise.all(
    (await voteLocksOf(context.store, proposalId)).map(async ({ id }) => {
      let count = NO_VOTE;
      const following = lockFollowing(context, (counted) => {
        count = counted;
      });
      return { record: await followRecord(id, following, context), count };
    }),
  );
