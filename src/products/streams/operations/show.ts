/** One stream with its claims and events. */
import { z } from 'zod';
import { showAmounts } from '../../../bch/amount.js';
import { defineOperation, FOLLOW_ERRORS } from '../../../operation/define.js';
import { readRecord, ToldFields } from '../../../offer/read-record.js';
import { SHOWN_EVENTS } from '../../../record/events.js';
import { chainNow } from '../../../operation/chain-now.js';
import { curveOf } from '../curve.js';
import { StreamId } from '../fields.js';
import { streams } from '../product.js';
import { ClaimReply, showClaim, showStream, StreamReply } from '../reply.js';
import { claimCollection } from '../stream.js';
import { viewStream } from '../view.js';

export const show = defineOperation({
  id: 'streams.show',
  summary: 'Show a stream with its claims and events',
  http: { method: 'GET', path: '/api/streams/:id' },
  auth: 'optional',
  input: z.object({ id: StreamId }),
  output: z.object({
    stream: StreamReply.extend({ confirmations: z.number() }),
    chainTime: z.number().describe('Unix seconds; what the figures are worked out for'),
    curve: z
      .array(z.object({ time: z.number(), amount: z.number(), amountOnChain: z.string() }))
      .describe('Corners of the schedule as it stands, to be joined by lines; time in unix seconds'),
    claims: z.array(ClaimReply).describe('Newest first, the latest 50'),
    ...ToldFields,
  }),
  errors: ['stream_not_found', 'vault_not_found', 'private_vault', ...FOLLOW_ERRORS],
  run: async ({ id }, context) => {
    const { store } = context;
    const { record: stream, confirmations, told } = await readRecord(streams, id, context);
    const now = await chainNow(context);
    const claims = await store.find(claimCollection, { where: { stream: stream.id }, limit: SHOWN_EVENTS });
    return {
      stream: { ...(await showStream(stream, store, now)), confirmations },
      chainTime: now,
      curve: curveOf(stream).map(({ time, amount }) => ({
        time,
        ...showAmounts({ amount }, stream.decimals),
      })),
      claims: claims.items.map(showClaim),
      ...told,
    };
  },
  view: viewStream,
});
