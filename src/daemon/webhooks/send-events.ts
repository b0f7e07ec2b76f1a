/** One turn of a webhook: what is due is sent, one at a time or as many at once as it asks for, until nothing is. */
import { setTimeout as wait } from 'node:timers/promises';
import { isTreasuryError, messageOf } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import type { SendResult } from '../../operation/ports/messenger.js';
import { bodyOf } from '../../record/webhooks/filter.js';
import { mustWait, type DeliveryRules } from '../../record/webhooks/retries.js';
import { signingSecrets, type WebhookRecord } from '../../record/webhooks/webhook.js';
import { eventsFor, type EventsFor, type EventSource, type PlacedEvent } from './events-for.js';
import { createProgress, type Progress } from './progress.js';
import { keepTurn, type Done, type Kept, type Turn } from './turn.js';

/** Deliveries, and milliseconds, after which a turn keeps what it has done. */
const KEEP_AFTER = 50;
const KEEP_AFTER_MS = 500;
/** How long it is tried to keep what was done while the store does not take it, and how often, milliseconds. */
const KEEP_TRIED_MS = 30_000;
const KEEP_AGAIN_MS = 500;

export type Sending = EventSource &
  Pick<Context, 'clock' | 'messenger' | 'meters' | 'log'> & {
    readonly rules: DeliveryRules;
    /** Nothing new is begun once it is aborted. */
    readonly stopping: AbortSignal;
    /** Ends what is under way. */
    readonly cut: AbortSignal;
  };

/** Sends one event with the signatures of now. */
export const sendEvent = async (
  event: PlacedEvent,
  webhook: WebhookRecord,
  { messenger, clock, cut }: Pick<Sending, 'messenger' | 'clock' | 'cut'>,
): Promise<SendResult> => {
  const { url, allow_private: allowPrivate } = webhook;
  const timestamp = clock.wall();
  const failure = (reason: string): SendResult => ({ status: null, reason, body: '', milliseconds: 0 });
  try {
    const [newest = null, ...older] = await messenger.secretsOf(signingSecrets(webhook, timestamp));
    if (newest === null)
      return failure('its secret is none of this home any more: `treasury webhooks rotate` makes another');
    const secrets = [newest, ...older.filter((secret) => secret !== null)];
    const body = bodyOf(event);
    return await messenger.sendSigned({
      url,
      allowPrivate,
      secrets,
      id: event.id,
      timestamp,
      body,
      signal: cut,
    });
  } catch (error) {
    // Where it goes was allowed when it was made, and is not any more.
    return failure(messageOf(error));
  }
};

type Working = {
  readonly webhook: WebhookRecord;
  readonly events: EventsFor;
  readonly progress: Progress;
  readonly sending: Sending;
};

/** Counts a try, and says what failed. */
const tell =
  ({ webhook, progress, sending: { meters, log, clock } }: Working, event: PlacedEvent) =>
  (attempts: number, result: SendResult): void => {
    const record = progress.note({ event, attempts, result, now: clock.wall() });
    if (result.reason === null) {
      meters.count('webhook_deliveries');
      return;
    }
    meters.count('webhook_failures');
    const { status, next_at: nextAt } = record;
    log.warn(
      { webhook: webhook.label, event: event.id, attempts, nextAt, reason: result.reason },
      status === 'set_aside' ? 'a delivery to a webhook is set aside' : 'a delivery to a webhook failed',
    );
  };

const begin = (working: Working, event: PlacedEvent, attempts: number): void => {
  const { webhook, progress, sending } = working;
  const work = sendEvent(event, webhook, sending).then((result) => {
    progress.underWay.delete(event.sequence);
    if (sending.cut.aborted && result.reason !== null) progress.cutOff(event.sequence);
    else tell(working, event)(attempts, result);
  });
  progress.underWay.set(event.sequence, work);
};

/** Begins a delivery that waits and is due. @returns false when there is none */
const beginDue = async (working: Working): Promise<boolean> => {
  const { events, progress, sending } = working;
  const now = sending.clock.wall();
  for (const delivery of progress.waiting()) {
    const { sequence, attempts, next_at: at } = delivery;
    if (progress.underWay.has(sequence) || at === null || at > now) continue;
    const event = await events.at(sequence);
    if (event === null) progress.drop(delivery);
    else {
      begin(working, event, attempts + 1);
      return true;
    }
  }
  return false;
};

/** Begins the next event of the log, unless it has to wait for others. @returns false when there is none */
const beginNext = async (working: Working): Promise<boolean> => {
  const { webhook, events, progress, sending } = working;
  if (mustWait(webhook, progress.open(), sending.rules)) return false;
  const { event, passed } = await events.next(progress.begun());
  progress.passed(passed);
  if (event === null) return false;
  // One that waits already was told before the place was set back: it keeps its own times.
  if (!progress.isWaiting(event.sequence)) begin(working, event, 1);
  return true;
};

/** The store may take later what it did not take now. */
const mayPass = (error: unknown): boolean =>
  isTreasuryError(error) && (error.retryable || error.code === 'commit_unknown');

/**
 * Keeps what was done, also where the store comes back only after a while: what was delivered is not sent again for that. Kept
 * twice it is the same, and under the lease of another it is not kept.
 */
const keepInTime = async (turn: Turn, done: Done, sending: Sending): Promise<Kept> => {
  const until = performance.now() + KEEP_TRIED_MS;
  for (;;)
    try {
      return await keepTurn(turn, done, sending);
    } catch (error) {
      if (!mayPass(error) || sending.cut.aborted || performance.now() >= until) throw error;
      await wait(KEEP_AGAIN_MS);
    }
};

/** Keeps what was done. @returns false when the webhook is another's */
const keep = async (turn: Turn, { webhook, progress, sending }: Working) => {
  const done = progress.take();
  const kept = await keepInTime(turn, done, sending);
  if (kept.kind === 'lost') return false;
  if (done.disable !== null) {
    sending.meters.count('webhooks_disabled');
    sending.log.warn({ webhook: webhook.label, reason: done.disable }, 'a webhook is disabled');
  }
  progress.wasKept(kept);
  return true;
};

/**
 * Works a turn off, until nothing is due any more, the worker stops, or the webhook is another's, or is to be.
 *
 * @returns how many tries were made
 */
export const sendEvents = async (
  turn: Turn,
  sending: Sending,
  isWanted: () => boolean = () => true,
): Promise<number> => {
  const { webhook } = turn;
  const progress = createProgress(turn, sending.rules);
  const working: Working = { webhook, events: eventsFor(webhook, sending), progress, sending };
  let keptAt = performance.now();
  let isMine = true;
  /** Why no more can be read: what is under way is brought to its end, and what was done is kept. */
  let failed: { readonly error: unknown } | null = null;
  const mayBegin = (): boolean =>
    isMine &&
    failed === null &&
    isWanted() &&
    !sending.stopping.aborted &&
    !progress.isDisabled() &&
    progress.underWay.size < webhook.at_once;
  for (;;) {
    try {
      while (mayBegin() && ((await beginDue(working)) || (await beginNext(working)))) continue;
    } catch (error) {
      failed = { error };
    }
    if (progress.underWay.size === 0) break;
    await Promise.race(progress.underWay.values());
    const isLate = performance.now() - keptAt >= KEEP_AFTER_MS;
    if (isMine && (isLate || progress.unkept() >= KEEP_AFTER)) {
      isMine = await keep(turn, working);
      keptAt = performance.now();
    }
  }
  if (isMine) await keep(turn, working);
  if (failed !== null) throw failed.error;
  return progress.tries();
};
