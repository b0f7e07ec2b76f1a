/** What is known of one turn of a webhook while it lasts: what is under way, what waits, and what was done and is not kept yet. */
import type { SendResult } from '../../operation/ports/messenger.js';
import { nextTryAt, type DeliveryRules } from '../../record/webhooks/retries.js';
import { deliveryId, type DeliveryRecord, type WebhookRecord } from '../../record/webhooks/webhook.js';
import type { PlacedEvent } from './events-for.js';
import type { Done, Kept, Turn } from './turn.js';

/** A try that was answered, or was not. */
export type Try = {
  readonly event: PlacedEvent;
  /** This one among them. */
  readonly attempts: number;
  readonly result: SendResult;
  /** Unix seconds. */
  readonly now: number;
};

/** The receiver wants no more. */
const GONE = 410;
/** Characters of an answer that are kept. */
const KEPT_CHARACTERS = 300;
const DAY = 86_400;

/** What a try leaves of a delivery. */
export const afterTry = (
  { event, attempts, result, now }: Try,
  { id }: Pick<WebhookRecord, 'id'>,
  rules: DeliveryRules,
): DeliveryRecord => {
  const { status, reason, body, milliseconds } = result;
  const next = reason === null || status === GONE ? null : nextTryAt(attempts, now, rules);
  return {
    id: deliveryId(id, event.sequence),
    webhook_id: id,
    sequence: event.sequence,
    event_id: event.id,
    type: event.type,
    status: reason === null ? 'delivered' : next === null ? 'set_aside' : 'waiting',
    attempts,
    next_at: next,
    last: { at: now, status, reason, body: body.slice(0, KEPT_CHARACTERS), milliseconds },
  };
};

/** Why a webhook that failed is told nothing any more; null: it is tried again. */
export const disableReason = (
  { status, reason }: SendResult,
  failingFor: number,
  { disabledAfterSeconds }: DeliveryRules,
): string | null => {
  if (status === GONE) return 'it answered 410: it wants no more';
  if (failingFor < disabledAfterSeconds) return null;
  return `it took nothing for ${Math.round(disabledAfterSeconds / DAY)} days: ${reason ?? ''}`;
};

const bySequence = (records: readonly DeliveryRecord[]): Map<number, DeliveryRecord> =>
  new Map(records.map((record) => [record.sequence, record]));

/** Where in the log a turn is: what is under way, and what waits. */
const createPlaces = (turn: Turn) => {
  /** As the store has it. */
  let kept = turn.cursor;
  /** All up to here was begun, or is not for this webhook. */
  let begun = turn.cursor;
  let waiting = bySequence(turn.waiting);
  const underWay = new Map<number, Promise<void>>();
  const takeIn = (record: DeliveryRecord): void => {
    if (record.status === 'waiting') waiting.set(record.sequence, record);
    else waiting.delete(record.sequence);
  };
  return {
    underWay,
    takeIn,
    begun: (): number => begun,
    passed: (sequence: number): void => {
      begun = sequence;
    },
    /** In the order of events. */
    waiting: (): readonly DeliveryRecord[] =>
      [...waiting.values()].toSorted((a, b) => a.sequence - b.sequence),
    /** What waits, and what may come to: it is tried for the first time now. */
    open: (): readonly { readonly attempts: number }[] => [
      ...waiting.values(),
      ...[...underWay.keys()].filter((one) => !waiting.has(one)).map(() => ({ attempts: 0 })),
    ],
    isWaiting: (sequence: number): boolean => waiting.has(sequence),
    forget: (sequence: number): void => {
      waiting.delete(sequence);
    },
    /** A try that was cut off: it counts as none, and the event is sent again. */
    cutOff: (sequence: number): void => {
      if (!waiting.has(sequence)) begun = Math.min(begun, sequence - 1);
    },
    /** From where the store has it, to where everything is done. */
    span: (): Pick<Done, 'from' | 'cursor'> => {
      const open = [...underWay.keys()].filter((sequence) => sequence > kept);
      return { from: kept, cursor: Math.min(begun, ...open.map((sequence) => sequence - 1)) };
    },
    wasKept: (outcome: Exclude<Kept, { readonly kind: 'lost' }>, unkept: readonly DeliveryRecord[]): void => {
      if (outcome.kind === 'moved') begun = outcome.cursor;
      kept = outcome.cursor;
      waiting = bySequence(outcome.waiting);
      for (const record of unkept) takeIn(record);
    },
  };
};

/** What came of the tries of a turn. */
const createTally = ({ webhook, failingSince: failingBefore }: Turn, rules: DeliveryRules) => {
  let failingSince = failingBefore;
  let done: DeliveryRecord[] = [];
  let dropped: string[] = [];
  let isBack = false;
  let disable: string | null = null;
  let tries = 0;
  return {
    isDisabled: (): boolean => disable !== null,
    /** What is done and not kept yet. */
    unkept: (): readonly DeliveryRecord[] => done,
    /** Answered or not, in the whole turn. */
    tries: (): number => tries,
    drop: (id: string): void => {
      dropped.push(id);
    },
    note: (one: Try): DeliveryRecord => {
      const record = afterTry(one, webhook, rules);
      done.push(record);
      tries += 1;
      if (one.result.reason === null) {
        isBack ||= failingSince !== null && one.now - failingSince >= rules.outageSeconds;
        failingSince = null;
      } else {
        failingSince ??= one.now;
        disable ??= disableReason(one.result, one.now - failingSince, rules);
      }
      return record;
    },
    /** What is to be kept now. What is noted from here on is kept the next time. */
    take: (): Omit<Done, 'from' | 'cursor'> => {
      const taken = { failingSince, deliveries: done, dropped, isBack, disable };
      [done, dropped, isBack] = [[], [], false];
      return taken;
    },
  };
};

export type Progress = ReturnType<typeof createProgress>;

/** Begins with what the store has of a turn. */
export const createProgress = (turn: Turn, rules: DeliveryRules) => {
  const places = createPlaces(turn);
  const { unkept, isDisabled, tries, ...tally } = createTally(turn, rules);
  return {
    ...places,
    isDisabled,
    tries,
    unkept: (): number => unkept().length,
    /** A delivery that is for nobody any more. */
    drop: ({ id, sequence }: DeliveryRecord): void => {
      places.forget(sequence);
      tally.drop(id);
    },
    note: (one: Try): DeliveryRecord => {
      const record = tally.note(one);
      places.takeIn(record);
      return record;
    },
    take: (): Done => ({ ...places.span(), ...tally.take() }),
    wasKept: (outcome: Exclude<Kept, { readonly kind: 'lost' }>): void => {
      places.wasKept(outcome, unkept());
    },
  };
};
