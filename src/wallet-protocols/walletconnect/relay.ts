/**
 * The relay: messages are published to topics and come from them. It sees topics, sizes and times, and never what is said.
 *
 * A connection that is lost is made anew, with its topics, until it is closed here.
 */
import { WalletFailure } from '../failure.js';
import { asRecord } from '../shape.js';
import { pause } from '../waiting.js';
import { messageName } from './envelope.js';
import type { Publishing } from './messages.js';
import {
  away,
  callOn,
  connect,
  ignore,
  readDelivered,
  refused,
  type Delivered,
  type RelaySettings,
  type Wire,
} from './relay-socket.js';

/** Takes the messages of a topic, each once however often it is delivered. */
export type Listener = (message: string) => void;

export type Relay = {
  /** Takes what comes on a topic from now on; what was kept of it has come when this resolves. */
  readonly subscribe: (topic: string, listener: Listener) => Promise<void>;
  readonly unsubscribe: (topic: string) => Promise<void>;
  readonly publish: (topic: string, message: string, how: Publishing) => Promise<void>;
  /** Why there is no connection now; null: there is one. */
  readonly trouble: () => WalletFailure | null;
  readonly close: () => void;
};

/** Waits between attempts to connect again. */
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000];
/** Close codes of a relay that does not take the project or the token. */
const REFUSING_CODES: readonly number[] = [3000, 4001, 4003, 4008, 4010];

/** Hands each message on once: what was not acknowledged, or was fetched too, comes again. */
const createInbox = (listeners: ReadonlyMap<string, Listener>) => {
  const seen = new Set<string>();
  return (delivered: Delivered | null): void => {
    const listener = listeners.get(delivered?.topic ?? '');
    if (delivered === null || listener === undefined) return;
    const name = messageName(delivered.message);
    if (seen.has(name)) return;
    seen.add(name);
    listener(delivered.message);
  };
};

/** A line that is made anew when it is lost, until it is closed. */
type Line = {
  /** @throws relay_unavailable, project_id_refused */
  readonly call: (name: string, params: unknown) => Promise<unknown>;
  readonly trouble: () => WalletFailure | null;
  readonly close: () => void;
};

const isAway = (error: unknown): boolean =>
  error instanceof WalletFailure && error.code === 'relay_unavailable';

/** @param greet what is done on each new connection before anything else */
const openLine = (
  settings: RelaySettings,
  take: (delivered: Delivered | null) => void,
  greet: (wire: Wire) => Promise<void>,
): Line => {
  let wire: Promise<Wire> | null = null;
  let trouble: WalletFailure | null = null;
  let isClosed = false;

  const lose = (lost: Wire, code: number, said: string): void => {
    const words = `it has closed the connection (${code}${said === '' ? '' : `: ${said}`})`;
    trouble = (REFUSING_CODES.includes(code) ? refused : away)(settings, words);
    for (const { reject } of [...lost.pending.values()]) reject(trouble);
    wire = null;
    if (!isClosed && isAway(trouble)) void again(0);
  };
  const open = async (): Promise<Wire> => {
    const opened = await connect(settings, take);
    void opened.socket.closed.then(({ code, reason }) => {
      lose(opened, code, reason);
    });
    await greet(opened);
    trouble = null;
    return opened;
  };
  const current = (): Promise<Wire> => {
    wire ??= open().catch((error: unknown) => {
      wire = null;
      if (error instanceof WalletFailure) trouble = error;
      throw error;
    });
    return wire;
  };
  const again = async (attempt: number): Promise<void> => {
    await pause(PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] ?? 0);
    if (isClosed) return;
    await current().catch((error: unknown) => {
      if (isAway(error)) void again(attempt + 1);
    });
  };
  return {
    call: async (name, params) => {
      try {
        return await callOn(await current(), settings, name, params);
      } catch (error) {
        // Once more where its connection was lost.
        if (wire !== null || isClosed || !isAway(error)) throw error;
        return callOn(await current(), settings, name, params);
      }
    },
    trouble: () => trouble,
    close: () => {
      isClosed = true;
      void wire?.then(({ socket }) => {
        socket.close();
      }, ignore);
    },
  };
};

/** So often more is asked for: a relay that always has more is not asked for ever. */
const MOST_PAGES = 100;

/** What was kept of a topic while nobody listened. */
const fetchKept = async (
  call: Line['call'],
  topic: string,
  take: (delivered: Delivered | null) => void,
): Promise<void> => {
  for (let [hasMore, page] = [true, 0]; hasMore && page < MOST_PAGES; page += 1) {
    const found = asRecord(await call('irn_fetchMessages', { topic }));
    const messages = Array.isArray(found['messages']) ? (found['messages'] as unknown[]) : [];
    for (const message of messages) take(readDelivered(message));
    hasMore = found['hasMore'] === true && messages.length > 0;
  }
};

/** A relay, to which the first call connects. Its calls throw relay_unavailable and project_id_refused. */
export const openRelay = (settings: RelaySettings): Relay => {
  const listeners = new Map<string, Listener>();
  const subscriptions = new Map<string, unknown>();
  const take = createInbox(listeners);
  const listenTo = async (topic: string, call: Line['call']): Promise<void> => {
    subscriptions.set(topic, await call('irn_subscribe', { topic }));
    // A relay that has delivered all with the subscription need not have this call.
    await fetchKept(call, topic, take).catch(ignore);
  };
  const line = openLine(settings, take, async (wire) => {
    for (const topic of listeners.keys())
      await listenTo(topic, (name, params) => callOn(wire, settings, name, params));
  });
  return {
    subscribe: async (topic, listener) => {
      const isNew = !listeners.has(topic);
      listeners.set(topic, listener);
      if (isNew) await listenTo(topic, line.call);
    },
    unsubscribe: async (topic) => {
      listeners.delete(topic);
      await line.call('irn_unsubscribe', { topic, id: subscriptions.get(topic) });
    },
    publish: async (topic, message, how) => {
      await line.call('irn_publish', { topic, message, ...how });
    },
    trouble: line.trouble,
    close: line.close,
  };
};
