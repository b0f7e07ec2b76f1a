/** Streams, claims and batches as answers show them. */
import { z } from 'zod';
import { displayNumber } from '../../bch/amount.js';
import { ThreadPointer } from '../../covenant/thread.js';
import { DamagedReply } from '../../record/damaged.js';
import { eventsOf } from '../../record/events.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { figuresOf } from './kinds.js';
import { fundedTotal, progressOf } from './rules.js';
import {
  LaunchContext,
  streamCollection,
  type BatchRecord,
  type ClaimRecord,
  type StreamRecord,
} from './stream.js';

const amount = z.number().describe('Display units');
const amountOnChain = z.string().describe('Smallest unit');
const seconds = z.number().describe('Unix seconds');

/** A stream. Source: design, api.md (Streams). */
export const StreamReply = z.object({
  id: z.string(),
  stream_id: z.string().describe('Label'),
  on_chain_stream_id: z.string(),
  vault_id: z.string().nullable(),
  batch_id: z.string().nullable(),
  sender: z.string(),
  recipient: z.string(),
  token_type: z.string(),
  token_category: z.string().nullable(),
  decimals: z.number(),
  total_amount: amount.describe('Display units; refills included'),
  total_amountOnChain: amountOnChain,
  withdrawn_amount: amount.describe('Display units; paid to recipients so far'),
  withdrawn_amountOnChain: amountOnChain,
  vested_amount: amount,
  vested_amountOnChain: amountOnChain,
  claimable_amount: amount,
  claimable_amountOnChain: amountOnChain,
  returned_amount: amount.describe('Display units; paid back to the sender by a cancellation'),
  returned_amountOnChain: amountOnChain,
  progress_percentage: z.number().describe('Share that has vested, two decimals, rounded down'),
  next_unlock: seconds.nullable().describe('When more will have vested; null: nothing more, or PAUSED'),
  stream_type: z.string(),
  start_time: seconds.describe('Unix seconds, as agreed; shift_seconds tells how much later it is now'),
  end_time: seconds.nullable().describe('Unix seconds, as agreed; null: open-ended'),
  shift_seconds: z.number().describe('How long finished pauses have moved the schedule, seconds'),
  paused_at: seconds.nullable(),
  cliff_timestamp: seconds.nullable(),
  interval_seconds: z.number().nullable(),
  amount_per_interval: amount.nullable(),
  amount_per_intervalOnChain: amountOnChain.nullable(),
  hybrid_unlock_time: seconds.nullable(),
  hybrid_upfront_percentage: z.number().nullable(),
  tranche_schedule: z.array(z.object({ unlockTime: seconds, amount, amountOnChain })).nullable(),
  schedule_template: z.string().nullable(),
  refillable: z.boolean(),
  cancelable: z.boolean(),
  transferable: z.boolean(),
  launch_context: LaunchContext.nullable(),
  description: z.string(),
  status: z.string(),
  damaged: DamagedReply,
  contract_address: z.string(),
  constructor_params: z.array(z.string()),
  authority_pubkey: z.string(),
  tx_hash: z.string().nullable(),
  thread: ThreadPointer.nullable(),
  created_at: seconds,
  updated_at: seconds,
  latest_event: z.object({ event_type: z.string(), actor: z.string(), amount }).nullable(),
});
export type ShownStream = z.output<typeof StreamReply>;

/** An amount under a name, and the exact figure beside it. */
const both = <Name extends string>(name: Name, units: bigint, decimals: number) =>
  ({ [name]: displayNumber(units, decimals), [`${name}OnChain`]: units.toString() }) as Record<Name, number> &
    Record<`${Name}OnChain`, string>;

const shownLatest = async (store: StoreReader, id: string): Promise<ShownStream['latest_event']> => {
  const [latest] = await eventsOf(store, id, 1);
  if (latest === undefined) return null;
  const { event_type, actor, amount: units, decimals } = latest;
  return { event_type, actor, amount: displayNumber(units, decimals) };
};

