/** What has happened, a page at a time. */
import { z } from 'zod';
import { formatUnits } from '../../bch/amount.js';
import { showDate } from '../../bch/show-date.js';
import { column } from '../../operation/columns.js';
import { defineOperation, type View } from '../../operation/define.js';
import { MAXIMUM_LIMIT } from '../../operation/paging.js';
import type { ToldRecords } from '../../record/deployable.js';
import { eventsAfter, newestEvents } from '../../record/event-reading.js';
import { askedBy, EventsReply, FilterFields, showPage } from './asked.js';

const input = z.object({
  since: z
    .int()
    .min(0)
    .optional()
    .describe('Cursor: the events behind it, oldest first; 0 begins with the first. Without it the newest'),
  ...FilterFields,
  limit: z.int().min(1).max(MAXIMUM_LIMIT).default(MAXIMUM_LIMIT).describe('At most 100'),
});

const amountText = ({ amount, amountOnChain, asset, decimals }: Readonly<Record<string, unknown>>): string =>
  typeof amountOnChain === 'string' && typeof decimals === 'number' && typeof asset === 'string'
    ? `${formatUnits(BigInt(amountOnChain), decimals)} ${asset}`
    : typeof amount === 'string'
      ? amount
      : '';

/** How events read: what each is called by is its place in the log, which `--since` takes. */
const viewEvents = ({ events, cursor, hasMore }: z.input<typeof EventsReply>): View => [
  {
    kind: 'table',
    head: [
      column.amount('Cursor', 1),
      column.date('When', 1),
      column.key('Event'),
      column.text('Record', 1),
      column.amount('Amount', 1),
      column.state('Certainty', 2),
      column.txid('Transaction'),
    ],
    rows: events.map(({ sequence, time, type, subject, data, certainty, txHash }) => [
      String(sequence),
      showDate(time),
      type,
      subject?.label ?? '',
      amountText(data),
      certainty ?? '',
      txHash ?? '',
    ]),
    empty: hasMore ? 'None of these events in this part of the log.' : 'None of these events yet.',
  },
  ...(hasMore ? [{ kind: 'text' as const, text: `There is more: --since ${cursor} goes on.` }] : []),
];

/** Declares the operation over who may read the records that events are about. */
export const defineList = (told: readonly ToldRecords[]) =>
  defineOperation({
    id: 'events.list',
    summary: 'List what has happened: the newest, or what came after a cursor',
    description:
      'Shows the events of records that the caller may read, and those of the chain and the service. A page looks at a bounded part of the log: go on with its cursor while hasMore is true, also where it is empty.',
    http: { method: 'GET', path: '/api/events' },
    cli: { readsOnly: true, homeOnly: true, example: "events list --types 'stream.*' --since 120" },
    auth: 'optional',
    input,
    output: EventsReply,
    errors: ['invalid_input'],
    run: async ({ since, limit, ...filters }, context) => {
      const asked = { ...askedBy(filters, context, told), limit };
      return showPage(
        since === undefined
          ? await newestEvents(context.store, asked)
          : await eventsAfter(context.store, since, asked),
      );
    },
    view: viewEvents,
  });
