/** What a recipient can claim across all streams: for people, and for schedules that claim. */
import { z } from 'zod';
import { AddressField } from '../../../bch/fields.js';
import { spendOf } from '../../../offer/gather-spend.js';
import {
  FeesField,
  LeftOutField,
  MinimumField,
  showFees,
  sortByWorth,
  viewLeftOut,
} from '../../../offer/worth-claiming.js';
import { chainNow } from '../../../operation/chain-now.js';
import type { Context } from '../../../operation/context.js';
import { defineOperation, FOLLOW_ERRORS } from '../../../operation/define.js';
import { figuresOf, kindOf } from '../kinds.js';
import { streams } from '../product.js';
import { showStreams, StreamReply } from '../reply.js';
import { searchConditions } from '../search-keys.js';
import { STREAM_MOVES, streamCollection, type StreamRecord } from '../stream.js';
import { tableOfStreams } from '../view.js';

/** What taking all that is claimable of a stream would cost its recipient. */
const candidateOf = (stream: StreamRecord, now: number, context: Context) => {
  const recipient = streams.party(stream, 'recipient');
  const units = figuresOf(stream, now).claimable;
  return {
    item: stream,
    label: stream.stream_id,
    worth: { units, category: stream.token_category, decimals: stream.decimals },
    build: async () => {
      const spend = await spendOf(streams, { record: stream, payer: recipient }, context);
      return kindOf(stream).buildClaim(spend, { amount: units, to: recipient });
    },
  };
};

export const claimable = defineOperation({
  id: 'streams.claimable',
  summary: 'List the streams of which you can claim something now, oldest first',
  description:
    'Every ACTIVE or PAUSED stream of the recipient is looked up on chain first. What is worth less than the least is left out, and counted.',
  cli: { example: 'streams claimable --jsonl', readsOnly: true },
  auth: 'address',
  input: z.object({ recipient: AddressField.optional().describe('Default you'), min: MinimumField }),
  output: z.object({
    streams: z.array(StreamReply),
    total: z.number(),
    fees: FeesField,
    leftOut: LeftOutField,
    chainTime: z.number().describe('Chain now, unix seconds'),
  }),
  errors: ['invalid_amount', ...FOLLOW_ERRORS],
  run: async ({ recipient: asked, min }, context) => {
    const { store, caller } = context;
    const recipient = (asked ?? caller).text;
    const pages = await Promise.all(
      STREAM_MOVES.claim.from.map((status) =>
        store.find(streamCollection, { where: searchConditions({ recipient }, status), order: 'oldest' }),
      ),
    );
    const listed = pages.flatMap(({ items }) => items).sort((a, b) => a.created_at - b.created_at);
    const now = await chainNow(context);
    const candidates: ReturnType<typeof candidateOf>[] = [];
    for (const { id } of listed) {
      const stream = await streams.follow(id, context);
      // A transfer that was just seen makes it somebody else's.
      if (stream.recipient !== recipient || figuresOf(stream, now).claimable === 0n) continue;
      candidates.push(candidateOf(stream, now, context));
    }
    const sorted = await sortByWorth(candidates, min);
    const { worth, leftOut } = sorted;
    return {
      streams: await showStreams(
        worth.map(({ item }) => item),
        store,
        now,
      ),
      total: worth.length,
      fees: showFees(sorted),
      leftOut,
      chainTime: now,
    };
  },
  view: ({ streams: found, leftOut }) => [
    tableOfStreams(found, 'There is nothing to claim now.'),
    ...viewLeftOut(leftOut),
  ],
});
