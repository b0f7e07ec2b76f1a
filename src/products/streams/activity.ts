/** The activity feed: one row per event of a stream, found by what the feed is filtered by. */
import { z } from 'zod';
import { defineCollection } from '../../operation/ports/store.js';
import type { EventRecord } from '../../record/events.js';
import { searchIndexes, type Found } from './search-keys.js';
import { Payout, Transferred, type StreamRecord } from './stream.js';

/** Beside the event of the same id: what the event itself does not know. */
export const ActivityRecord = z.object({
  id: z.string(),
  stream_id: z.string(),
  event_type: z.string(),
  sender: z.string(),
  /** The recipient then, and in a transfer the new one too. */
  recipients: z.array(z.string()),
  vault_id: z.string().nullable(),
  is_private: z.boolean(),
  context_source: z.string().nullable(),
});
export type ActivityRecord = z.output<typeof ActivityRecord>;

/** By what the feed finds a row. */
export const foundActivity = (row: ActivityRecord): Found => ({
  recipients: row.recipients,
  sender: row.sender,
  vaultId: row.vault_id,
  contextSource: row.context_source,
  isPrivate: row.is_private,
  facet: row.event_type,
});

export const activityCollection = defineCollection({
  name: 'stream_activity',
  schema: ActivityRecord,
  indexes: {
    ...searchIndexes(foundActivity),
    /** Events of a stream by type, for the runs that had one. */
    stream: (row) => `${row.stream_id}|${row.event_type}`,
  },
});

type Told = Pick<EventRecord, 'id' | 'details'> & { readonly event_type: string };

const recipientsIn = ({ event_type, details }: Told): readonly string[] => {
  const transferred = event_type === 'transferred' ? Transferred.parse(details) : null;
  if (transferred !== null) return [...new Set([transferred.from, transferred.to])];
  const payout = Payout.safeParse(details).data;
  return payout === undefined ? [] : [payout.recipient];
};

/** The row of an event of a stream; `stream` as the event left it. */
export const activityOf = (stream: StreamRecord, event: Told): ActivityRecord => {
  const recipients = recipientsIn(event);
  return {
    id: event.id,
    stream_id: stream.id,
    event_type: event.event_type,
    sender: stream.sender,
    recipients: recipients.length === 0 ? [stream.recipient] : [...recipients],
    vault_id: stream.vault_id,
    is_private: stream.is_private,
    context_source: stream.launch_context?.source ?? null,
  };
};
