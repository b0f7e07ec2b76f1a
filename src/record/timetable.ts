/**
 * What time brings to records without anybody doing anything: a payment falls due, a runway ends. A product says it of
 * one record at a time; who asks is the daemon alone, which tells the log of it.
 */
import { z } from 'zod';
import { formatUnits } from '../bch/amount.js';
import {
  defineCollection,
  type Awaitable,
  type Collection,
  type StoreReader,
} from '../operation/ports/store.js';
import type { StorePort } from '../operation/ports/store.js';
import { tellEvent } from './event-log.js';
import type { Topic } from './tell-move.js';

/** Something that time has brought. */
export type Moment = {
  /** Of the event: `payment.due`. */
  readonly type: string;
  /** When it came to be, unix seconds. */
  readonly at: number;
  /** What tells it from what was told of the same type before; kept until the next of that type is told. */
  readonly mark: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** What was told last, by type: its mark. */
export type Marks = Readonly<Record<string, string>>;

/** At which time it is asked (unix seconds), and what was told before. */
export type AskedTime = { readonly now: number; readonly told: Marks };

/** What time has brought to a record and was not told yet, and when it brings more (unix seconds; null: never by itself). */
export type Agenda = { readonly moments: readonly Moment[]; readonly next: number | null };

/** Time brings nothing. */
export const IDLE: Agenda = { moments: [], next: null };

/** The records of a product to which time brings something. */
export type Timetable<R extends { readonly id: string } = { readonly id: string }> = {
  /** The `kind` of the events' subject. */
  readonly kind: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collection: Collection<any>;
  /** Under which values of its indexes those stand to which time may yet bring something. Default: all of them. */
  readonly where?: Readonly<Record<string, string>>;
  readonly topic: (record: R) => Topic;
  /** Of several that came to be since the last was told, one is told, which says so. It awaits its reader alone. */
  readonly agenda: (record: R, asked: AskedTime, reader: StoreReader) => Awaitable<Agenda>;
};

/** Declares a timetable and forgets its record's type. */
export const defineTimetable = <R extends { readonly id: string }>(timetable: Timetable<R>): Timetable =>
  timetable as unknown as Timetable;

/** The earliest of some times; null when there is none. */
export const earliest = (times: readonly (number | null)[]): number | null =>
  times.reduce((first, time) => (time === null ? first : Math.min(first ?? time, time)), null);

/** An amount as events tell it. */
export const tellAmount = (units: bigint, decimals: number, category: string | null) => ({
  amount: formatUnits(units, decimals),
  amountOnChain: units.toString(),
  asset: category ?? 'BCH',
  decimals,
});

/** What was told last of a record. */
const ToldTime = z.object({
  /** The record's. */
  id: z.string(),
  told: z.record(z.string(), z.string()),
});

export const toldTimeCollection = defineCollection({ name: 'told_times', schema: ToldTime, indexes: {} });

/** The agenda of a record as it is stored; null when it is gone. */
export const agendaOf = async (
  { collection, agenda }: Timetable,
  id: string,
  now: number,
  store: StoreReader,
): Promise<Agenda | null> => {
  const record = (await store.get(collection, id)) as { readonly id: string } | null;
  if (record === null) return null;
  const told = (await store.get(toldTimeCollection, id))?.told ?? {};
  return agenda(record, { now, told }, store);
};

/**
 * Tells the log what time has brought to a record, in the commit that notes that it was told: whoever else asks tells
 * nothing more.
 *
 * @returns when it brings more
 */
export const tellDue = (
  timetable: Timetable,
  id: string,
  now: number,
  store: StorePort,
): Promise<number | null> =>
  store.transaction(async (writer) => {
    const agenda = await agendaOf(timetable, id, now, writer);
    if (agenda === null || agenda.moments.length === 0) return agenda?.next ?? null;
    const record = (await writer.get(timetable.collection, id)) as { readonly id: string };
    const { subject, parties } = timetable.topic(record);
    const earlier = (await writer.get(toldTimeCollection, id))?.told ?? {};
    const marks = Object.fromEntries(agenda.moments.map(({ type, mark }) => [type, mark]));
    for (const { type, at, data } of agenda.moments)
      await tellEvent(writer, { type, time: at, now, subject, parties: [...parties], data: { ...data } });
    writer.put(toldTimeCollection, { id, told: { ...earlier, ...marks } });
    return agenda.next;
  });

/** Whole days before its end at which a runway is told to end, most first. */
const RUNWAY_DAYS = [7, 1] as const;
const DAY = 86_400;

/**
 * The end of a runway: told 7 days and 1 day before it. Another end, after a refill or a pause, is told anew.
 *
 * @param end when what it holds has been paid out, unix seconds; null: it is empty, or stands still
 */
export const runwayAgenda = (
  end: number | null,
  { now, told }: AskedTime,
  data: Readonly<Record<string, unknown>>,
): Agenda => {
  if (end === null) return IDLE;
  const type = 'runway.ending';
  const [toldEnd, toldDays = ''] = (told[type] ?? '').split(':');
  const least = toldEnd === String(end) ? Number(toldDays) : Infinity;
  const passed = RUNWAY_DAYS.filter((days) => now >= end - days * DAY);
  const days = passed.at(-1);
  const next = RUNWAY_DAYS.find((one) => now < end - one * DAY);
  return {
    moments:
      days === undefined || days >= least
        ? []
        : [{ type, at: end - days * DAY, mark: `${end}:${days}`, data: { ...data, endsAt: end, days } }],
    next: next === undefined ? null : end - next * DAY,
  };
};

/** Several agendas of one record as one. */
export const together = (agendas: readonly Agenda[]): Agenda => ({
  moments: agendas.flatMap(({ moments }) => moments),
  next: earliest(agendas.map(({ next }) => next)),
});
