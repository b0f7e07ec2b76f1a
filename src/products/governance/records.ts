/** Where proposals and votes are kept, and how they are found. */
import type { Address } from '../../bch/address.js';
import { newestFingerprint } from '../../covenant/artifact.js';
import { TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import type { StoreReader, StoreWriter } from '../../operation/ports/store.js';
import { voteIdOf, voteLockContract } from './contract.js';
import {
  proposalCollection,
  saidVoteCollection,
  voteLockCollection,
  voterKey,
  type ProposalRecord,
  type SaidVoteRecord,
  type VoteLockRecord,
} from './proposal.js';

const EVERY = Number.MAX_SAFE_INTEGER;

/** A proposal by its id. @throws proposal_not_found */
export const findProposal = async (store: StoreReader, id: string): Promise<ProposalRecord> => {
  const found = await store.get(proposalCollection, id.trim().toLowerCase());
  if (found === null) throw new TreasuryError('proposal_not_found', { id });
  return found;
};

/** The vote lock of a voter on a proposal, or null when none was ever asked for. */
export const findVoteLock = async (
  store: StoreReader,
  proposalId: string,
  voter: string,
): Promise<VoteLockRecord | null> =>
  (await store.find(voteLockCollection, { where: { voter: voterKey(proposalId, voter) }, limit: 1 }))
    .items[0] ?? null;

/** The off-chain vote of a voter on a proposal, or null. */
export const findSaidVote = async (
  store: StoreReader,
  proposalId: string,
  voter: string,
): Promise<SaidVoteRecord | null> =>
  (await store.find(saidVoteCollection, { where: { voter: voterKey(proposalId, voter) }, limit: 1 }))
    .items[0] ?? null;

/** All vote locks of a proposal, those that were never made included, oldest first. */
export const voteLocksOf = async (
  store: StoreReader,
  proposalId: string,
): Promise<readonly VoteLockRecord[]> =>
  (await store.find(voteLockCollection, { where: { proposal: proposalId }, order: 'oldest', limit: EVERY }))
    .items;

/** The off-chain votes of a proposal, oldest first, without those of voters who have locked tokens since. */
export const saidVotesOf = async (
  store: StoreReader,
  proposalId: string,
  known: readonly VoteLockRecord[] | null = null,
): Promise<readonly SaidVoteRecord[]> => {
  const locks = known ?? (await voteLocksOf(store, proposalId));
  const lockers = new Set(locks.filter(({ lock }) => lock !== null).map(({ voter }) => voter));
  return (
    await store.find(saidVoteCollection, { where: { proposal: proposalId }, order: 'oldest', limit: EVERY })
  ).items.filter(({ voter }) => !lockers.has(voter));
};

/** The vote lock that a voter would have on a proposal; nothing of it is on chain yet. */
export const draftVoteLock = (
  proposal: ProposalRecord,
  voter: Address,
  { network, uuid, clock }: Pick<Context, 'network' | 'uuid' | 'clock'>,
): VoteLockRecord => {
  const terms = {
    artifact_fingerprint: newestFingerprint('vote-lock'),
    proposal_id: proposal.id,
    voter: voter.text,
    unlock_time: proposal.voting_ends_at,
  };
  const contract = voteLockContract(terms, network);
  return {
    ...terms,
    id: uuid(),
    vote_id: voteIdOf(terms),
    contract_address: contract.address.text,
    constructor_params: [...contract.constructorParams],
    created_at: clock.now(),
    status: 'PENDING',
    tx_hash: null,
    lock: null,
    unlock_tx_hash: null,
    unlock_height: null,
  };
};

/** Keeps a vote lock, unless the voter has one on this proposal already; returns the one that is kept. */
export const keepVoteLock = async (writer: StoreWriter, draft: VoteLockRecord): Promise<VoteLockRecord> => {
  const known = await findVoteLock(writer, draft.proposal_id, draft.voter);
  if (known !== null) return known;
  writer.put(voteLockCollection, draft);
  return draft;
};