/** A stream as it stands at `now`. For the schema, see {@link StreamReply}. */
export const showStream = async (
  stream: StreamRecord,
  store: StoreReader,
  now: number,
): Promise<ShownStream> => {
  const { decimals, amount_per_interval: perInterval } = stream;
  const { vested, claimable, nextUnlock } = figuresOf(stream, now);
  return {
    ...stream,
    ...both('total_amount', fundedTotal(stream), decimals),
    ...both('withdrawn_amount', stream.withdrawn_amount, decimals),
    ...both('vested_amount', vested, decimals),
    ...both('claimable_amount', claimable, decimals),
    ...both('returned_amount', stream.returned_amount, decimals),
    progress_percentage: progressOf(stream, vested),
    next_unlock: nextUnlock,
    amount_per_interval: perInterval === null ? null : displayNumber(perInterval, decimals),
    amount_per_intervalOnChain: perInterval === null ? null : perInterval.toString(),
    hybrid_upfront_percentage:
      stream.hybrid_upfront_percentage === null ? null : Number(stream.hybrid_upfront_percentage),
    tranche_schedule:
      stream.tranche_schedule?.map((tranche) => ({
        unlockTime: tranche.unlock_time,
        ...both('amount', tranche.amount, decimals),
      })) ?? null,
    latest_event: await shownLatest(store, stream.id),
  };
};

/** A claim: whatever was paid to a recipient. Source: design, api.md (Streams). */
export const ClaimReply = z.object({
  id: z.string(),
  stream_id: z.string().describe("The stream's id"),
  recipient: z.string(),
  to_address: z.string().describe('Where the recipient sent it'),
  amount,
  amountOnChain,
  claimed_at: seconds,
  tx_hash: z.string(),
  claimedAmount: amount,
  txHash: z.string(),
});

/** For the schema, see {@link ClaimReply}. */
export const showClaim = (claim: ClaimRecord): z.output<typeof ClaimReply> => ({
  ...claim,
  ...both('amount', claim.amount, claim.decimals),
  claimedAmount: displayNumber(claim.amount, claim.decimals),
  txHash: claim.tx_hash,
});

/** A batch run. Source: design, api.md (Batches). */
export const BatchReply = z.object({
  id: z.string(),
  vault_id: z.string(),
  sender: z.string(),
  token_type: z.string(),
  token_category: z.string().nullable(),
  decimals: z.number(),
  total_amount: amount,
  total_amountOnChain: amountOnChain,
  count: z.number(),
  status: z.string().describe('PENDING, or ACTIVE once it is funded'),
  stream_ids: z.array(z.string()),
  batchId: z.string(),
  streamIds: z.array(z.string()),
  active: z.number().describe('Streams that are ACTIVE or PAUSED'),
  completed: z.number(),
  cancelled: z.number(),
  tx_hash: z.string().nullable(),
  launch_context: LaunchContext.nullable(),
  created_at: seconds,
});
export type ShownBatch = z.output<typeof BatchReply>;

/** For the schema, see {@link BatchReply}. What became of a batch is read from its streams. */
export const showBatch = async (batch: BatchRecord, store: StoreReader): Promise<ShownBatch> => {
  const count = async (status: string) =>
    (await store.find(streamCollection, { where: { batch: `${batch.id}|${status}` }, limit: 0 })).total;
  const first = await store.get(streamCollection, batch.stream_ids[0] ?? '');
  return {
    ...batch,
    ...both('total_amount', batch.total_amount, batch.decimals),
    batchId: batch.id,
    streamIds: batch.stream_ids,
    count: batch.stream_ids.length,
    status: first === null || first.status === 'PENDING' ? 'PENDING' : 'ACTIVE',
    active: (await count('ACTIVE')) + (await count('PAUSED')),
    completed: await count('COMPLETED'),
    cancelled: await count('CANCELLED'),
    tx_hash: first?.tx_hash ?? null,
  };
};
