/** The pauses of a stream, as its events tell them. */
import { z } from 'zod';
import type { StoreReader } from '../../operation/ports/store.js';
import { eventCollection, type EventRecord } from '../../record/events.js';
import type { StreamRecord } from './stream.js';

/** One pause. */
export const PauseReply = z.object({
  from: z.number().describe('Unix seconds'),
  until: z.number().nullable().describe('Unix seconds; null: it lasts on'),
  movedBySeconds: z
    .number()
    .nullable()
    .describe(
      'How much later all that comes after it became; null while it lasts, or where only the sum of several is known',
    ),
});
export type Pause = z.output<typeof PauseReply>;

/** What the events of a vesting stream tell; those of RECURRING tell neither. */
const Told = z.object({ pausedAt: z.int().optional(), stoodStillSeconds: z.int().optional() });

const begun = (event: EventRecord): Pause => ({
  from: Told.parse(event.details).pausedAt ?? event.created_at,
  until: null,
  movedBySeconds: null,
});

const ended = (pause: Pause, event: EventRecord): Pause => {
  const { stoodStillSeconds: stood = null } = Told.parse(event.details);
  if (event.event_type !== 'resumed') return { ...pause, until: event.created_at, movedBySeconds: 0 };
  return { ...pause, until: stood === null ? event.created_at : pause.from + stood, movedBySeconds: stood };
};

/**
 * The pauses that some events tell, oldest first.
 *
 * @param events newest first: what begins a pause, and what ends one
 * @param shift by how much all of them have moved the schedule, seconds
 */
export const pausesIn = (events: readonly EventRecord[], shift: number): readonly Pause[] => {
  const pauses: Pause[] = [];
  for (const event of events.toReversed()) {
    const last = pauses.at(-1);
    if (event.event_type === 'paused') pauses.push(begun(event));
    else if (last?.until === null) pauses[pauses.length - 1] = ended(last, event);
  }
  const unknown = pauses.filter(({ until, movedBySeconds }) => until !== null && movedBySeconds === null);
  const rest = pauses.reduce((sum, { movedBySeconds }) => sum - (movedBySeconds ?? 0), shift);
  return unknown.length === 1
    ? pauses.map((pause) => (pause === unknown[0] ? { ...pause, movedBySeconds: rest } : pause))
    : pauses;
};

const ABOUT_PAUSES: readonly string[] = ['paused', 'resumed', 'cancelled', 'completed'];

/** The pauses of a stream. Most have had none, and nothing is read for these. */
export const pausesOf = async (stream: StreamRecord, store: StoreReader): Promise<readonly Pause[]> => {
  const { status, shift_seconds: shift, paused_at: pausedAt } = stream;
  if (shift === 0 && pausedAt === null && status !== 'CANCELLED') return [];
  const { items } = await store.find(eventCollection, { where: { entity: stream.id }, isCounted: false });
  return pausesIn(
    items.filter(({ event_type: type }) => ABOUT_PAUSES.includes(type)),
    shift,
  );
};
