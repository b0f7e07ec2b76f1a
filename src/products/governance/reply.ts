/** Proposals, votes and recounts as answers show them. */
import { z } from 'zod';
import { displayNumber, formatUnits } from '../../bch/amount.js';
import type { StoreReader } from '../../operation/ports/store.js';
import {
  PROPOSAL_STATUSES,
  type ProposalRecord,
  type SaidVoteRecord,
  type VoteLockRecord,
} from './proposal.js';
import { saidVotesOf, voteLocksOf } from './records.js';
import {
  endText,
  statusOf,
  tallyOf,
  unitsOfWeight,
  weightText,
  WEIGHT_DECIMALS,
  type Sums,
  type Tally,
  type TallyPart,
} from './rules.js';

const amount = z.number().describe('Display units');
const onChain = z
  .string()
  .nullable()
  .describe('Smallest unit of the token; null where there is no one token');

/** The three sums, with their exact figures beside them. */
export const SumFields = {
  votesFor: amount,
  votesForOnChain: onChain,
  votesAgainst: amount,
  votesAgainstOnChain: onChain,
  votesAbstain: amount,
  votesAbstainOnChain: onChain,
};

const number = (weight: bigint): number => displayNumber(weight, WEIGHT_DECIMALS);

/** For the fields, see {@link SumFields}. */
export const showSums = (sums: Sums, decimals: number | null) => {
  const units = (weight: bigint) => (decimals === null ? null : unitsOfWeight(weight, decimals).toString());
  return {
    votesFor: number(sums.FOR),
    votesForOnChain: units(sums.FOR),
    votesAgainst: number(sums.AGAINST),
    votesAgainstOnChain: units(sums.AGAINST),
    votesAbstain: number(sums.ABSTAIN),
    votesAbstainOnChain: units(sums.ABSTAIN),
  };
};

/** The votes of one token, or those cast off-chain. */
export const PartReply = z.object({
  method: z.enum(['locked', 'off-chain']),
  tokenCategory: z.string().nullable(),
  tallied: z.boolean().describe('False: shown, and not part of the result'),
  voters: z.number(),
  ...SumFields,
});

/** For the schema, see {@link PartReply}. */
export const showPart = ({ tokenCategory, decimals, sums, voters, isTallied }: TallyPart) => ({
  method: tokenCategory === null ? ('off-chain' as const) : ('locked' as const),
  tokenCategory,
  tallied: isTallied,
  voters,
  ...showSums(sums, decimals),
});

/** A proposal. Source: specification, Resources; design, api.md (Governance). */
export const ProposalReply = z.object({
  id: z.string(),
  vaultId: z.string().describe('64 hex digits'),
  creator: z.string(),
  title: z.string(),
  description: z.string(),
  status: z.enum(PROPOSAL_STATUSES),
  ...SumFields,
  quorum: amount,
  quorumOnChain: onChain,
  votingEndsAt: z.string().describe('ISO 8601, in chain time'),
  tokenCategory: z.string().nullable().describe('The voting token; null: locks of any token count'),
  breakdown: z.array(PartReply).describe('The tally by token, and the off-chain votes apart'),
  createdAt: z.number().describe('Unix seconds'),
  warning: z.string().optional(),
});

const ANY_TOKEN =
  'This proposal fixes no voting token: anyone can mint a token and vote with it, and off-chain votes are only the word of who cast them. Read the breakdown, not the sum.';

/** The tally of a proposal from its records. */
export const tallyFrom = async (store: StoreReader, proposal: ProposalRecord): Promise<Tally> => {
  const records = await voteLocksOf(store, proposal.id);
  const locks = records.map(({ lock }) => lock).filter((lock) => lock !== null);
  return tallyOf(proposal, locks, await saidVotesOf(store, proposal.id, records));
};

