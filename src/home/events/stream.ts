/** What happens, as it happens. */
import { z } from 'zod';
import { defineOperation } from '../../operation/define.js';
import { MAXIMUM_LIMIT } from '../../operation/paging.js';
import type { ToldRecords } from '../../record/deployable.js';
import { eventsAfter, newestEvent } from '../../record/event-reading.js';
import { askedBy, EventsReply, FilterFields, showPage } from './asked.js';

const input = z.object({
  since: z
    .int()
    .min(0)
    .optional()
    .describe('Cursor: the events behind it come first. Without it those to come'),
  ...FilterFields,
});

/** Declares the operation over who may read the records that events are about. */
export const defineStream = (told: readonly ToldRecords[]) =>
  defineOperation({
    id: 'events.stream',
    summary: 'Follow what happens, as Server-Sent Events',
    description:
      'Each message has the cursor as its id, the type of the event, and the event in JSON as its data. A client that comes back with Last-Event-ID misses nothing and gets nothing twice. Who may read what is asked at each delivery; an access that ends, ends the stream with a message of the type "closed".',
    http: {
      method: 'GET',
      path: '/api/events/stream',
      stream: {
        cursor: 'since',
        state: async (store) => String(await newestEvent(store)),
        page: (page) => {
          const { events, cursor, hasMore } = page as z.input<typeof EventsReply>;
          const messages = events.map((event) => ({ id: event.sequence, event: event.type, data: event }));
          return { messages, cursor, hasMore };
        },
      },
    },
    cli: false,
    auth: 'optional',
    input,
    output: EventsReply,
    errors: ['invalid_input', 'too_many_streams'],
    run: async ({ since, ...filters }, context) => {
      const asked = { ...askedBy(filters, context, told), limit: MAXIMUM_LIMIT };
      const from = since ?? (await newestEvent(context.store));
      return showPage(await eventsAfter(context.store, from, asked));
    },
  });
