/** What happened to streams, newest first. */
import { z } from 'zod';
import { defineOperation } from '../../../operation/define.js';
import { eventCollection, EventReply, showEvent } from '../../../record/events.js';
import { PageReply, pageOf, ShortPageFields } from '../../../operation/paging.js';
import type { StoreReader } from '../../../operation/ports/store.js';
import { activityCollection, type ActivityRecord } from '../activity.js';
import { ActivityFields } from '../fields.js';
import { searchQuery } from '../lists.js';
import { streamCollection } from '../records.js';
import { viewActivity } from '../view.js';

const ActivityReply = EventReply.extend({
  stream_id: z.string().describe('Label of the stream'),
  stream_type: z.string(),
  sender: z.string(),
  recipient: z.string(),
  token_type: z.string(),
  token_category: z.string().nullable(),
  vault_id: z.string().nullable(),
});

/** The event of a row with what the stream adds. Both are written in the transaction that writes the row. */
const showActivity = (store: StoreReader, row: ActivityRecord): z.output<typeof ActivityReply>[] => {
  const event = store.get(eventCollection, row.id);
  const stream = store.get(streamCollection, row.stream_id);
  if (event === null || stream === null) return [];
  const { stream_id, stream_type, sender, recipient, token_type, token_category, vault_id } = stream;
  return [
    {
      ...showEvent(event),
      stream_id,
      stream_type,
      sender,
      recipient,
      token_type,
      token_category,
      vault_id,
    },
  ];
};

export const activity = defineOperation({
  id: 'streams.activity',
  summary: 'List what happened to streams, newest first',
  http: { method: 'GET', path: '/api/streams/activity' },
  auth: 'optional',
  input: z.object({ ...ActivityFields, ...ShortPageFields }),
  output: z.object({ events: z.array(ActivityReply), ...PageReply }),
  errors: ['vault_not_found'],
  run: ({ page, limit, eventType, dateFrom, dateTo, ...request }, { store, caller }) => {
    const { where, filter } = searchQuery(
      store,
      activityCollection,
      { ...request, facet: eventType === 'claim' ? 'claimed' : eventType },
      caller,
      ({ vault_id, is_private, sender, recipients }) => ({
        vaultId: vault_id,
        isPrivate: is_private,
        parties: [sender, ...recipients],
      }),
    );
    const isDated = dateFrom !== undefined || dateTo !== undefined;
    const isInTime = ({ id }: ActivityRecord) => {
      const time = store.get(eventCollection, id)?.created_at ?? 0;
      return time >= (dateFrom ?? 0) && time <= (dateTo ?? Infinity);
    };
    const both = (row: ActivityRecord) => (!isDated || isInTime(row)) && (filter?.(row) ?? true);
    const query = {
      ...(where === undefined ? {} : { where }),
      ...(isDated || filter ? { filter: both } : {}),
    };
    const { items, ...figures } = pageOf(store, activityCollection, query, { page, limit });
    return Promise.resolve({ events: items.flatMap((row) => showActivity(store, row)), ...figures });
  },
  view: viewActivity,
});
