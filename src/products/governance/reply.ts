/** Proposals, votes and tallies as answers show them. */
import { z } from 'zod';
import { displayNumber, formatUnits } from '../../bch/amount.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { LocalLabel } from '../../record/local-label.js';
import { OwnWordsFields } from '../../record/own-words.js';
import { defineReply } from '../../operation/told-reply.js';
import {
  PROPOSAL_STATUSES,
  type Choice,
  type CountedLock,
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

const shownWeight = (weight: bigint): number => displayNumber(weight, WEIGHT_DECIMALS);
const exactWeight = (weight: bigint, decimals: number | null): string | null =>
  decimals === null ? null : unitsOfWeight(weight, decimals).toString();

/** What was counted, and the decimals of the one token that it was counted in. */
type Counted = { readonly sums: Sums; readonly decimals: number | null };

const sumOf = (choice: Choice) => [amount, ({ sums }: Counted) => shownWeight(sums[choice])] as const;
const exactSumOf = (choice: Choice) =>
  [onChain, ({ sums, decimals }: Counted) => exactWeight(sums[choice], decimals)] as const;

const sumFields = {
  votesFor: sumOf('FOR'),
  votesForOnChain: exactSumOf('FOR'),
  votesAgainst: sumOf('AGAINST'),
  votesAgainstOnChain: exactSumOf('AGAINST'),
  votesAbstain: sumOf('ABSTAIN'),
  votesAbstainOnChain: exactSumOf('ABSTAIN'),
};

/** The three sums, with their exact figures beside them. */
export const sumsReply = defineReply<Counted>()(sumFields);

/** The votes of one token, or those cast off-chain. */
export const partReply = defineReply<TallyPart>()({
  method: [
    z.enum(['locked', 'off-chain']),
    ({ tokenCategory }) => (tokenCategory === null ? 'off-chain' : 'locked'),
  ],
  tokenCategory: [z.string().nullable(), ({ tokenCategory }) => tokenCategory],
  tallied: [z.boolean().describe('False: shown, and not part of the result'), ({ isTallied }) => isTallied],
  voters: [z.number(), ({ voters }) => voters],
  ...sumFields,
});

const ANY_TOKEN =
  'This proposal fixes no voting token: anyone can mint a token and vote with it, and off-chain votes are only the word of who cast them. Read the breakdown, not the sum.';

/** Source: docs/design/api.md. `now` is chain now. */
const proposalReply = defineReply<ProposalRecord & Tally & { readonly now: number }>()({
  id: [z.string(), ({ id }) => id],
  label: [LocalLabel.unwrap(), ({ label }) => label],
  vaultId: [z.string().describe('64 hex digits'), ({ on_chain_vault_id }) => on_chain_vault_id],
  creator: [z.string(), ({ creator }) => creator],
  title: [z.string(), ({ title }) => title],
  description: [z.string(), ({ description }) => description],
  status: [z.enum(PROPOSAL_STATUSES), (proposal) => statusOf(proposal, proposal.sums, proposal.now)],
  ...sumFields,
  quorum: [amount, ({ quorum }) => shownWeight(quorum)],
  quorumOnChain: [onChain, ({ quorum, decimals }) => exactWeight(quorum, decimals)],
  votingEndsAt: [z.string().describe('ISO 8601, in chain time'), endText],
  tokenCategory: [
    z.string().nullable().describe('The voting token; null: locks of any token count'),
    ({ token_category }) => token_category,
  ],
  breakdown: [
    z.array(partReply.reply).describe('The tally by token, and the off-chain votes apart'),
    ({ parts }) => parts.map(partReply.show),
  ],
  createdAt: [z.number().describe('Unix seconds'), ({ created_at }) => created_at],
  own_label: [OwnWordsFields.own_label.unwrap(), ({ own_label }) => own_label],
  own_note: [OwnWordsFields.own_note.unwrap(), ({ own_note }) => own_note],
  warning: [z.string().optional(), ({ token_category }) => (token_category === null ? ANY_TOKEN : undefined)],
});
export const ProposalReply = proposalReply.reply;

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
): Promise<z.output<typeof ProposalReply>> =>
  proposalReply.show({ ...proposal, ...(await tallyFrom(store, proposal)), now });

type Cast = {
  readonly vote: Pick<SaidVoteRecord, 'id' | 'proposal_id' | 'voter' | 'choice' | 'created_at'>;
  readonly weight: bigint;
  readonly decimals: number;
  /** Null: it was only said. */
  readonly locked: (VoteLockRecord & { readonly lock: CountedLock }) | null;
  /** Of the chain. */
  readonly tipHeight: number;
};

/** Source: docs/design/api.md. */
const voteReply = defineReply<Cast>()({
  id: [z.string(), ({ vote }) => vote.id],
  proposalId: [z.string(), ({ vote }) => vote.proposal_id],
  voter: [z.string(), ({ vote }) => vote.voter],
  vote: [z.string(), ({ vote }) => vote.choice],
  weight: [amount, ({ weight, decimals }) => displayNumber(weight, decimals)],
  weightExact: [
    z.string().describe('Display units, exact'),
    ({ weight, decimals }) => formatUnits(weight, decimals),
  ],
  weightOnChain: [onChain, ({ locked }) => locked?.lock.stake.toString() ?? null],
  method: [z.enum(['locked', 'off-chain']), ({ locked }) => (locked === null ? 'off-chain' : 'locked')],
  status: [z.string().describe('LOCKED, UNLOCKED or SAID'), ({ locked }) => locked?.status ?? 'SAID'],
  tokenCategory: [z.string().nullable(), ({ locked }) => locked?.lock.token_category ?? null],
  contractAddress: [z.string().nullable(), ({ locked }) => locked?.contract_address ?? null],
  constructorParams: [z.array(z.string()), ({ locked }) => locked?.constructor_params ?? []],
  nftCommitment: [z.string().nullable(), ({ locked }) => locked?.lock.commitment ?? null],
  ballotCategory: [z.string().nullable(), ({ locked }) => locked?.lock.ballot_category ?? null],
  voteId: [z.string().nullable(), ({ locked }) => locked?.vote_id ?? null],
  lockTxHash: [z.string().nullable(), ({ locked }) => locked?.tx_hash ?? null],
  unlockTxHash: [z.string().nullable(), ({ locked }) => locked?.unlock_tx_hash ?? null],
  confirmations: [
    z.number().describe('Of the lock; 0 in the mempool and off-chain'),
    ({ locked, tipHeight }) => (locked?.lock.height == null ? 0 : tipHeight - locked.lock.height + 1),
  ],
  createdAt: [z.number().describe('Unix seconds'), ({ vote }) => vote.created_at],
});
export const VoteReply = voteReply.reply;

/** A locked vote, or null when the chain has none. `tipHeight` is that of the chain. */
export const showLockedVote = (
  record: VoteLockRecord,
  tipHeight: number,
): z.output<typeof VoteReply> | null => {
  const { lock } = record;
  if (lock === null) return null;
  const { choice, stake: weight, decimals, locked_at: created_at } = lock;
  const vote = { ...record, choice, created_at };
  return voteReply.show({ vote, weight, decimals, locked: { ...record, lock }, tipHeight });
};

/** An off-chain vote. */
export const showSaidVote = (vote: SaidVoteRecord): z.output<typeof VoteReply> =>
  voteReply.show({ vote, weight: vote.weight, decimals: WEIGHT_DECIMALS, locked: null, tipHeight: 0 });

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
