/** The record of a stream, its statuses and its moves. */
import { z } from 'zod';
import { OwnWordsFields } from '../../record/own-words.js';
import { Hex, Hex32, TokenType, Units } from '../../bch/fields.js';
import { ArtifactFingerprint } from '../../covenant/artifact.js';
import { ThreadPointer } from '../../covenant/thread.js';
import { defineCollection } from '../../operation/ports/store.js';
import type { MoveRule } from '../../record/move-checks.js';
import { poolIndexes } from '../../record/pool-record.js';
import { searchedByMany, searchIndexes } from './search-keys.js';

export const STREAM_TYPES = ['LINEAR', 'RECURRING', 'STEP', 'TRANCHE', 'HYBRID'] as const;
export type StreamType = (typeof STREAM_TYPES)[number];

export const STREAM_STATUSES = ['PENDING', 'ACTIVE', 'PAUSED', 'CANCELLED', 'COMPLETED'] as const;
export type StreamStatus = (typeof STREAM_STATUSES)[number];

/** Who makes a move, and from which statuses. CANCELLED and COMPLETED are the ends. */
export const STREAM_MOVES = {
  fund: { by: 'sender', from: ['PENDING'] },
  claim: { by: 'recipient', from: ['ACTIVE', 'PAUSED'] },
  push: { by: 'anybody', from: ['ACTIVE'] },
  transfer: { by: 'recipient', from: ['ACTIVE', 'PAUSED'] },
  pause: { by: 'sender', from: ['ACTIVE'], onlyCancelable: true },
  resume: { by: 'sender', from: ['PAUSED'] },
  refill: { by: 'sender', from: ['ACTIVE', 'PAUSED'] },
  cancel: { by: 'sender', from: ['ACTIVE', 'PAUSED'], onlyCancelable: true },
} as const satisfies Record<string, MoveRule & { readonly from: readonly StreamStatus[] }>;

/** Where a stream or a batch was launched from. Source: docs/design/api.md. */
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

const seconds = z.int().describe('Unix seconds');

/** The terms that shape a schedule. */
const Shape = z.object({
  total_amount: Units,
  stream_type: z.enum(STREAM_TYPES),
  start_time: seconds.describe('Unix seconds, as agreed; shift_seconds tells how much later it is now'),
  end_time: seconds.nullable().describe('Unix seconds, as agreed; null: open-ended'),
  cliff_timestamp: seconds.nullable(),
  interval_seconds: z.int().nullable(),
  hybrid_unlock_time: seconds.nullable(),
  /** Exact decimal text, above 0 and below 100. */
  hybrid_upfront_percentage: z.string().nullable(),
  tranche_schedule: z.array(Tranche).nullable(),
});
export type Shape = z.output<typeof Shape>;

/** The terms that a request asks for; the rest of a record is who, where and what became of it. */
const StreamTerms = Shape.extend({
  /** Null where it is not the same for each interval. */
  amount_per_interval: Units.nullable(),
  schedule_template: z.string().nullable(),
  refillable: z.boolean(),
  cancelable: z.boolean(),
  transferable: z.boolean(),
  /** The least that a push pays, the last push apart; 0: nobody can push it. */
  push_minimum: Units.default(0n).describe('The least that a push pays, display units; 0: no push'),
  /** The segments as the covenant's parameter has them; empty for RECURRING. */
  schedule: Hex,
});
export type StreamTerms = z.output<typeof StreamTerms>;

/** Amounts are in the smallest unit; times in unix seconds; addresses in their `q`/`p` form. */
export const StreamRecord = z.object({
  id: z.string(),
  /** `#STREAM-0001`. */
  stream_id: z.string().describe('Label'),
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
  ...StreamTerms.shape,
  launch_context: LaunchContext.nullable(),
  description: z.string(),
  contract_address: z.string(),
  constructor_params: z.array(z.string()),
  /** The version of the contract that lies at the address. */
  artifact_fingerprint: ArtifactFingerprint,
  /** The authority key that this deployment knows, 33 bytes as hex. */
  authority_pubkey: Hex,

  /** From here on: the fold of the chain. */
  status: z.enum(STREAM_STATUSES),
  recipient: z.string(),
  /** By claims, and by what a cancellation owed. */
  withdrawn_amount: Units.describe('Display units; paid to recipients so far'),
  returned_amount: Units.describe('Display units; paid back to the sender by a cancellation'),
  /** Put in by refills, beyond the first funding. */
  refilled_amount: Units,
  /** Every date of the schedule is later by this. */
  shift_seconds: z.int().describe('How long finished pauses have moved the schedule, seconds'),
  paused_at: seconds.nullable(),
  /** The funding transaction. */
  tx_hash: Hex32.nullable(),
  /** The transaction of the last move. */
  last_tx_hash: Hex32.nullable(),
  thread: ThreadPointer.nullable(),

  created_at: seconds,
  updated_at: seconds,
  ...OwnWordsFields,
});
export type StreamRecord = z.output<typeof StreamRecord>;

/** What no move has changed yet. */
export const UNMOVED = {
  withdrawn_amount: 0n,
  returned_amount: 0n,
  refilled_amount: 0n,
  shift_seconds: 0,
  paused_at: null,
} as const;

export const streamCollection = defineCollection({
  name: 'streams',
  schema: StreamRecord,
  indexes: {
    ...searchIndexes<StreamRecord>(({ recipient, launch_context, status }) => ({
      recipients: [recipient],
      contextSource: launch_context?.source,
      facet: status,
    })),
    label: (stream) => stream.stream_id,
    ...poolIndexes,
    contract: (stream) => stream.contract_address,
    /** Members of a batch, all and by status. */
    batch: ({ batch_id, status }) => (batch_id === null ? null : [batch_id, `${batch_id}|${status}`]),
    /** Those under way that live on refills, by who refills them. */
    refilled: ({ refillable, status, sender }) => (refillable && status === 'ACTIVE' ? sender : null),
  },
  unique: ['label'],
  many: [...searchedByMany, 'batch'],
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
  stream_id: z.string().describe("The stream's id"),
  recipient: z.string(),
  to_address: z.string().describe('Where the recipient sent it'),
  amount: Units,
  decimals: z.int(),
  tx_hash: Hex32,
  claimed_at: seconds,
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
  created_at: seconds,
});
export type BatchRecord = z.output<typeof BatchRecord>;

export const batchCollection = defineCollection({
  name: 'stream_batches',
  schema: BatchRecord,
  indexes: searchIndexes<BatchRecord>(({ recipients, launch_context }) => ({
    recipients,
    contextSource: launch_context?.source,
    facet: 'batch',
  })),
  many: searchedByMany,
});
