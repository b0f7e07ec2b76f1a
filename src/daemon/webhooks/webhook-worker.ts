/** Delivers the event log to webhooks. It runs in `treasury serve`, and nowhere else. */
import type { Context } from '../../operation/context.js';
import { inTurns } from '../../operation/turns.js';
import type { ToldRecords } from '../../record/deployable.js';
import { isLeaseLost } from '../../record/leases.js';
import { webhookBacklog } from '../../record/webhooks/backlog.js';
import { mustWait, RULES, type DeliveryRules } from '../../record/webhooks/retries.js';
import {
  activeWebhooks,
  deliveriesOf,
  stateOf,
  webhookWork,
  type WebhookRecord,
} from '../../record/webhooks/webhook.js';
import { allOfIt, type Share } from '../sharing/share.js';
import type { Worker } from '../start-daemon.js';
import { eventsFor } from './events-for.js';
import { sendEvents, type Sending } from './send-events.js';
import { passOver, readTurn } from './turn.js';

export type WebhookWorkerOptions = {
  readonly context: Context;
  /** Who may read the records that events are about, by product. */
  readonly told: readonly ToldRecords[];
  /** Default: all of the work. */
  readonly share?: Share;
  /** Called when there is a webhook that was not there before: somebody has to take it. */
  readonly onUnknown?: () => Promise<void>;
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
const serveWebhook = async (
  webhook: WebhookRecord,
  seen: Seen,
  sending: Sending,
  isWanted: () => boolean,
): Promise<void> => {
  let tries = 1;
  while (tries > 0 && isWanted() && !sending.stopping.aborted && (await isDue(webhook, seen, sending))) {
    const turn = await readTurn(webhook.id, sending.store);
    tries = turn === null ? 0 : await sendEvents(turn, sending, isWanted);
  }
};

/** One look at all webhooks: those of this daemon that nobody serves are served. */
const createLook = (sending: Sending, share: Share, onUnknown: () => Promise<void>) => {
  const seen: Seen = new Map();
  const running = new Map<string, Promise<void>>();
  const known = new Set<string>();
  const serve = (webhook: WebhookRecord): void => {
    const begun = share.begin(webhookWork(webhook.id));
    if (begun === null) return;
    const work = serveWebhook(webhook, seen, { ...sending, store: begun.store }, begun.isWanted)
      .catch((error: unknown) => {
        if (isLeaseLost(error)) return;
        sending.log.error(
          { err: error, webhook: webhook.label },
          'a webhook could not be served; it is tried again',
        );
      })
      .finally(() => {
        begun.end();
        running.delete(webhook.id);
      });
    running.set(webhook.id, work);
  };
  /** Of one that was made just now nobody has the lease yet. */
  const meet = async (webhooks: readonly WebhookRecord[]): Promise<void> => {
    const isNew = webhooks.some(({ id }) => !known.has(id) && !share.has(webhookWork(id)));
    known.clear();
    for (const { id } of webhooks) known.add(id);
    if (isNew) await onUnknown();
  };
  return {
    running,
    once: async (): Promise<void> => {
      const { store, log } = sending;
      try {
        await store.refresh();
        const webhooks = await activeWebhooks(store);
        await meet(webhooks);
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
  const { share = allOfIt(context.store), onUnknown = () => Promise.resolve() } = options;
  const sending = { ...context, told, rules, stopping: stopping.signal, cut: cut.signal };
  const look = createLook(sending, share, onUnknown);
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
