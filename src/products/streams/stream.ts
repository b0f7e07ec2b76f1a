/** The record of a stream, its statuses and its moves. */
import { z } from 'zod';
import { Hex, Hex32, TokenType, Units } from '../../bch/fields.js';
import { ArtifactFingerprint } from '../../covenant/artifact.js';
import { ThreadPointer } from '../../covenant/thread.js';
import { defineCollection } from '../../operation/ports/store.js';
import type { MoveRule } from '../../record/covenant-product.js';
import { searchIndexes, type Found } from './search-keys.js';

export const STREAM_TYPES = ['LINEAR', 'RECURRING', 'STEP', 'TRANCHE', 'HYBRID'] as const;
export type StreamType = (typeof STREAM_TYPES)[number];

export const STREAM_STATUSES = ['PENDING', 'ACTIVE', 'PAUSED', 'CANCELLED', 'COMPLETED'] as const;
export type StreamStatus = (typeof STREAM_STATUSES)[number];

/** Who makes a move, and from which statuses. CANCELLED and COMPLETED are the ends. */
export const STREAM_MOVES = {
  fund: { by: 'sender', from: ['PENDING'] },
  claim: { by: 'recipient', from: ['ACTIVE', 'PAUSED'] },
  transfer: { by: 'recipient', from: ['ACTIVE', 'PAUSED'] },
  pause: { by: 'sender', from: ['ACTIVE'], onlyCancelable: true },
  resume: { by: 'sender', from: ['PAUSED'] },
  refill: { by: 'sender', from: ['ACTIVE', 'PAUSED'] },
  cancel: { by: 'sender', from: ['ACTIVE', 'PAUSED'], onlyCancelable: true },
} as const satisfies Record<string, MoveRule & { readonly from: readonly StreamStatus[] }>;

/** Where a stream or a batch was launched from. Source: specification, Saved launch context. */
export const LaunchContext = z.object({
  source: z.string().max(100).optional().describe('For example dao'),
  title: z.string().max(200).optional(),
  description: z.string().max(2_000).optional(),
  preferredLane: z.string().max(100).optional(),
});
export type LaunchContext = z.output<typeof LaunchContext>;

/** One tranche: its amount vests at once at its time. */
export const Tranche = z.object({ unlock_time: z.int(), amount: Units });
export type Tranche = z.output<typeof Tranche>;

/** Amounts are in the smallest unit; times in unix seconds; addresses in their `q`/`p` form. */
export const StreamRecord = z.object({
  id: z.string(),
  /** Label, `#STREAM-0001`. */
  stream_id: z.string(),
  /** The 32 bytes that make this deployment distinct. */
  on_chain_stream_id: Hex32,
  vault_id: z.string().nullable(),
  /** True when its vault is private: lists show it to members and parties only. */
  is_private: z.boolean(),
  /** The batch run that funds it together with others, or null. */
  batch_id: z.string().nullable(),
  sender: z.string(),
  /** Who the funding names; a transfer changes `recipient` only. */
  first_recipient: z.string(),
  token_type: TokenType,
  token_category: Hex32.nullable(),
  /** Pinned at creation. */
  decimals: z.int().min(0).max(18),
  total_amount: Units,
  stream_type: z.enum(STREAM_TYPES),
  start_time: z.int(),
  /** Null: open-ended. */
  end_time: z.int().nullable(),
  cliff_timestamp: z.int().nullable(),
  interval_seconds: z.int().nullable(),
  /** Null where it is not the same for each interval. */
  amount_per_interval: Units.nullable(),
  hybrid_unlock_time: z.int().nullable(),
  /** Exact decimal text, above 0 and below 100. */
  hybrid_upfront_percentage: z.string().nullable(),
  tranche_schedule: z.array(Tranche).nullable(),
  schedule_template: z.string().nullable(),
  refillable: z.boolean(),
  cancelable: z.boolean(),
  transferable: z.boolean(),
  launch_context: LaunchContext.nullable(),
  description: z.string(),
  /** The segments as the covenant's parameter has them; empty for RECURRING. */
  schedule: Hex,
  contract_address: z.string(),
  constructor_params: z.array(z.string()),
  /** The version of the contract that lies at the address. */
  artifact_fingerprint: ArtifactFingerprint,
  /** The authority key that this deployment knows, 33 bytes as hex. */
  authority_pubkey: Hex,

  /** From here on: the fold of the chain. */
  status: z.enum(STREAM_STATUSES),
  recipient: z.string(),
  /** Paid to recipients so far, by claims and by what a cancellation owed. */
  withdrawn_amount: Units,
  /** Paid back to the sender by a cancellation. */
  returned_amount: Units,
  /** Put in by refills, beyond the first funding. */
  refilled_amount: Units,
  /** How long the schedule stood still in finished pauses, seconds: every date of the schedule is later by this. */
  shift_seconds: z.int(),
  paused_at: z.int().nullable(),
  /** The funding transaction. */
  tx_hash: Hex32.nullable(),
  /** The transaction of the last move. */
  last_tx_hash: Hex32.nullable(),
  thread: ThreadPointer.nullable(),

  created_at: z.int(),
  updated_at: z.int(),
});
export type StreamRecord = z.output<typeof StreamRecord>;

