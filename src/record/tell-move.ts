/** What the log is told of the events of records: a move at each certainty that it comes to, and what the chain takes back. */
import { isDeepStrictEqual } from 'node:util';
import { formatUnits } from '../bch/amount.js';
import type { StoreWriter } from '../operation/ports/store.js';
import { isSurer, tellEvent, type Certainty, type EventTopic, type LoggedEvent } from './event-log.js';
import { REVERTED } from './event-names.js';

/** What the log says of a record whose events it tells. */
export type Topic = {
  readonly subject: EventTopic;
  /** Cash addresses. */
  readonly parties: readonly string[];
  /** The token of its amounts; null: BCH. */
  readonly category: string | null;
};

type Told = { readonly id: string; readonly certainty: Certainty | null };

/** An event of a record, as far as it is told. */
type ToldMove = {
  readonly id: string;
  readonly event_type: string;
  readonly actor: string;
  readonly amount: bigint;
  readonly decimals: number;
  readonly tx_hash: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly height: number | null;
  readonly certainty: Certainty | null;
  /** Unix seconds. */
  readonly created_at: number;
  /** What the log was told of it and stands, least sure first. */
  readonly told: readonly Told[];
};

const NAMES: Readonly<Record<string, string>> = {
  distribution: 'distributed',
  spent: 'spend.executed',
};
/** Moves of votes, whose events stand with those of their proposal. */
const OF_VOTES: readonly string[] = ['locked', 'unlocked', 'voted'];

const typeOf = ({ event_type: type }: ToldMove, { subject }: Topic): string => {
  const kind = OF_VOTES.includes(type) ? 'vote' : subject.kind;
  return `${kind}.${type === 'voted' ? 'said' : (NAMES[type] ?? type)}`;
};

/** Addresses that the details of a move name: who was paid, and both sides of a transfer. */
const NAMED = ['recipient', 'from', 'to'] as const;

const partiesOf = ({ actor, details }: ToldMove, { parties }: Topic): string[] => {
  const named = NAMED.map((name) => details[name]).filter((value) => typeof value === 'string');
  return [...new Set([...parties, actor, ...named])].filter((address) => address.includes(':'));
};

const aboutOf = (event: ToldMove, topic: Topic) => {
  const { id: moveId, actor, amount, decimals, height, details } = event;
  return {
    subject: topic.subject,
    parties: partiesOf(event, topic),
    txHash: event.tx_hash,
    data: {
      moveId,
      actor,
      amount: formatUnits(amount, decimals),
      amountOnChain: amount.toString(),
      asset: topic.category ?? 'BCH',
      decimals,
      height,
      details,
    },
  };
};

/** Withdraws what was told and does not stand any more, the newest first. */
const withdraw = async (
  writer: StoreWriter,
  event: ToldMove,
  stands: readonly Told[],
  at: Telling,
): Promise<void> => {
  const { told } = event;
  for (const [index, { id, certainty }] of [...told.entries()].toReversed()) {
    if (stands.some((one) => one.id === id)) continue;
    await tellEvent(writer, {
      ...aboutOf(event, at.topic),
      type: `${typeOf(event, at.topic)}${REVERTED}`,
      time: at.now,
      certainty,
      was: told[index - 1]?.certainty ?? null,
      reverts: id,
    });
  }
};

/** Of which record, and when that is written, unix seconds. */
export type Telling = { readonly topic: Topic; readonly now: number };

/** What else than its place on chain an event says: when that is another, all that was told of it was wrong. */
const saidBy = ({ event_type, actor, amount, decimals, details }: ToldMove) => {
  const { price: _, ...rest } = details;
  return { event_type, actor, amount, decimals, rest };
};

/** What stands of what was told of a move, now that it is as `event` says. */
const standing = (event: ToldMove, earlier: ToldMove): readonly Told[] => {
  if (!isDeepStrictEqual(saidBy(event), saidBy(earlier))) return [];
  const isMoved = earlier.height !== null && earlier.height !== event.height;
  return earlier.told.filter(({ certainty }) => !isSurer(certainty, isMoved ? 'seen' : event.certainty));
};

/**
 * Tells the log of an event that is new, or surer, less sure or otherwise than it was; nothing when it is as it was.
 *
 * @returns what was told of it and stands
 */
export const tellMove = async (
  writer: StoreWriter,
  event: ToldMove,
  earlier: ToldMove | null,
  at: Telling,
): Promise<Told[]> => {
  const stands = earlier === null ? [] : standing(event, earlier);
  if (earlier !== null) await withdraw(writer, earlier, stands, at);
  const was = stands.at(-1)?.certainty ?? null;
  const { certainty } = event;
  if (stands.length > 0 && !isSurer(certainty, was)) return [...stands];
  const telling: Pick<LoggedEvent, 'type' | 'time' | 'certainty' | 'was'> = {
    type: typeOf(event, at.topic),
    time: event.created_at,
    certainty,
    was,
  };
  const id = await tellEvent(writer, { ...aboutOf(event, at.topic), ...telling, now: at.now });
  return [...stands, { id, certainty }];
};

/** Tells the log that the chain has taken an event back: all that was told of it. */
export const tellGone = (writer: StoreWriter, event: ToldMove, at: Telling): Promise<void> =>
  withdraw(writer, event, [], at);