/** For the schema, see {@link ProposalReply}. `now` is chain now. */
export const showProposal = async (
  proposal: ProposalRecord,
  store: StoreReader,
  now: number,
): Promise<z.output<typeof ProposalReply>> => {
  const { decimals, quorum, token_category: tokenCategory } = proposal;
  const { sums, parts } = await tallyFrom(store, proposal);
  return {
    id: proposal.id,
    vaultId: proposal.on_chain_vault_id,
    creator: proposal.creator,
    title: proposal.title,
    description: proposal.description,
    status: statusOf(proposal, sums, now),
    ...showSums(sums, decimals),
    quorum: number(quorum),
    quorumOnChain: decimals === null ? null : unitsOfWeight(quorum, decimals).toString(),
    votingEndsAt: endText(proposal),
    tokenCategory,
    breakdown: parts.map(showPart),
    createdAt: proposal.created_at,
    ...(tokenCategory === null ? { warning: ANY_TOKEN } : {}),
  };
};

/** A vote. Source: design, api.md (Governance). */
export const VoteReply = z.object({
  id: z.string(),
  proposalId: z.string(),
  voter: z.string(),
  vote: z.string(),
  weight: amount,
  weightExact: z.string().describe('Display units, exact'),
  weightOnChain: onChain,
  method: z.enum(['locked', 'off-chain']),
  status: z.string().describe('LOCKED, UNLOCKED or SAID'),
  tokenCategory: z.string().nullable(),
  contractAddress: z.string().nullable(),
  constructorParams: z.array(z.string()),
  nftCommitment: z.string().nullable(),
  ballotCategory: z.string().nullable(),
  voteId: z.string().nullable(),
  lockTxHash: z.string().nullable(),
  unlockTxHash: z.string().nullable(),
  confirmations: z.number().describe('Of the lock; 0 in the mempool and off-chain'),
  createdAt: z.number().describe('Unix seconds'),
});

/** A locked vote, or null when the chain has none. `tipHeight` is that of the chain. */
export const showLockedVote = (
  record: VoteLockRecord,
  tipHeight: number,
): z.output<typeof VoteReply> | null => {
  const { lock } = record;
  if (lock === null) return null;
  return {
    id: record.id,
    proposalId: record.proposal_id,
    voter: record.voter,
    vote: lock.choice,
    weight: displayNumber(lock.stake, lock.decimals),
    weightExact: formatUnits(lock.stake, lock.decimals),
    weightOnChain: lock.stake.toString(),
    method: 'locked',
    status: record.status,
    tokenCategory: lock.token_category,
    contractAddress: record.contract_address,
    constructorParams: record.constructor_params,
    nftCommitment: lock.commitment,
    ballotCategory: lock.ballot_category,
    voteId: record.vote_id,
    lockTxHash: record.tx_hash,
    unlockTxHash: record.unlock_tx_hash,
    confirmations: lock.height === null ? 0 : tipHeight - lock.height + 1,
    createdAt: lock.locked_at,
  };
};

/** An off-chain vote. */
export const showSaidVote = (vote: SaidVoteRecord): z.output<typeof VoteReply> => ({
  id: vote.id,
  proposalId: vote.proposal_id,
  voter: vote.voter,
  vote: vote.choice,
  weight: number(vote.weight),
  weightExact: weightText(vote.weight),
  weightOnChain: null,
  method: 'off-chain',
  status: 'SAID',
  tokenCategory: null,
  contractAddress: null,
  constructorParams: [],
  nftCommitment: null,
  ballotCategory: null,
  voteId: null,
  lockTxHash: null,
  unlockTxHash: null,
  confirmations: 0,
  createdAt: vote.created_at,
});

/** Every vote of a proposal: locked ones first, then those that were only said, oldest first. */
export const showVotes = async (
  store: StoreReader,
  proposalId: string,
  tipHeight: number,
): Promise<z.output<typeof VoteReply>[]> => {
  const locks = await voteLocksOf(store, proposalId);
  const locked = locks.map((record) => showLockedVote(record, tipHeight)).filter((vote) => vote !== null);
  return [...locked, ...(await saidVotesOf(store, proposalId, locks)).map(showSaidVote)];
};
