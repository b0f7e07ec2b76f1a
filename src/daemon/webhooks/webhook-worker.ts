/** Delivers the event log to webhooks. It runs in `treasury serve`, and nowhere else. */
import { randomUUID } from 'node:crypto';
import type { Context } from '../../operation/context.js';
import { inTurns } from '../../operation/turns.js';
import type { ToldRecords } from '../../record/deployable.js';
import { webhookBacklog } from '../../record/webhooks/backlog.js';
import { mustWait, RULES, type DeliveryRules } from '../../record/webhooks/retries.js';
import { activeWebhooks, deliveriesOf, stateOf, type WebhookRecord } from '../../record/webhooks/webhook.js';
import type { Worker } from '../start-daemon.js';
import { eventsFor } from './events-for.js';
import { sendEvents, type Sending } from './send-events.js';
import { passOver, takeTurn } from './turn.js';

export type WebhookWorkerOptions = {
  readonly context: Context;
  /** Who may read the records that events are about, by product. */
  readonly told: readonly ToldRecords[];
  /** How often the store is looked at for what others have committed, milliseconds; default a second. */
  readonly tickMs?: number;
  /** Default: those of the program. */
  readonly rules?: Partial<DeliveryRules>;
  /** How long what is under way may take once the daemon is to stop, milliseconds; default two seconds. */
  readonly graceMs?: number;
};

export type WebhookWorker = Worker & {
  /** Looks for something to deliver now. */
  readonly wake: () => void;
  /** Resolves when nothing is due; for tests. */
  readonly idle: () => Promise<void>;
};

const TICK_MS = 1_000;
const GRACE_MS = 2_000;
/** Webhooks that are begun with in one turn of the program. */
const WEBHOOKS_AT_ONCE = 10;
/** Events that are not for a webhook are passed over without a commit, up to so many and for so long. */
const PASS_OVER = 1_000;
const PASS_OVER_MS = 60_000;

/** How far the log was looked through for a webhook whose place is `cursor` since a moment, and nothing in it was for it. */
type Seen = Map<string, { readonly cursor: number; readonly passed: number; readonly since: number }>;

/** True when a webhook has something to be sent now. */
const isDue = async (webhook: WebhookRecord, seen: Seen, sending: Sending): Promise<boolean> => {
  const { store, clock, rules } = sending;
  const { cursor } = await stateOf(store, webhook);
  const waiting = await deliveriesOf(store, webhook.id, 'waiting');
  const now = clock.wall();
  if (waiting.some(({ next_at: at }) => at !== null && at <= now)) return true;
  if (mustWait(webhook, waiting, rules)) return false;
  const last = seen.get(webhook.id);
  const known = last?.cursor === cursor ? last : { cursor, passed: cursor, since: performance.now() };
  const { event, passed } = await eventsFor(webhook, sending).next(known.passed);
  seen.set(webhook.id, event === null ? { ...known, passed } : known);
  const isMuch = passed - cursor >= PASS_OVER || performance.now() - known.since >= PASS_OVER_MS;
  if (event === null && passed > cursor && isMuch) await passOver(webhook.id, cursor, passed, sending);
  return event !== null;
};

/** How far the webhooks are, for whoever collects. */
const measure = async ({ store, meters }: Sending): Promise<void> => {
  if (meters.http === null) return;
  const { behind, waiting } = await webhookBacklog(store);
  meters.set('webhook_events_behind', behind);
  meters.set('webhook_deliveries_waiting', waiting);
};

/** Sends to one webhook until nothing is due, in as many turns as that takes. */
const serveWebhook = async (webhook: WebhookRecord, seen: Seen, sending: Sending): Promise<void> => {
  let tries = 1;
  while (tries > 0 && !sending.stopping.aborted && (await isDue(webhook, seen, sending))) {
    const turn = await takeTurn(webhook.id, randomUUID(), sending);
    tries = turn === null ? 0 : await sendEvents(turn, sending);
  }
};

/** One look at all webhooks: those that nobody here serves are served. */
const createLook = (sending: Sending) => {
  const seen: Seen = new Map();
  const running = new Map<string, Promise<void>>();
  const serve = (webhook: WebhookRecord): void => {
    const work = serveWebhook(webhook, seen, sending)
      .catch((error: unknown) => {
        sending.log.error(
          { err: error, webhook: webhook.label },
          'a webhook could not be served; it is tried again',
        );
      })
      .finally(() => running.delete(webhook.id));
    running.set(webhook.id, work);
  };
  return {
    running,
    once: async (): Promise<void> => {
      const { store, log } = sending;
      try {
        await store.refresh();
        const webhooks = await activeWebhooks(store);
        await inTurns(WEBHOOKS_AT_ONCE, webhooks, (webhook) => {
          if (!running.has(webhook.id)) serve(webhook);
        });
        await measure(sending);
      } catch (error) {
        log.error({ err: error }, 'the webhooks could not be looked at; they are tried again');
      }
    },
  };
};

/** The worker of a service. */
export const webhookWorker = (options: WebhookWorkerOptions): WebhookWorker => {
  const { context, told, tickMs = TICK_MS, graceMs = GRACE_MS } = options;
  const [stopping, cut] = [new AbortController(), new AbortController()];
  const rules = { ...RULES, ...options.rules };
  const look = createLook({ ...context, told, rules, stopping: stopping.signal, cut: cut.signal });
  let timer: NodeJS.Timeout | undefined;
  let stopListening: () => void = () => undefined;
  let isWoken = false;
  let looking: Promise<void> | null = null;

  const lookAgain = async (): Promise<void> => {
    while (isWoken && !stopping.signal.aborted) {
      isWoken = false;
      await look.once();
    }
  };
  const wake = (): void => {
    isWoken = true;
    looking ??= lookAgain().finally(() => {
      looking = null;
    });
  };
  const settled = async (): Promise<void> => {
    await looking;
    await Promise.all(look.running.values());
  };
  return {
    name: 'webhooks',
    start: () => {
      timer = setInterval(wake, tickMs).unref();
      stopListening = context.onCommit?.(wake) ?? (() => undefined);
      wake();
      return Promise.resolve();
    },
    stop: async () => {
      clearInterval(timer);
      stopListening();
      stopping.abort();
      const late = setTimeout(() => {
        cut.abort();
      }, graceMs);
      await settled();
      clearTimeout(late);
    },
    wake,
    idle: async () => {
      wake();
      await settled();
    },
  };
};
