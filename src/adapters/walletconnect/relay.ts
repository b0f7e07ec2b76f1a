/**
 * The relay: a WebSocket on which messages are published to topics and come from them. It sees topics, sizes and times,
 * and never what is said.
 *
 * A connection that is lost is made anew, with its topics, until it is closed here.
 */
import WebSocket from 'ws';
import { TreasuryError } from '../../errors.js';
import { messageName } from './envelope.js';
import { answerText, readMessage, relayId, requestText, type Incoming, type Publishing } from './messages.js';
import { relayToken } from './relay-token.js';

export type RelaySettings = {
  readonly url: string;
  readonly projectId: string;
  /** 32 bytes: whose mailbox it is. */
  readonly seed: Uint8Array;
  readonly random: (length: number) => Uint8Array;
  /** Unix milliseconds. */
  readonly nowMs: () => number;
};

/** Takes the messages of a topic, each once however often it is delivered. */
export type Listener = (message: string) => void;

export type Relay = {
  /** Takes what comes on a topic from now on; what was kept of it has come when this resolves. */
  readonly subscribe: (topic: string, listener: Listener) => Promise<void>;
  readonly unsubscribe: (topic: string) => Promise<void>;
  readonly publish: (topic: string, message: string, how: Publishing) => Promise<void>;
  /** Why there is no connection now; null: there is one. */
  readonly trouble: () => TreasuryError | null;
  readonly close: () => void;
};

/** How long the relay may take to connect, and for each answer. */
const LIMIT_MS = 15_000;
const PING_MS = 30_000;
/** Waits between attempts to connect again. */
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000];
/** Longest message that is read, bytes: a few of the largest transactions. */
const LONGEST_MESSAGE = 4_000_000;
/** Close codes of a relay that does not take the project or the token. */
const REFUSING_CODES: readonly number[] = [3000, 4001, 4003, 4008, 4010];
const REFUSING_STATUS: readonly number[] = [400, 401, 402, 403];

const ignore = (): void => undefined;

type Pending = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void };

/** One connection. */
type Wire = { readonly socket: WebSocket; readonly pending: Map<string, Pending> };

/** Who the relay is asked as, in its address. */
const addressOf = ({ url, projectId, seed, random, nowMs }: RelaySettings): string => {
  const subject = Buffer.from(random(32)).toString('hex');
  const auth = relayToken({ seed, relayUrl: url, subject, now: Math.floor(nowMs() / 1_000) });
  const query = new URLSearchParams({ auth, projectId, ua: `wc-2/js-2.0.0/${process.platform}/node` });
  return `${url.replace(/\/$/, '')}/?${query.toString()}`;
};

const refused = ({ url, projectId }: RelaySettings, reason: string): TreasuryError =>
  new TreasuryError('project_id_refused', { relay: url, projectId, reason });

const away = ({ url }: RelaySettings, reason: string): TreasuryError =>
  new TreasuryError('relay_unavailable', { relay: url, reason });

/** Connects once. @throws relay_unavailable, project_id_refused */
const connect = (settings: RelaySettings): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(addressOf(settings), {
      handshakeTimeout: LIMIT_MS,
      maxPayload: LONGEST_MESSAGE,
      perMessageDeflate: false,
    });
    const fail = (error: TreasuryError): void => {
      socket.on('error', ignore);
      socket.terminate();
      reject(error);
    };
    socket.once('unexpected-response', (_request, { statusCode = 0, statusMessage = '' }) => {
      const reason = `HTTP ${statusCode} ${statusMessage}`.trim();
      fail((REFUSING_STATUS.includes(statusCode) ? refused : away)(settings, reason));
    });
    socket.once('error', (error) => {
      fail(away(settings, error.message === '' ? 'no connection' : error.message));
    });
    socket.once('open', () => {
      socket.removeAllListeners('error').on('error', ignore);
      resolve(socket);
    });
  });

const callOn = (wire: Wire, settings: RelaySettings, name: string, params: unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const id = relayId(settings.nowMs(), settings.random(4));
    const end = (): void => {
      clearTimeout(timer);
      wire.pending.delete(id);
    };
    const timer = setTimeout(() => {
      end();
      reject(away(settings, `no answer to ${name} within ${LIMIT_MS / 1_000} seconds`));
    }, LIMIT_MS);
    wire.pending.set(id, {
      resolve: (result) => {
        end();
        resolve(result);
      },
      reject: (error) => {
        end();
        reject(error);
      },
    });
    wire.socket.send(requestText(id, name, params));
  });

type Delivered = { readonly topic: string; readonly message: string };

const readDelivered = (value: unknown): Delivered | null => {
  const { topic, message } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  return typeof topic === 'string' && typeof message === 'string' ? { topic, message } : null;
};

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** The relay's own word for an error. */
const errorText = ({ error }: Incoming): string => {
  const { message } = asRecord(error);
  return typeof message === 'string' ? message : 'an error';
};

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

