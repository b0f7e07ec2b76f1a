/** Streams, claims and batches as answers show them. */
import { z } from 'zod';
import { displayNumber, showAmounts } from '../../bch/amount.js';
import { Units } from '../../bch/fields.js';
import { LatestEventReply, showLatest } from '../../offer/read-record.js';
import type { StoreReader, StoreWriter } from '../../operation/ports/store.js';
import { DamagedReply } from '../../record/damaged.js';
import { lastEvent, type EventRecord } from '../../record/events.js';
import { defineShown, lastMade } from '../../record/shown-record.js';
import { figuresOf } from './kinds.js';
import { pushableOf } from './pushing.js';
import { fundedTotal, progressOf } from './rules.js';
import { BatchRecord, ClaimRecord, streamCollection, StreamRecord } from './stream.js';

const seconds = z.number().describe('Unix seconds');

const shownTranche = z.object({
  unlockTime: seconds,
  amount: z.number().describe('Display units'),
  amountOnChain: z.string().describe('Smallest unit'),
});

const shownStream = defineShown(StreamRecord, {
  hidden: [
    'is_private',
    'first_recipient',
    'artifact_fingerprint',
    'schedule',
    'refilled_amount',
    'last_tx_hash',
  ],
  computed: {
    total_amount: Units.describe('Display units; refills included'),
    vested_amount: Units,
    claimable_amount: Units,
    pushable_amount: Units.describe('What a push would pay now, display units; 0: nothing'),
    progress_percentage: z.number().describe('Share that has vested, two decimals, rounded down'),
    next_unlock: seconds.nullable().describe('When more will have vested; null: nothing more, or PAUSED'),
    hybrid_upfront_percentage: z.number().nullable(),
    tranche_schedule: z.array(shownTranche).nullable(),
    damaged: DamagedReply,
    latest_event: LatestEventReply,
  },
});

/** A stream. Source: docs/design/api.md. */
export const StreamReply = shownStream.reply;
export type ShownStream = z.output<typeof StreamReply>;

/** Whatever a stream's reply is made of is an argument, or it would be kept when it has changed. */
export const showAt = lastMade(
  (stream: StreamRecord, now: number, latest: EventRecord | null): ShownStream => {
    const { vested, claimable, nextUnlock } = figuresOf(stream, now);
    const { hybrid_upfront_percentage: upfront, tranche_schedule: tranches, decimals } = stream;
    return shownStream.show(stream, {
      total_amount: fundedTotal(stream),
      vested_amount: vested,
      claimable_amount: claimable,
      pushable_amount: pushableOf(stream, now),
      progress_percentage: progressOf(stream, vested),
      next_unlock: nextUnlock,
      hybrid_upfront_percentage: upfront === null ? null : Number(upfront),
      tranche_schedule:
        tranches?.map(({ unlock_time: unlockTime, amount }) => ({
          unlockTime,
          ...showAmounts({ amount }, decimals),
        })) ?? null,
      latest_event: showLatest(latest),
    });
  },
);

/** A stream as it stands at `now`. For the schema, see {@link StreamReply}. */
export const showStream = async (
  stream: StreamRecord,
  store: StoreReader,
  now: number,
): Promise<Readonly<ShownStream>> => showAt(stream, now, await lastEvent(store, stream.id));

/** {@link showStream} of several, in their order. */
export const showStreams = (streams: readonly StreamRecord[], store: StoreReader, now: number) =>
  Promise.all(streams.map((stream) => showStream(stream, store, now)));

/** Streams that are shown in one turn of the program. */
const SHOWN_TO_A_TURN = 25;

/** {@link showStreams} of the hundreds that a change has made, which rests between. */
export const showMade = async (
  streams: readonly StreamRecord[],
  writer: StoreReader & Pick<StoreWriter, 'rest'>,
  now: number,
): Promise<Readonly<ShownStream>[]> => {
  const shown: Readonly<ShownStream>[] = [];
  for (const [index, stream] of streams.entries()) {
    if (index > 0 && index % SHOWN_TO_A_TURN === 0) await writer.rest();
    shown.push(await showStream(stream, writer, now));
  }
  return shown;
};

const shownClaim = defineShown(ClaimRecord, {
  hidden: ['decimals'],
  computed: { claimedAmount: z.number().describe('Display units'), txHash: z.string() },
});

/** A claim: whatever was paid to a recipient. Source: docs/design/api.md. */
export const ClaimReply = shownClaim.reply;

/** For the schema, see {@link ClaimReply}. */
export const showClaim = (claim: ClaimRecord): Readonly<z.output<typeof ClaimReply>> => claimShown(claim);

const claimShown = lastMade((claim: ClaimRecord): z.output<typeof ClaimReply> =>
  shownClaim.show(claim, {
    claimedAmount: displayNumber(claim.amount, claim.decimals),
    txHash: claim.tx_hash,
  }),
);

const shownBatch = defineShown(BatchRecord, {
  hidden: ['is_private', 'recipients'],
  computed: {
    count: z.number(),
    status: z.string().describe('PENDING, or ACTIVE once it is funded'),
    batchId: z.string(),
    streamIds: z.array(z.string()),
    active: z.number().describe('Streams that are ACTIVE or PAUSED'),
    completed: z.number(),
    cancelled: z.number(),
    tx_hash: z.string().nullable(),
  },
});

/** A batch run. Source: docs/design/api.md. */
export const BatchReply = shownBatch.reply;
export type ShownBatch = z.output<typeof BatchReply>;

/** For the schema, see {@link BatchReply}. What became of a batch is read from its streams. */
export const showBatch = async (batch: BatchRecord, store: StoreReader): Promise<ShownBatch> => {
  const { id: batchId, stream_ids: streamIds } = batch;
  const count = async (status: string) =>
    (await store.find(streamCollection, { where: { batch: `${batchId}|${status}` }, limit: 0 })).total;
  const first = await store.get(streamCollection, streamIds[0] ?? '');
  return shownBatch.show(batch, {
    count: streamIds.length,
    status: first === null || first.status === 'PENDING' ? 'PENDING' : 'ACTIVE',
    batchId,
    streamIds,
    active: (await count('ACTIVE')) + (await count('PAUSED')),
    completed: await count('COMPLETED'),
    cancelled: await count('CANCELLED'),
    tx_hash: first?.tx_hash ?? null,
  });
};