/** By what lists find a stream. */
export const foundStream = (stream: StreamRecord): Found => ({
  recipients: [stream.recipient],
  sender: stream.sender,
  vaultId: stream.vault_id,
  contextSource: stream.launch_context?.source ?? null,
  isPrivate: stream.is_private,
  facet: stream.status,
});

export const streamCollection = defineCollection({
  name: 'streams',
  schema: StreamRecord,
  indexes: {
    ...searchIndexes(foundStream),
    label: (stream) => stream.stream_id,
    contract: (stream) => stream.contract_address,
    /** Members of a batch, all and by status. */
    batch: ({ batch_id, status }) => (batch_id === null ? null : [batch_id, `${batch_id}|${status}`]),
  },
  unique: ['label'],
});

/** What the event of whatever paid the recipient tells: a claim, a cancellation, and the pause of RECURRING. */
export const Payout = z.object({
  recipient: z.string(),
  /** Where it was sent; empty when that is no address. */
  to: z.string(),
  /** Smallest unit. */
  paidOnChain: Units,
});

/** What the event of a transfer tells: the recipients before and after it. */
export const Transferred = z.object({ from: z.string(), to: z.string() });

/** One confirmed claim. */
export const ClaimRecord = z.object({
  id: z.string(),
  stream_id: z.string(),
  recipient: z.string(),
  /** Where the recipient sent it. */
  to_address: z.string(),
  amount: Units,
  decimals: z.int(),
  tx_hash: Hex32,
  claimed_at: z.int(),
});
export type ClaimRecord = z.output<typeof ClaimRecord>;

export const claimCollection = defineCollection({
  name: 'stream_claims',
  schema: ClaimRecord,
  indexes: { stream: (claim) => claim.stream_id, recipient: (claim) => claim.recipient },
});

/** Streams that one transaction funds. What became of it is read from its streams. */
export const BatchRecord = z.object({
  id: z.string(),
  vault_id: z.string(),
  is_private: z.boolean(),
  sender: z.string(),
  token_type: TokenType,
  token_category: Hex32.nullable(),
  decimals: z.int(),
  total_amount: Units,
  stream_ids: z.array(z.string()),
  /** The recipients at creation, each once. */
  recipients: z.array(z.string()),
  launch_context: LaunchContext.nullable(),
  created_at: z.int(),
});
export type BatchRecord = z.output<typeof BatchRecord>;

/** By what lists find a batch run. It names every recipient, so of a private vault's it is its sender's to read. */
export const foundBatch = (batch: BatchRecord): Found => ({
  recipients: batch.recipients,
  sender: batch.sender,
  vaultId: batch.vault_id,
  contextSource: batch.launch_context?.source ?? null,
  isPrivate: batch.is_private,
  facet: 'batch',
  parties: [batch.sender],
});

export const batchCollection = defineCollection({
  name: 'stream_batches',
  schema: BatchRecord,
  indexes: searchIndexes(foundBatch),
});
