/** One stream with its claims and events. */
import { z } from 'zod';
import { displayNumber } from '../../../bch/amount.js';
import { confirmationsOf } from '../../../offer/confirm.js';
import { defineOperation, FOLLOW_ERRORS } from '../../../operation/define.js';
import { unexpectedAt, UnexpectedFundingField } from '../../../offer/unexpected-funding.js';
import { EventReply, eventsOf, SHOWN_EVENTS, showEvent } from '../../../record/events.js';
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
    events: z.array(EventReply).describe('Newest first, the latest 50'),
    unexpectedFunding: UnexpectedFundingField,
  }),
  errors: ['stream_not_found', 'vault_not_found', 'private_vault', ...FOLLOW_ERRORS],
  run: async ({ id }, context) => {
    const { store, caller } = context;
    await streams.checkReader(await streams.find(store, id), caller, store);
    const stream = await streams.follow(id, context);
    const now = await chainNow(context);
    const claims = await store.find(claimCollection, { where: { stream: stream.id }, limit: SHOWN_EVENTS });
    return {
      stream: {
        ...(await showStream(stream, store, now)),
        confirmations: await confirmationsOf(stream.last_tx_hash, context),
      },
      chainTime: now,
      curve: curveOf(stream).map(({ time, amount }) => ({
        time,
        amount: displayNumber(amount, stream.decimals),
        amountOnChain: amount.toString(),
      })),
      claims: claims.items.map(showClaim),
      events: (await eventsOf(store, stream.id)).map(showEvent),
      unexpectedFunding: await unexpectedAt(streams, stream, context),
    };
  },
  view: viewStream,
});
