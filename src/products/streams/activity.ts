/** The activity feed: one row per event of a stream, found by what the feed is filtered by. */
import { z } from 'zod';
import type { EventRecord } from '../../record/events.js';
import { defineCollection, type StoreWriter } from '../../operation/ports/store.js';
import { searchIndexes } from './search-keys.js';
import type { StreamRecord } from './stream.js';

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

export const activityCollection = defineCollection({
  name: 'stream_activity',
  schema: ActivityRecord,
  indexes: {
    ...searchIndexes<ActivityRecord>((row) => ({
      recipients: row.recipients,
      senders: [row.sender],
      vaultId: row.vault_id,
      contextSource: row.context_source,
      isPrivate: row.is_private,
      facet: row.event_type,
    })),
    /** Events of a stream by type, for the runs that had one. */
    stream: (row) => `${row.stream_id}|${row.event_type}`,
  },
});

/** The row of an event of a stream; `stream` as the event left it. */
export const activityOf = (
  stream: StreamRecord,
  event: Pick<EventRecord, 'id'> & { readonly event_type: string },
  details: Readonly<Record<string, string | number>> = {},
): ActivityRecord => {
  const parties = [
    ...(event.event_type === 'transferred' ? [String(details['from']), String(details['to'])] : []),
    ...('recipient' in details ? [String(details['recipient'])] : []),
  ];
  const recipients = parties.length === 0 ? [stream.recipient] : [...new Set(parties)];
  return {
    id: event.id,
    stream_id: stream.id,
    event_type: event.event_type,
    sender: stream.sender,
    recipients,
    vault_id: stream.vault_id,
    is_private: stream.is_private,
    context_source: stream.launch_context?.source ?? null,
  };
};

/** Writes the row of an event. Writing it again changes nothing. */
export const writeActivity = (
  writer: StoreWriter,
  stream: StreamRecord,
  event: Pick<EventRecord, 'id' | 'event_type'>,
  details: Readonly<Record<string, string | number>> = {},
): void => {
  writer.put(activityCollection, activityOf(stream, event, details));
};

/** Removes the row of an event that the chain took back. */
export const removeActivity = async (writer: StoreWriter, { id }: Pick<EventRecord, 'id'>): Promise<void> => {
  if ((await writer.get(activityCollection, id)) !== null) writer.remove(activityCollection, id);
};
