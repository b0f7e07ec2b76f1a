/** What happened to streams, newest first. */
import { z } from 'zod';
import { showDate } from '../../../bch/show-date.js';
import { column } from '../../../operation/columns.js';
import { defineOperation } from '../../../operation/define.js';
import { eventCollection, EventReply, showEvent } from '../../../record/events.js';
import { PageReply, pageOf, ShortPageFields } from '../../../operation/paging.js';
import type { StoreReader } from '../../../operation/ports/store.js';
import { activityCollection, activityReaders, type ActivityRecord } from '../activity.js';
import { StreamReply } from '../reply.js';
import { ActivityFields } from '../fields.js';
import { searchQuery } from '../lists.js';
import { streamCollection } from '../stream.js';
import { inAsset, more } from '../view.js';

/** What a stream adds to its events. */
const StreamPart = StreamReply.pick({
  stream_id: true,
  stream_type: true,
  sender: true,
  recipient: true,
  token_type: true,
  token_category: true,
  decimals: true,
  vault_id: true,
}).extend({ stream_id: z.string().describe('Label of the stream') });
const ActivityReply = EventReply.extend(StreamPart.shape);

/** The event of a row with what the stream adds. Both are written in the transaction that writes the row. */
const showActivity = async (
  store: StoreReader,
  row: ActivityRecord,
): Promise<z.output<typeof ActivityReply>[]> => {
  // Asked for at once: a store on a database asks with one statement.
  const [event, stream] = await Promise.all([
    store.get(eventCollection, row.id),
    store.get(streamCollection, row.stream_id),
  ]);
  if (event === null || stream === null) return [];
  return [{ ...showEvent(event), ...StreamPart.parse(stream) }];
};

/** Ids of the events of streams within a time, unix seconds; a row of the activity has the id of its event. */
const eventsBetween = async (from: number, to: number, store: StoreReader): Promise<ReadonlySet<string>> => {
  const { items } = await store.find(eventCollection, {
    where: { entity_type: 'stream' },
    filter: ({ created_at: time }) => time >= from && time <= to,
  });
  return new Set(items.map(({ id }) => id));
};

export const activity = defineOperation({
  id: 'streams.activity',
  summary: 'List what happened to streams, newest first',
  http: { method: 'GET', path: '/api/streams/activity' },
  auth: 'optional',
  input: z.object({ ...ActivityFields, ...ShortPageFields }),
  output: z.object({ events: z.array(ActivityReply), ...PageReply }),
  errors: ['vault_not_found'],
  run: async ({ page, limit, eventType, dateFrom, dateTo, ...request }, context) => {
    const { store } = context;
    const facet = eventType === 'claim' ? 'claimed' : eventType;
    const searched = { collection: activityCollection, ...activityReaders };
    const { where, filter } = await searchQuery(searched, { ...request, facet }, context);
    const isDated = dateFrom !== undefined || dateTo !== undefined;
    const inTime = isDated ? await eventsBetween(dateFrom ?? 0, dateTo ?? Infinity, store) : null;
    const both = (row: ActivityRecord) => (inTime?.has(row.id) ?? true) && (filter?.(row) ?? true);
    const query = { where, ...(isDated || filter ? { filter: both } : {}) };
    const { items, ...figures } = await pageOf(store, activityCollection, query, { page, limit });
    return { events: (await Promise.all(items.map((row) => showActivity(store, row)))).flat(), ...figures };
  },
  view: (reply) => [
    {
      kind: 'table',
      head: [
        column.date('When', 0),
        column.key('Stream'),
        column.text('Event'),
        column.amount('Amount'),
        column.text('By', 2),
        column.txid('Transaction'),
      ],
      rows: reply.events.map((event) => [
        showDate(event.created_at),
        event.stream_id,
        event.event_type,
        event.amountOnChain === '0' ? '' : inAsset(event)(event.amountOnChain),
        event.actor,
        event.tx_hash ?? '',
      ]),
      empty: 'Nothing has happened yet.',
    },
    ...more(reply.events.length, reply),
  ],
});
