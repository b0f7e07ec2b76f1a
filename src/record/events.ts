/**
 * Events: what happened to a record, as it stands now. They are the log of what was told of them, folded: they are
 * written here and nowhere else, each with the price at hand, and with each the log is told.
 */
import { binToHex, sha256, utf8ToBin } from '@bitauth/libauth';
import { z } from 'zod';
import { addressOf } from '../bch/address.js';
import { Units } from '../bch/fields.js';
import type { Network } from '../bch/network.js';
import type { Move } from '../covenant/follow.js';
import { defineKeptRecord } from './kept-record.js';
import type { PriceReading } from '../operation/ports/price.js';
import { defineCollection, type StoreReader, type StoreWriter } from '../operation/ports/store.js';
import { CERTAINTIES, type Certainty } from './event-log.js';
import { defineFeed } from './order-by-time.js';
import { defineShown, lastMade } from './shown-record.js';
import { tellGone, tellMove, type Topic } from './tell-move.js';

export const EVENT_TYPES = [
  'created',
  'funded',
  'distribution',
  'claimed',
  'released',
  'paused',
  'resumed',
  'refilled',
  'transferred',
  'cancelled',
  'completed',
  'locked',
  'unlocked',
  'voted',
  'deposited',
  'spent',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Confirmations from which on a transaction is safe. */
export const SAFE_CONFIRMATIONS = 6;

/** How sure a transaction is whose block has this height (null: it waits for one), below a tip of that height. */
export const certaintyOf = (height: number | null, tipHeight: number): Certainty => {
  if (height === null) return 'seen';
  return tipHeight - height + 1 >= SAFE_CONFIRMATIONS ? 'safe' : 'confirmed';
};

export const EventRecord = z.object({
  id: z.string(),
  entity_type: z.string(),
  entity_id: z.string(),
  event_type: z.enum(EVENT_TYPES),
  /** Cash address; empty when the chain names none. */
  actor: z.string(),
  amount: Units,
  decimals: z.int(),
  tx_hash: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
  /** Height of the transaction's block; null while in the mempool, or without a transaction. */
  height: z.int().nullable(),
  /** As it was last looked at; null without a transaction. */
  certainty: z.enum(CERTAINTIES).nullable().default(null),
  /** The block's time, or when it was seen. */
  created_at: z.int().describe('Unix seconds'),
  /** What the log was told of it and stands, least sure first; none: an earlier version wrote it, or another home. */
  told: z.array(z.object({ id: z.string(), certainty: z.enum(CERTAINTIES).nullable() })).default([]),
});
export type EventRecord = z.output<typeof EventRecord>;

/** Stands for all records under the index `unsettled`. */
export const EVERY_RECORD = '*';

const isUnsettled = ({ tx_hash, certainty }: EventRecord): boolean =>
  tx_hash !== null && certainty !== 'safe';

export const eventCollection = defineCollection({
  name: 'events',
  schema: EventRecord,
  indexes: {
    entity: (event) => event.entity_id,
    transaction: (event) => event.tx_hash,
    /** Those that are not safe yet: of a record, and all of them. */
    unsettled: (event) => (isUnsettled(event) ? [event.entity_id, EVERY_RECORD] : null),
    entity_type: (event) => event.entity_type,
    height: ({ height }) => (height === null ? null : String(height)),
    /** Those of which the log knows nothing yet. */
    untold: ({ told }) => (told.length === 0 ? EVERY_RECORD : null),
  },
  many: ['unsettled'],
});

/** Events without a transaction: the chain does not know that a record was created or a vote said. */
export const keptNotes = defineKeptRecord<EventRecord>({
  collection: eventCollection,
  pack: (event) => (event.tx_hash === null ? { ...event, height: null, certainty: null, told: [] } : null),
  needs: ({ entity_id: id }) => [{ collection: null, id }],
  // A record is created once, and votes once.
  unique: ({ entity_id, event_type, actor }) =>
    event_type === 'created' ? `${entity_id} ${event_type}` : `${entity_id} ${event_type} ${actor}`,
  check: ({ event_type }) => [
    {
      check: 'event',
      ok: event_type === 'created' || event_type === 'voted',
      detail: `${event_type} is known from a transaction alone`,
    },
  ],
});

/** How many events the details of a record show. */
export const SHOWN_EVENTS = 50;

/** The same move of the same record has the same id, however often and in whatever order it is seen. */
export const moveId = (entityId: string, { txHash, type }: Pick<Move, 'txHash' | 'type'>): string => {
  const hex = binToHex(sha256.hash(utf8ToBin(`${entityId}|${txHash}|${type}`)));
  const variant = ((parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

export type EventSubject = {
  readonly entityType: string;
  readonly entityId: string;
  /** What the log says of the record. */
  readonly topic: Topic;
  readonly decimals: number;
  readonly network: Network;
  /** Stands for the time of a move that is not in a block yet, unix seconds. */
  readonly now: number;
  readonly price: PriceReading | null;
};

/** {@link EventSubject} of a move on chain. */
export type MoveSubject = EventSubject & {
  /** Of the tip as it was when the move was read. */
  readonly tipHeight: number;
};

/** What an event says of its record. */
const aboutOf = ({ entityType, entityId, decimals }: EventSubject) => ({
  entity_type: entityType,
  entity_id: entityId,
  decimals,
});

/** Writes the event of a move on chain. Writing it again changes its height and its time at most. */
export const writeMove = async (
  writer: StoreWriter,
  subject: MoveSubject,
  move: Move,
): Promise<EventRecord> => {
  const id = moveId(subject.entityId, move);
  const earlier = await writer.get(eventCollection, id);
  const event = {
    ...aboutOf(subject),
    id,
    event_type: move.type as EventType,
    actor: addressOf(move.actorLock, subject.network)?.text ?? '',
    amount: move.amount,
    tx_hash: move.txHash,
    details: {
      ...move.details,
      price: earlier === null ? subject.price : (earlier.details['price'] ?? null),
    },
    height: move.height,
    certainty: certaintyOf(move.height, subject.tipHeight),
    created_at: move.blockTime ?? earlier?.created_at ?? subject.now,
    told: [],
  };
  return putEvent(writer, event, earlier, subject);
};

type At = Pick<EventSubject, 'topic' | 'now'>;

const putEvent = async (
  writer: StoreWriter,
  event: EventRecord,
  earlier: EventRecord | null,
  at: At,
): Promise<EventRecord> => {
  const told = await tellMove(writer, event, earlier, at);
  const put = { ...event, told };
  writer.put(eventCollection, put);
  return put;
};

/** Writes an event that {@link settledEvent} has changed, if it still stands; null when it does not. */
export const writeSettledEvent = async (
  writer: StoreWriter,
  event: EventRecord,
  at: At,
): Promise<EventRecord | null> => {
  const earlier = await writer.get(eventCollection, event.id);
  return earlier === null ? null : putEvent(writer, event, earlier, at);
};

/** Removes the event of a move that the chain took back. */
export const removeMove = async (writer: StoreWriter, event: EventRecord, at: At): Promise<void> => {
  await tellGone(writer, event, at);
  writer.remove(eventCollection, event.id);
};

/** Tells the log of an event of which it knows nothing. */
export const tellUntold = async (writer: StoreWriter, event: EventRecord, at: At): Promise<void> => {
  await putEvent(writer, event, null, at);
};

/** An event whose transaction was looked at again: the same one when nothing has changed. */
export const settledEvent = (
  event: EventRecord,
  { height, blockTime }: Pick<Move, 'height' | 'blockTime'>,
  tipHeight: number,
): EventRecord => {
  const certainty = certaintyOf(height, tipHeight);
  const created_at = blockTime ?? event.created_at;
  const isSame = event.height === height && event.certainty === certainty && event.created_at === created_at;
  return isSame ? event : { ...event, height, certainty, created_at };
};

/** Writes an event that has no transaction: a record is created once, and somebody votes once. */
export const writeNote = async (
  writer: StoreWriter,
  subject: EventSubject,
  note: { readonly type: EventType; readonly actor: string; readonly amount: bigint },
): Promise<EventRecord> => {
  const { type, actor, amount } = note;
  const event: EventRecord = {
    ...aboutOf(subject),
    id: moveId(subject.entityId, { txHash: actor, type }),
    event_type: type,
    actor,
    amount,
    tx_hash: null,
    details: { price: subject.price },
    height: null,
    certainty: null,
    created_at: subject.now,
    told: [],
  };
  return putEvent(writer, event, await writer.get(eventCollection, event.id), subject);
};

/** When an event stands in the order of time: a record is created before anything else happens to it. */
const timeOf = async (
  { event_type, entity_id: entity, created_at }: EventRecord,
  store: StoreReader,
): Promise<number> => {
  if (event_type !== 'created') return created_at;
  const { items } = await store.find(eventCollection, { where: { entity } });
  return items.reduce((earliest, event) => Math.min(earliest, event.created_at), created_at);
};

export const eventFeed = defineFeed<EventRecord>({ collection: eventCollection, timeOf });

/** Events of a record, newest first. */
export const eventsOf = async (
  store: StoreReader,
  entityId: string,
  limit = SHOWN_EVENTS,
): Promise<readonly EventRecord[]> =>
  (await store.find(eventCollection, { where: { entity: entityId }, limit, isCounted: false })).items;

/** The last event of a record; null for none. */
export const lastEvent = async (store: StoreReader, entityId: string): Promise<EventRecord | null> =>
  (await eventsOf(store, entityId, 1))[0] ?? null;

/**
 * The event of the move that a transaction made of a record, or null when it made none.
 *
 * @param type of several the one that is asked for, where it is among them; else the last
 */
export const eventOfTransaction = async (
  store: StoreReader,
  entityId: string,
  txHash: string,
  type?: EventType,
): Promise<EventRecord | null> => {
  const { items } = await store.find(eventCollection, { where: { transaction: txHash, entity: entityId } });
  return items.find(({ event_type }) => event_type === type) ?? items[0] ?? null;
};

const shownEvent = defineShown(EventRecord, {
  hidden: ['decimals', 'told'],
  computed: {
    certainty: z
      .enum(CERTAINTIES)
      .nullable()
      .describe(
        'seen: in the mempool; confirmed: in a block; safe: 6 confirmations; null without a transaction',
      ),
  },
});

/** An event as answers show it. */
export const EventReply = shownEvent.reply;
const eventShown = lastMade((event: EventRecord) => shownEvent.show(event, event));
export const showEvent = (event: EventRecord) => eventShown(event);
