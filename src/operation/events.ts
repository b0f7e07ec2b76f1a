/** Events: what happened to a record. They are written here and nowhere else, each with the price at hand. */
import { binToHex, sha256, utf8ToBin } from '@bitauth/libauth';
import { z } from 'zod';
import { addressOf } from '../bch/address.js';
import { displayNumber } from '../bch/amount.js';
import { Units } from '../bch/fields.js';
import type { Network } from '../bch/network.js';
import type { Move } from '../covenant/follow.js';
import type { PriceReading } from './ports/price.js';
import { defineCollection, type StoreReader, type StoreWriter } from './ports/store.js';

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
  /** Unix seconds: the block's time, or when it was seen. */
  created_at: z.int(),
});
export type EventRecord = z.output<typeof EventRecord>;

export const eventCollection = defineCollection({
  name: 'events',
  schema: EventRecord,
  indexes: {
    entity: (event) => event.entity_id,
    transaction: (event) => event.tx_hash,
    unmined: (event) => (event.tx_hash !== null && event.height === null ? event.entity_id : null),
    entity_type: (event) => event.entity_type,
  },
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
  readonly decimals: number;
  readonly network: Network;
  /** Stands for the time of a move that is not in a block yet, unix seconds. */
  readonly now: number;
  readonly price: PriceReading | null;
};

/** Writes the event of a move on chain. Writing it again changes its height at most. */
export const writeMove = (writer: StoreWriter, subject: EventSubject, move: Move): EventRecord => {
  const id = moveId(subject.entityId, move);
  const earlier = writer.get(eventCollection, id);
  const event: EventRecord = {
    id,
    entity_type: subject.entityType,
    entity_id: subject.entityId,
    event_type: move.type as EventType,
    actor: addressOf(move.actorLock, subject.network)?.text ?? '',
    amount: move.amount,
    decimals: subject.decimals,
    tx_hash: move.txHash,
    details: {
      ...move.details,
      price: earlier === null ? subject.price : (earlier.details['price'] ?? null),
    },
    height: move.height,
    created_at: move.blockTime ?? earlier?.created_at ?? subject.now,
  };
  writer.put(eventCollection, event);
  return event;
};

/** Writes an event that has no transaction. */
export const writeNote = (
  writer: StoreWriter,
  subject: EventSubject,
  note: { readonly id: string; readonly type: EventType; readonly actor: string; readonly amount: bigint },
): void => {
  writer.put(eventCollection, {
    id: note.id,
    entity_type: subject.entityType,
    entity_id: subject.entityId,
    event_type: note.type,
    actor: note.actor,
    amount: note.amount,
    decimals: subject.decimals,
    tx_hash: null,
    details: { price: subject.price },
    height: null,
    created_at: subject.now,
  });
};

/** Events of a record, newest first. */
export const eventsOf = (
  store: StoreReader,
  entityId: string,
  limit = SHOWN_EVENTS,
): readonly EventRecord[] => store.find(eventCollection, { where: { entity: entityId }, limit }).items;

/** The event of the move that a transaction made of a record, or null when it made none. */
export const eventOfTransaction = (
  store: StoreReader,
  entityId: string,
  txHash: string,
): EventRecord | null =>
  store.find(eventCollection, { where: { transaction: txHash, entity: entityId }, limit: 1 }).items[0] ??
  null;

/** An event as answers show it. */
export const EventReply = z.object({
  id: z.string(),
  entity_type: z.string(),
  entity_id: z.string(),
  event_type: z.string(),
  actor: z.string(),
  amount: z.number().describe('Display units'),
  amountOnChain: z.string().describe('Smallest unit'),
  tx_hash: z.string().nullable(),
  height: z.number().nullable(),
  details: z.record(z.string(), z.unknown()),
  created_at: z.number().describe('Unix seconds'),
});

/** For the schema, see {@link EventReply}. */
export const showEvent = ({ amount, decimals, ...event }: EventRecord): z.output<typeof EventReply> => ({
  ...event,
  amount: displayNumber(amount, decimals),
  amountOnChain: amount.toString(),
});
