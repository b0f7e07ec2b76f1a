/**
 * The event log: all that happened, in the order in which it was written, and nothing of it is ever changed.
 *
 * An event is told in the commit that makes it true, so it is neither lost nor early. What the chain takes back is told
 * by a further event that names the one withdrawn.
 */
import { channel } from 'node:diagnostics_channel';
import { binToHex, sha256, utf8ToBin } from '@bitauth/libauth';
import { z } from 'zod';
import { defineLog, type StoreWriter } from '../operation/ports/store.js';
import { isEventType, REVERTED } from './event-names.js';

/** How sure the chain is of a transaction: in the mempool, in a block, or so deep that it will stay there. */
export const CERTAINTIES = ['seen', 'confirmed', 'safe'] as const;
export type Certainty = (typeof CERTAINTIES)[number];

/** What an event is about. */
export const EventTopic = z.object({
  kind: z.string().describe('What it is: stream, campaign, payment, budget, vault, proposal'),
  label: z.string().describe('What it is called'),
  id: z.string(),
});
export type EventTopic = z.output<typeof EventTopic>;

/** One event, as the log has it; its place in the log is its `sequence`. */
export const LoggedEvent = z.object({
  id: z.string().describe('UUIDv7'),
  type: z.string().describe('What happened: stream.claimed, vault.spend.signed, chain.reorg'),
  time: z.int().describe('When that was: of its block, or when it was seen; unix seconds'),
  certainty: z
    .enum(CERTAINTIES)
    .nullable()
    .describe(
      'How sure the chain is: seen (in the mempool), confirmed (in a block), safe (6 blocks); null without a transaction',
    ),
  was: z
    .enum(CERTAINTIES)
    .nullable()
    .describe('How sure it was when it was told before; null: it is told for the first time'),
  subject: EventTopic.nullable().describe('The record it is about; null: the chain or the service'),
  parties: z.array(z.string()).describe('Cash addresses of those whom it concerns'),
  data: z
    .record(z.string(), z.unknown())
    .describe('What it tells: of a move its moveId, actor, amount, asset, height and details'),
  txHash: z.string().nullable(),
  reverts: z.string().nullable().describe('The id of the event that it withdraws'),
});
export type LoggedEvent = z.output<typeof LoggedEvent>;

export const eventLog = defineLog({ name: 'events', schema: LoggedEvent });

/** An event before it stands in the log. What is left out is null, empty or nobody. */
export type Telling = Pick<LoggedEvent, 'type' | 'time' | 'subject'> &
  Partial<Omit<LoggedEvent, 'id'>> & {
    /** When it is written, unix seconds; default its time. */
    readonly now?: number;
  };

/**
 * A UUIDv7 (RFC 9562) of a time in seconds and of a text that no other event has.
 *
 * @example
 * uuidOf(1_700_000_000, 'a'); // '018bcfe5-6800-7ca9-b811-2ca1bbdcafac'
 */
export const uuidOf = (seconds: number, text: string): string => {
  const hex = binToHex(sha256.hash(utf8ToBin(text)));
  const time = (seconds * 1_000).toString(16).padStart(12, '0');
  const variant = ((parseInt(hex.slice(3, 4), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`;
};

/** Told of every type that nobody can ask for: the tests fail on one. */
const unknownType = channel('treasury:unknown-event-type');

/** Writes an event behind all others, inside a change of the store. @returns its id */
export const tellEvent = async (writer: StoreWriter, told: Telling): Promise<string> => {
  const { now = told.time, ...event } = told;
  if (!isEventType(event.type)) unknownType.publish(event.type);
  const { last } = await writer.readLog(eventLog, { after: Number.MAX_SAFE_INTEGER, limit: 0 });
  const id = uuidOf(now, `${String(last)}|${event.type}|${event.subject?.id ?? ''}|${event.txHash ?? ''}`);
  writer.append(eventLog, {
    certainty: null,
    was: null,
    parties: [],
    data: {},
    txHash: null,
    reverts: null,
    ...event,
    id,
  });
  return id;
};

const rank = (certainty: Certainty | null): number =>
  certainty === null ? -1 : CERTAINTIES.indexOf(certainty);

/** True when the first is surer than the second; null is the least. */
export const isSurer = (one: Certainty | null, other: Certainty | null): boolean => rank(one) > rank(other);

/** True when an event tells that a move has come to a certainty. Each move does so once, until it is withdrawn. */
export const reaches = (
  { certainty, was }: Pick<LoggedEvent, 'certainty' | 'was'>,
  asked: Certainty,
): boolean => rank(was) < rank(asked) && rank(asked) <= rank(certainty);

const matchesOne = (type: string, pattern: string): boolean => {
  if (pattern === '*') return true;
  if (pattern.endsWith('.*')) return type.startsWith(pattern.slice(0, -1));
  return type === pattern || type === `${pattern}${REVERTED}`;
};

/**
 * True when a type is one of those that are asked for: itself, or with `*` at the end all that begin so. Who asks for a
 * type is told when it is withdrawn too.
 *
 * @example
 * matchesTypes('stream.claimed', ['stream.*']); // true
 */
export const matchesTypes = (type: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => matchesOne(type, pattern));
