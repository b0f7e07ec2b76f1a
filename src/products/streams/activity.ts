/** The activity feed: one row per event of a stream, found by what the feed is filtered by. */
import { z } from 'zod';
import { defineCollection } from '../../operation/ports/store.js';
import type { EventRecord } from '../../record/events.js';
import { vaultReaders } from '../vaults/index.js';
import { searchedByMany, searchIndexes } from './search-keys.js';
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

export const activityCollection = defineCollection({
  name: 'stream_activity',
  schema: ActivityRecord,
  indexes: {
    ...searchIndexes<ActivityRecord>((row) => ({
      recipients: row.recipients,
      contextSource: row.context_source,
      facet: row.event_type,
    })),
    /** Events of a stream by type, for the runs that had one. */
    stream: (row) => `${row.stream_id}|${row.event_type}`,
  },
  many: searchedByMany,
});

/** Whose rows are shown to whom. */
export const activityReaders = vaultReaders<ActivityRecord>(({ vault_id: vaultId, sender, recipients }) => ({
  vaultId,
  parties: [sender, ...recipients],
}));

type Told = Pick<EventRecord, 'id' | 'details'> & { readonly event_type: string };

/** Whom an event is about: who was paid, or both sides of a transfer; else the present recipient. */
const recipientsIn = ({ event_type, details }: Told, { recipient }: StreamRecord): string[] => {
  if (event_type !== 'transferred') return [Payout.safeParse(details).data?.recipient ?? recipient];
  const { from, to } = Transferred.parse(details);
  return [...new Set([from, to])];
};

/** The row of an event of a stream; `stream` as the event left it. */
export const activityOf = (stream: StreamRecord, event: Told): ActivityRecord => ({
  id: event.id,
  stream_id: stream.id,
  event_type: event.event_type,
  sender: stream.sender,
  recipients: recipientsIn(event, stream),
  vault_id: stream.vault_id,
  is_private: stream.is_private,
  context_source: stream.launch_context?.source ?? null,
});
