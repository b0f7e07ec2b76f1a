/** What a recipient can claim across all streams: for people, and for schedules that claim. */
import { z } from 'zod';
import { AddressField } from '../../../bch/fields.js';
import { PAYOUT_DUST } from '../../../bch/transaction.js';
import { chainNow } from '../../../operation/chain-now.js';
import { defineOperation, FOLLOW_ERRORS } from '../../../operation/define.js';
import { figuresOf } from '../kinds.js';
import { streams } from '../product.js';
import { showStream, StreamReply } from '../reply.js';
import { searchConditions } from '../search-keys.js';
import { STREAM_MOVES, streamCollection, type StreamRecord } from '../stream.js';
import { tableOfStreams } from '../view.js';

/** True when there is something to claim that is worth an output of its own. */
const isWorthClaiming = (stream: StreamRecord, now: number): boolean => {
  const least = stream.token_category === null ? PAYOUT_DUST : 1n;
  return figuresOf(stream, now).claimable >= least;
};

export const claimable = defineOperation({
  id: 'streams.claimable',
  summary: 'List the streams of which you can claim something now, oldest first',
  description: 'Every ACTIVE or PAUSED stream of the recipient is looked up on chain first.',
  cli: { example: 'streams claimable --jsonl' },
  auth: 'address',
  input: z.object({ recipient: AddressField.optional().describe('Default you') }),
  output: z.object({
    streams: z.array(StreamReply),
    total: z.number(),
    chainTime: z.number().describe('Chain now, unix seconds'),
  }),
  errors: FOLLOW_ERRORS,
  run: async ({ recipient: asked }, context) => {
    const { store, caller } = context;
    const recipient = (asked ?? caller).text;
    const pages = await Promise.all(
      STREAM_MOVES.claim.from.map((status) =>
        store.find(streamCollection, { where: searchConditions({ recipient }, status), order: 'oldest' }),
      ),
    );
    const candidates = pages.flatMap(({ items }) => items).sort((a, b) => a.created_at - b.created_at);
    const now = await chainNow(context);
    const found: z.output<typeof StreamReply>[] = [];
    for (const { id } of candidates) {
      const stream = await streams.follow(id, context);
      // A transfer that was just seen makes it somebody else's.
      if (stream.recipient !== recipient || !isWorthClaiming(stream, now)) continue;
      found.push(await showStream(stream, store, now));
    }
    return { streams: found, total: found.length, chainTime: now };
  },
  view: (reply) => [tableOfStreams(reply.streams, 'There is nothing to claim now.')],
});
