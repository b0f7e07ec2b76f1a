/** The record of a stream, its statuses and its moves. */
import { z } from 'zod';
import { Hex, Hex32, TokenType, Units } from '../../bch/fields.js';
import { ArtifactFingerprint } from '../../covenant/artifact.js';
import { ThreadPointer } from '../../covenant/thread.js';

export const STREAM_TYPES = ['LINEAR', 'RECURRING', 'STEP', 'TRANCHE', 'HYBRID'] as const;
export type StreamType = (typeof STREAM_TYPES)[number];

export const STREAM_STATUSES = ['PENDING', 'ACTIVE', 'PAUSED', 'CANCELLED', 'COMPLETED'] as const;
export type StreamStatus = (typeof STREAM_STATUSES)[number];

/** From which statuses a move starts. CANCELLED and COMPLETED are the ends. */
export const STREAM_MOVES = {
  fund: ['PENDING'],
  claim: ['ACTIVE', 'PAUSED'],
  transfer: ['ACTIVE', 'PAUSED'],
  pause: ['ACTIVE'],
  resume: ['PAUSED'],
  refill: ['ACTIVE', 'PAUSED'],
  cancel: ['ACTIVE', 'PAUSED'],
} as const satisfies Record<string, readonly StreamStatus[]>;
export type StreamMove = keyof typeof STREAM_MOVES;

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
