/** The events of the log that one webhook is told of, in their order. */
import { parseAddress } from '../../bch/address.js';
import type { Context } from '../../operation/context.js';
import type { ToldRecords } from '../../record/deployable.js';
import { readerOfEvents } from '../../record/event-access.js';
import { eventLog, type LoggedEvent } from '../../record/event-log.js';
import { laneOfLog } from '../../record/event-reading.js';
import { isAskedFor } from '../../record/webhooks/filter.js';
import type { WebhookRecord } from '../../record/webhooks/webhook.js';

/** An event and its place in the log. */
export type PlacedEvent = LoggedEvent & { readonly sequence: number };

/** Entries that are read in one go. */
const PAGE = 100;

export type EventsFor = {
  /** The next event after a place that is for the webhook, or null: there is none up to `passed`. */
  readonly next: (after: number) => Promise<{ readonly event: PlacedEvent | null; readonly passed: number }>;
  /** The event of a sequence, if its maker may still be told of it, whatever the webhook asks for. */
  readonly at: (sequence: number) => Promise<PlacedEvent | null>;
};

export type EventSource = Pick<Context, 'store' | 'network'> & {
  /** Who may read the records that events are about. */
  readonly told: readonly ToldRecords[];
  /** Nothing more is looked through once it is aborted. */
  readonly stopping?: AbortSignal;
};

/** Opens the log for a webhook: what a caller may read is asked anew each time that it is opened. */
export const eventsFor = (
  webhook: WebhookRecord,
  { store, network, told, stopping }: EventSource,
): EventsFor => {
  const mayRead = readerOfEvents(told, parseAddress(webhook.owner, network), store);
  const inLane = laneOfLog(store);
  let page: readonly PlacedEvent[] = [];
  /** The page holds all entries that there were from here on. */
  let from = -1;
  let end = -1;
  const load = async (after: number): Promise<void> => {
    const { entries, last } = await store.readLog(eventLog, { after, limit: PAGE });
    page = entries;
    from = after;
    end = entries.at(-1)?.sequence ?? Math.max(last, after);
  };
  return {
    next: async (after) => {
      for (let passed = after; ;) {
        const place = passed;
        if (place < from || place >= end) await (place === after ? load(place) : inLane(() => load(place)));
        if (stopping?.aborted === true) return { event: null, passed };
        if (page.length === 0) return { event: null, passed: Math.max(passed, end) };
        const left = page.filter(({ sequence }) => sequence > passed);
        for (const event of left)
          if (isAskedFor(event, webhook) && (await mayRead(event))) return { event, passed: event.sequence };
        passed = end;
      }
    },
    at: async (sequence) => {
      const { entries } = await store.readLog(eventLog, { after: sequence - 1, limit: 1 });
      const event = entries.find((entry) => entry.sequence === sequence);
      return event !== undefined && (await mayRead(event)) ? event : null;
    },
  };
};
