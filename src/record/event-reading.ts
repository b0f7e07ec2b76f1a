/** Reading the event log: page after page from a cursor on, as much of it as was asked for and as the caller may be told. */
import { z } from 'zod';
import { invalidField } from '../errors.js';
import { createLane, type Lane } from '../operation/lane.js';
import type { StoreReader } from '../operation/ports/store.js';
import type { MayRead } from './event-access.js';
import { eventLog, LoggedEvent, matchesTypes, reaches, type Certainty } from './event-log.js';
import { normaliseLabel } from './labels.js';

/** An event as it is answered, sent and forwarded. */
export const EventEntry = z.object({
  sequence: z.int().describe('Its place in the log, which is the cursor'),
  ...LoggedEvent.shape,
});
export type EventEntry = z.output<typeof EventEntry>;

/** Which events are asked for; null: any. */
export type EventFilter = {
  /** Patterns: `stream.claimed`, `stream.*`. */
  readonly types: readonly string[] | null;
  /** Label or id of the record. */
  readonly subject: string | null;
  /** Cash address. */
  readonly party: string | null;
  /** Each move once, when it is at least that sure; and all that is told without a transaction. */
  readonly certainty: Certainty | null;
};

/** Part of the log. */
export type EventPage = {
  readonly events: readonly EventEntry[];
  /** The last event that was looked at: what comes after it is next. */
  readonly cursor: number;
  /** True when there is more of the log behind the cursor. */
  readonly hasMore: boolean;
};

/** Entries that are looked at in one turn of the program. */
const TURN = 100;
/** Entries that one page looks at, found or not: a rare type is looked for over several pages. */
export const MOST_SCANNED = 2_000;

const lanes = new WeakMap<object, Lane>();

/** The lane of a store's log: all who look through it do so one after another. */
export const laneOfLog = (store: Pick<StoreReader, 'readLog'>): Lane => {
  const lane = lanes.get(store) ?? createLane();
  lanes.set(store, lane);
  return lane;
};

const isAbout = ({ subject }: EventEntry, name: string): boolean =>
  subject !== null && (subject.id === name || normaliseLabel(subject.label) === normaliseLabel(name));

const matches = (event: EventEntry, { types, subject, party, certainty }: EventFilter): boolean =>
  (types === null || matchesTypes(event.type, types)) &&
  (subject === null || isAbout(event, subject)) &&
  (party === null || event.parties.includes(party)) &&
  (certainty === null || event.certainty === null || reaches(event, certainty));

/** What is asked for, and who asks. */
type Asked = { readonly filter: EventFilter; readonly mayRead: MayRead; readonly limit: number };

/** The newest sequence that there is; 0 in an empty log. */
export const newestEvent = async (store: Pick<StoreReader, 'readLog'>): Promise<number> =>
  (await store.readLog(eventLog, { after: Number.MAX_SAFE_INTEGER, limit: 0 })).last;

/** The entries of a part of the log that were asked for; `limit` of them at most. */
const pick = async (
  entries: readonly EventEntry[],
  { filter, mayRead, limit }: Asked,
): Promise<readonly EventEntry[]> => {
  const picked: EventEntry[] = [];
  for (const entry of entries) {
    if (picked.length === limit) break;
    if (matches(entry, filter) && (await mayRead(entry))) picked.push(entry);
  }
  return picked;
};

/**
 * The events behind a cursor, oldest first.
 *
 * @param since 0: from the first on
 * @throws invalid_input for a cursor that this log has not come to
 */
export const eventsAfter = async (
  store: Pick<StoreReader, 'readLog'>,
  since: number,
  asked: Asked,
): Promise<EventPage> => {
  const inLane = laneOfLog(store);
  const events: EventEntry[] = [];
  let [cursor, scanned, isMore] = [since, 0, true];
  while (isMore && events.length < asked.limit && scanned < MOST_SCANNED) {
    const range = { after: cursor, limit: TURN };
    const { entries, last } = await inLane(() => store.readLog(eventLog, range));
    if (since > last)
      throw invalidField('since', `is behind the last event, which is ${last}: is it a cursor of this home?`);
    const left = asked.limit - events.length;
    const picked = await pick(entries, { ...asked, limit: left });
    events.push(...picked);
    scanned += entries.length;
    const end = picked.length === left ? picked.at(-1) : entries.at(-1);
    cursor = end?.sequence ?? last;
    isMore = cursor < last;
  }
  return { events, cursor, hasMore: isMore };
};

/** The newest events, oldest first: as many as were asked for, among so many entries as a page looks at. */
export const newestEvents = async (store: Pick<StoreReader, 'readLog'>, asked: Asked): Promise<EventPage> => {
  const last = await newestEvent(store);
  const inLane = laneOfLog(store);
  let events: readonly EventEntry[] = [];
  const floor = Math.max(0, last - MOST_SCANNED);
  for (let upTo = last; upTo > floor && events.length < asked.limit;) {
    const after = Math.max(floor, upTo - TURN);
    const range = { after, limit: upTo - after };
    const { entries } = await inLane(() => store.readLog(eventLog, range));
    events = [...(await pick(entries, { ...asked, limit: Infinity })), ...events];
    upTo = after;
  }
  return { events: events.slice(-asked.limit), cursor: last, hasMore: false };
};
