/** One connection to a relay: JSON-RPC over a WebSocket, in both directions. */
import WebSocket from 'ws';
import { TreasuryError } from '../../errors.js';
import { answerText, readMessage, relayId, requestText, type Incoming } from './messages.js';
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

/** How long the relay may take to connect, and for each answer. */
const LIMIT_MS = 15_000;
const PING_MS = 30_000;
/** Longest message that is read, bytes: a few of the largest transactions. */
const LONGEST_MESSAGE = 4_000_000;
const REFUSING_STATUS: readonly number[] = [400, 401, 402, 403];

export const ignore = (): void => undefined;

type Pending = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void };

/** One connection. */
export type Wire = { readonly socket: WebSocket; readonly pending: Map<string, Pending> };

/** Who the relay is asked as, in its address. */
const addressOf = ({ url, projectId, seed, random, nowMs }: RelaySettings): string => {
  const subject = Buffer.from(random(32)).toString('hex');
  const auth = relayToken({ seed, relayUrl: url, subject, now: Math.floor(nowMs() / 1_000) });
  const query = new URLSearchParams({ auth, projectId, ua: `wc-2/js-2.0.0/${process.platform}/node` });
  return `${url.replace(/\/$/, '')}/?${query.toString()}`;
};

export const refused = ({ url, projectId }: RelaySettings, reason: string): TreasuryError =>
  new TreasuryError('project_id_refused', { relay: url, projectId, reason });

export const away = ({ url }: RelaySettings, reason: string): TreasuryError =>
  new TreasuryError('relay_unavailable', { relay: url, reason });

/** Connects once. @throws relay_unavailable, project_id_refused */
export const connect = (settings: RelaySettings): Promise<WebSocket> =>
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

export const callOn = (
  wire: Wire,
  settings: RelaySettings,
  name: string,
  params: unknown,
): Promise<unknown> =>
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

export type Delivered = { readonly topic: string; readonly message: string };

export const readDelivered = (value: unknown): Delivered | null => {
  const { topic, message } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  return typeof topic === 'string' && typeof message === 'string' ? { topic, message } : null;
};

export const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** The relay's own word for an error. */
const errorText = ({ error }: Incoming): string => {
  const { message } = asRecord(error);
  return typeof message === 'string' ? message : 'an error';
};

/** What comes on a connection. */
export const listenOn = (
  wire: Wire,
  settings: RelaySettings,
  take: (delivered: Delivered | null) => void,
): void => {
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
export const keepAlive = ({ socket }: Wire): (() => void) => {
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
