/** Streams by sender, recipient, status, vault and where they were launched from. */
import { z } from 'zod';
import { defineOperation } from '../../../operation/define.js';
import { pageOf, PageReply, ShortPageFields } from '../../../operation/paging.js';
import { listNow, StaleReply } from '../../../operation/stale.js';
import { markDamaged } from '../../../record/damaged.js';
import { ListFields } from '../fields.js';
import { searchQuery } from '../lists.js';
import { streams } from '../product.js';
import { showStream, StreamReply } from '../reply.js';
import { STREAM_STATUSES, streamCollection } from '../stream.js';
import { more, tableOfStreams } from '../view.js';

export const list = defineOperation({
  id: 'streams.list',
  summary: 'List streams, newest first',
  description: 'Streams of a private vault are shown to its members and to their parties only.',
  http: { method: 'GET', path: '/api/streams' },
  auth: 'optional',
  input: z.object({
    ...ListFields,
    status: z.enum(STREAM_STATUSES).optional(),
    ...ShortPageFields,
  }),
  output: z.object({ streams: z.array(StreamReply), ...PageReply, ...StaleReply }),
  errors: ['vault_not_found'],
  run: async ({ page, limit, status, ...request }, context) => {
    const { store } = context;
    const query = await searchQuery(streams, { ...request, facet: status }, context);
    const { now, stale } = await listNow(context);
    const { items, ...figures } = await pageOf(store, streamCollection, query, { page, limit });
    const { contract } = streams.following(context);
    return {
      streams: await Promise.all(
        items.map(async (stream) => markDamaged(await showStream(stream, store, now), stream, contract)),
      ),
      ...figures,
      ...stale,
    };
  },
  view: (reply) => [tableOfStreams(reply.streams), ...more(reply.streams.length, reply)],
});
