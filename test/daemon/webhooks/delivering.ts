/** A home whose log is delivered to webhooks: real store, real messenger, a clock that is moved by hand. */
import type { ExecutionContext } from 'ava';
import { Webhook } from 'standardwebhooks';
import { addressOfHash } from '../../../src/bch/address.js';
import { createSharing, type Sharing } from '../../../src/daemon/sharing/share.js';
import { webhookWorker, type WebhookWorkerOptions } from '../../../src/daemon/webhooks/webhook-worker.js';
import { defineWebhooks } from '../../../src/home/webhooks/index.js';
import { operationsOf } from '../../../src/operation/define.js';
import type { Reply } from '../../../src/operation/execute.js';
import { eventLog, tellEvent, type Telling } from '../../../src/record/event-log.js';
import type { LoggedEvent } from '../../../src/record/event-log.js';
import { openTestHome, type TestHome, type TestHomeOptions } from '../../home.js';
import type { Received } from '../../receiver.js';

export const alice = addressOfHash(new Uint8Array(20).fill(1), 'local');
export const bob = addressOfHash(new Uint8Array(20).fill(2), 'local');

const operations = operationsOf(defineWebhooks([]));

/** What a webhook's answer says of it, as far as tests read it. */
export type Shown = {
  readonly label: string;
  readonly status: string;
  readonly reason: string | null;
  readonly cursor: number;
  readonly behind: number;
  readonly waiting: number;
  readonly setAside: number;
};

export type Delivering = TestHome & {
  readonly worker: (options?: Partial<WebhookWorkerOptions>) => ReturnType<typeof webhookWorker>;
  /** One of several daemons: its worker, and its share of the work. */
  readonly daemon: () => Promise<{
    readonly worker: ReturnType<typeof webhookWorker>;
    readonly share: Sharing;
  }>;
  /** Makes a webhook, and gives its label and secret. */
  readonly add: (url: string, more?: Record<string, unknown>) => Promise<{ label: string; secret: string }>;
  readonly run: (verb: string, input?: Record<string, unknown>) => Promise<Reply>;
  readonly show: (label: string) => Promise<Shown>;
  /** Tells events of these types, in one commit each. */
  readonly tell: (...types: string[]) => Promise<void>;
  readonly tellOne: (event: Partial<Telling>) => Promise<void>;
};

export const openDelivering = async (
  t: ExecutionContext,
  options: TestHomeOptions = {},
): Promise<Delivering> => {
  const home = await openTestHome(t, options);
  const run: Delivering['run'] = (verb, input = {}) => {
    const operation = operations.find(({ id }) => id === `webhooks.${verb}`);
    if (operation === undefined) throw new Error(`there is no webhooks.${verb}`);
    return home.ask(operation, input, alice);
  };
  const tellOne: Delivering['tellOne'] = async (event) => {
    await home.store.transaction((writer) =>
      tellEvent(writer, { type: 'stream.claimed', time: home.clock.wall(), subject: null, ...event }),
    );
  };
  return {
    ...home,
    run,
    tellOne,
    tell: async (...types) => {
      for (const type of types) await tellOne({ type });
    },
    worker: (options = {}) => {
      const worker = webhookWorker({ context: home, told: [], tickMs: 20, graceMs: 200, ...options });
      t.teardown(worker.stop);
      return worker;
    },
    daemon: async () => {
      const share = createSharing({ context: home, tickMs: 10 });
      const worker = webhookWorker({
        context: home,
        told: [],
        tickMs: 20,
        graceMs: 200,
        share,
        onUnknown: share.look,
      });
      t.teardown(async () => {
        await worker.stop();
        await share.stop();
      });
      await share.start();
      return { worker, share };
    },
    add: async (url, more = {}) => {
      const reply = (await run('add', { url, allowPrivate: true, ...more })) as {
        webhook: Shown;
        secret: string;
      };
      return { label: reply.webhook.label, secret: reply.secret };
    },
    show: async (id) => ((await run('show', { id })) as { webhook: Shown }).webhook,
  };
};

/** The events of the log. */
export const logOf = async ({ store }: Pick<TestHome, 'store'>) =>
  (await store.readLog(eventLog, { after: 0, limit: 100_000 })).entries;

type Body = {
  readonly type: string;
  readonly timestamp: string;
  readonly data: LoggedEvent & { readonly sequence: number };
};

/**
 * What a receiver got: throws for one that the secret has not signed. The clock of the home stands in another year than
 * that of the verifier, so the time is no matter here.
 */
export const opened = (received: readonly Received[], secret: string): Body[] =>
  received.map(({ headers, body }) => {
    const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': signature } = headers;
    const expected = new Webhook(secret).sign(String(id), new Date(Number(time) * 1000), body);
    if (!String(signature).split(' ').includes(expected)) throw new Error('it is forged');
    return JSON.parse(body) as Body;
  });

/** The places in the log of what was received, in order. */
export const sequencesOf = (bodies: readonly Body[]): number[] => bodies.map(({ data }) => data.sequence);