/** What comes on a connection. */
const listenOn = (wire: Wire, settings: RelaySettings, take: (delivered: Delivered | null) => void): void => {
  wire.socket.on('message', (data: Buffer) => {
    const message = readMessage(data.toString('utf8'));
    if (message?.id == null) return;
    if (message.method === 'irn_subscription') {
      wire.socket.send(answerText(message.id, { result: true }));
      take(readDelivered(asRecord(message.params)['data']));
      return;
    }
    const waiting = wire.pending.get(message.id);
    if (message.error !== undefined) waiting?.reject(away(settings, errorText(message)));
    else if (message.method === null) waiting?.resolve(message.result);
  });
};

/** Pings a quiet line, and lets go of one that is dead. */
const keepAlive = ({ socket }: Wire): (() => void) => {
  let isHeard = true;
  const timer = setInterval(() => {
    if (!isHeard) socket.terminate();
    isHeard = false;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, PING_MS);
  const hear = (): void => {
    isHeard = true;
  };
  socket.on('pong', hear);
  socket.on('ping', hear);
  socket.on('message', hear);
  return () => {
    clearInterval(timer);
  };
};

/** Opens a relay. @throws relay_unavailable, project_id_refused */
export const openRelay = async (settings: RelaySettings): Promise<Relay> => {
  const listeners = new Map<string, Listener>();
  const subscriptions = new Map<string, unknown>();
  const take = createInbox(listeners);
  let wire: Promise<Wire> | null = null;
  let trouble: TreasuryError | null = null;
  let isClosed = false;

  const fetchKept = async (line: Wire, topic: string): Promise<void> => {
    for (let hasMore = true; hasMore;) {
      const found = asRecord(await callOn(line, settings, 'irn_fetchMessages', { topic }));
      const messages = Array.isArray(found['messages']) ? (found['messages'] as unknown[]) : [];
      for (const message of messages) take(readDelivered(message));
      hasMore = found['hasMore'] === true && messages.length > 0;
    }
  };
  const subscribeOn = async (line: Wire, topic: string): Promise<void> => {
    subscriptions.set(topic, await callOn(line, settings, 'irn_subscribe', { topic }));
    // A relay that has delivered all with the subscription need not have this call.
    await fetchKept(line, topic).catch(ignore);
  };

  const open = async (): Promise<Wire> => {
    const line: Wire = { socket: await connect(settings), pending: new Map() };
    const stopPings = keepAlive(line);
    listenOn(line, settings, take);
    line.socket.once('close', (code, reason) => {
      stopPings();
      const said = reason.toString('utf8');
      const words = `it has closed the connection (${code}${said === '' ? '' : `: ${said}`})`;
      trouble = (REFUSING_CODES.includes(code) ? refused : away)(settings, words);
      for (const { reject } of [...line.pending.values()]) reject(trouble);
      wire = null;
      if (!isClosed && trouble.code === 'relay_unavailable') void again(0);
    });
    for (const topic of listeners.keys()) await subscribeOn(line, topic);
    trouble = null;
    return line;
  };
  const line = (): Promise<Wire> => {
    wire ??= open().catch((error: unknown) => {
      wire = null;
      if (error instanceof TreasuryError) trouble = error;
      throw error;
    });
    return wire;
  };
  const again = async (attempt: number): Promise<void> => {
    const pause = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)];
    await new Promise((resolve) => setTimeout(resolve, pause).unref());
    if (isClosed) return;
    await line().catch((error: unknown) => {
      if (error instanceof TreasuryError && error.code === 'relay_unavailable') void again(attempt + 1);
    });
  };
  /** A call, once more where its connection was lost. */
  const call = async (name: string, params: unknown): Promise<void> => {
    try {
      await callOn(await line(), settings, name, params);
    } catch (error) {
      if (wire !== null || isClosed || trouble?.code === 'project_id_refused') throw error;
      await callOn(await line(), settings, name, params);
    }
  };

  await line();
  return {
    subscribe: async (topic, listener) => {
      const isNew = !listeners.has(topic);
      listeners.set(topic, listener);
      if (isNew) await subscribeOn(await line(), topic);
    },
    unsubscribe: async (topic) => {
      listeners.delete(topic);
      await call('irn_unsubscribe', { topic, id: subscriptions.get(topic) });
    },
    publish: (topic, message, how) => call('irn_publish', { topic, message, ...how }),
    trouble: () => trouble,
    close: () => {
      isClosed = true;
      void wire?.then(({ socket }) => {
        socket.close();
        // A relay that does not say goodbye is not waited for.
        setTimeout(() => {
          socket.terminate();
        }, 500).unref();
      }, ignore);
    },
  };
};
