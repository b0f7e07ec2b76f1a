/** The records of governance: proposals, votes that lock tokens, and votes that are only said. */
import { z } from 'zod';
import { Hex, Hex32, Units } from '../../bch/fields.js';
import { ArtifactFingerprint } from '../../covenant/artifact.js';
import type { Topic } from '../../record/tell-move.js';
import { OwnWordsFields } from '../../record/own-words.js';
import { defineCollection } from '../../operation/ports/store.js';
import { labelIndexes, LocalLabel } from '../../record/local-label.js';
import { LIVE } from '../../record/pool-record.js';

/** The values of a ballot's `choice` byte, by their index. Source: contracts/governance/vote-lock.cash. */
export const CHOICES = ['AGAINST', 'FOR', 'ABSTAIN'] as const;
export type Choice = (typeof CHOICES)[number];

/** ACTIVE until the end; then by quorum and majority. Never stored: worked out when read. */
export const PROPOSAL_STATUSES = ['ACTIVE', 'PASSED', 'REJECTED', 'EXPIRED'] as const;
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

/** PENDING: handed out, and not seen on chain (or taken back by it). */
export const LOCK_STATUSES = ['PENDING', 'LOCKED', 'UNLOCKED'] as const;
export type LockStatus = (typeof LOCK_STATUSES)[number];

/** Times in unix seconds; weights as {@link WEIGHT_DECIMALS} of `rules.ts` says. */
export const ProposalRecord = z.object({
  id: z.string(),
  label: LocalLabel,
  /** The vault's own id. */
  vault_id: z.string(),
  /** The vault's 32 bytes: `vaultId` on the wire. */
  on_chain_vault_id: Hex32,
  creator: z.string(),
  title: z.string(),
  description: z.string(),
  quorum: Units,
  /** Null: locks of any token count. */
  token_category: Hex32.nullable(),
  /** Decimals of the voting token, pinned at creation; null when none is fixed. */
  decimals: z.int().min(0).max(18).nullable(),
  voting_ends_at: z.int(),
  created_at: z.int(),
  ...OwnWordsFields,
});
export type ProposalRecord = z.output<typeof ProposalRecord>;

/** What the event log says of a proposal, and of the votes on it. */
export const proposalTopic = ({ id, label, creator, token_category }: ProposalRecord): Topic => ({
  subject: { kind: 'proposal', label: label ?? id, id },
  parties: [creator],
  category: token_category,
});

/** `VOTE` of `#VOTE-0001`. */
export const PROPOSAL_LABEL = 'VOTE';

export const proposalCollection = defineCollection({
  name: 'proposals',
  schema: ProposalRecord,
  indexes: { ...labelIndexes, vault: (proposal) => proposal.vault_id },
});

/** A vote as the chain has it. */
export const CountedLock = z.object({
  choice: z.enum(CHOICES),
  token_category: Hex32,
  /** Pinned when it was first seen. */
  decimals: z.int().min(0).max(18),
  /** Smallest unit. */
  stake: Units,
  stake_vout: z.int(),
  ballot_category: Hex32,
  ballot_vout: z.int(),
  /** The ballot's commitment. */
  commitment: Hex,
  /** Height of its block; null while in the mempool. */
  height: z.int().nullable(),
  /** Unix seconds: when it was first seen, or its block's time. */
  locked_at: z.int(),
});
export type CountedLock = z.output<typeof CountedLock>;

/** One voter of one proposal, as the indexes have it. */
export const voterKey = (proposalId: string, voter: string): string => `${proposalId}|${voter}`;

/** One voter's vote lock on one proposal: its address, and what the chain has there. */
export const VoteLockRecord = z.object({
  id: z.string(),
  proposal_id: z.string(),
  voter: z.string(),
  vote_id: Hex32,
  /** The proposal's end, which the address binds. */
  unlock_time: z.int(),
  contract_address: z.string(),
  constructor_params: z.array(z.string()),
  /** The version of the contract that lies at the address. */
  artifact_fingerprint: ArtifactFingerprint,
  created_at: z.int(),

  /** From here on: the fold of the chain. */
  status: z.enum(LOCK_STATUSES),
  /** The transaction that locked. */
  tx_hash: Hex32.nullable(),
  lock: CountedLock.nullable(),
  /** The transaction that unlocked. */
  unlock_tx_hash: Hex32.nullable(),
  unlock_height: z.int().nullable(),
});
export type VoteLockRecord = z.output<typeof VoteLockRecord>;

/** What the chain determines of a vote lock, while it has nothing of it. */
export const UNFUNDED = {
  status: 'PENDING',
  tx_hash: null,
  lock: null,
  unlock_tx_hash: null,
  unlock_height: null,
} as const satisfies Partial<VoteLockRecord>;

export const voteLockCollection = defineCollection({
  name: 'vote_locks',
  schema: VoteLockRecord,
  indexes: {
    proposal: (lock) => lock.proposal_id,
    voter: (lock) => voterKey(lock.proposal_id, lock.voter),
    contract: (lock) => lock.contract_address,
    live: ({ status }) => (status === 'UNLOCKED' ? null : LIVE),
    status: (lock) => lock.status,
  },
  unique: ['voter'],
});

/** An off-chain vote: the caller's word. */
export const SaidVoteRecord = z.object({
  id: z.string(),
  proposal_id: z.string(),
  voter: z.string(),
  choice: z.enum(CHOICES),
  weight: Units,
  created_at: z.int(),
});
export type SaidVoteRecord = z.output<typeof SaidVoteRecord>;

export const saidVoteCollection = defineCollection({
  name: 'said_votes',
  schema: SaidVoteRecord,
  indexes: {
    proposal: (vote) => vote.proposal_id,
    voter: (vote) => voterKey(vote.proposal_id, vote.voter),
  },
  unique: ['voter'],
});
