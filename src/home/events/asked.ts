/** Which events are asked for, by whom, and how they are answered. */
import { z } from 'zod';
import { AddressField } from '../../bch/fields.js';
import type { RunContext } from '../../operation/define.js';
import type { ToldRecords } from '../../record/deployable.js';
import { readerOfEvents } from '../../record/event-access.js';
import { CERTAINTIES } from '../../record/event-log.js';
import { EventEntry, type EventPage } from '../../record/event-reading.js';
import { readTypes } from '../../record/event-types.js';

/** Input fields that say which events. */
export const FilterFields = {
  types: z
    .string()
    .max(1_000)
    .optional()
    .describe(
      'Types with commas between them, such as stream.claimed,payment.*; what withdraws an event of a type is told with it',
    ),
  subject: z.string().max(200).optional().describe('Label or id of the record that they are about'),
  party: AddressField.optional().describe('Cash address of one of those whom they concern'),
  certainty: z
    .enum(CERTAINTIES)
    .optional()
    .describe('Each move once, when it is at least that sure; without it at each certainty that it comes to'),
};

/** Part of the log. */
export const EventsReply = z.object({
  events: z.array(EventEntry).describe('Oldest first'),
  cursor: z.int().describe('What comes next is asked for with since=<cursor>'),
  hasMore: z
    .boolean()
    .describe('True: there is more of the log behind the cursor; a page may be empty all the same'),
});

type Filters = z.output<z.ZodObject<typeof FilterFields>>;

/** What a caller asks for, and what they may be told. @throws invalid_input */
export const askedBy = (
  { types, subject, party, certainty }: Filters,
  { caller, store }: RunContext<'optional'>,
  told: readonly ToldRecords[],
) => ({
  filter: {
    types: types === undefined ? null : readTypes(types),
    subject: subject ?? null,
    party: party?.text ?? null,
    certainty: certainty ?? null,
  },
  mayRead: readerOfEvents(told, caller, store),
});

/** Each reply has a list of its own. */
export const showPage = ({ events, ...page }: EventPage): z.output<typeof EventsReply> => ({
  events: [...events],
  ...page,
});
