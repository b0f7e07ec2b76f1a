/** One connection to a relay: JSON-RPC over a WebSocket, in both directions. */
import { hexText } from '../bytes.js';
import { WalletFailure } from '../failure.js';
import { asRecord } from '../shape.js';
import { SocketFailure, type OpenSocket, type Socket } from '../socket.js';
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
  readonly openSocket: OpenSocket;
  /** `linux/node`. */
  readonly platform: string;
};

/** How long the relay may take to connect, and for each answer. */
const LIMIT_MS = 15_000;
/** Longest message that is read, bytes: a few of the largest transactions. */
const LONGEST_MESSAGE = 4_000_000;
const REFUSING_STATUS: readonly number[] = [400, 401, 402, 403];

export const ignore = (): void => undefined;

type Pending = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void };

/** One connection. */
export type Wire = { readonly socket: Socket; readonly pending: Map<string, Pending> };

/** Who the relay is asked as, in its address. */
const addressOf = ({ url, projectId, seed, random, nowMs, platform }: RelaySettings): string => {
  const subject = hexText(random(32));
  const auth = relayToken({ seed, relayUrl: url, subject, now: Math.floor(nowMs() / 1_000) });
  const query = new URLSearchParams({ auth, projectId, ua: `wc-2/js-2.0.0/${platform}` });
  return `${url.replace(/\/$/, '')}/?${query.toString()}`;
};

export const refused = ({ url, projectId }: RelaySettings, reason: string): WalletFailure =>
  new WalletFailure('project_id_refused', { relay: url, projectId, reason });

export const away = ({ url }: RelaySettings, reason: string): WalletFailure =>
  new WalletFailure('relay_unavailable', { relay: url, reason });

export type Delivered = { readonly topic: string; readonly message: string };

export const readDelivered = (value: unknown): Delivered | null => {
  const { topic, message } = asRecord(value);
  return typeof topic === 'string' && typeof message === 'string' ? { topic, message } : null;
};

/** The relay's own word for an error. */
const errorText = ({ error }: Incoming): string => {
  const { message } = asRecord(error);
  return typeof message === 'string' ? message : 'an error';
};

/** Takes what comes on a connection. */
const takeMessage = (
  text: string,
  { socket, pending }: Wire,
  settings: RelaySettings,
  take: (delivered: Delivered | null) => void,
): void => {
  const message = readMessage(text);
  if (message?.id == null) return;
  if (message.method === 'irn_subscription') {
    socket.send(answerText(message.id, { result: true }));
    take(readDelivered(asRecord(message.params)['data']));
    return;
  }
  const waiting = pending.get(message.id);
  if (message.error !== undefined) waiting?.reject(away(settings, errorText(message)));
  else if (message.method === null) waiting?.resolve(message.result);
};

/** Connects once. @param take what is delivered on the connection. @throws relay_unavailable, project_id_refused */
export const connect = async (
  settings: RelaySettings,
  take: (delivered: Delivered | null) => void,
): Promise<Wire> => {
  const pending: Wire['pending'] = new Map();
  try {
    const socket = await settings.openSocket({
      url: addressOf(settings),
      longest: LONGEST_MESSAGE,
      limitMs: LIMIT_MS,
      onMessage: (text, on) => {
        takeMessage(text, { socket: on, pending }, settings, take);
      },
    });
    return { socket, pending };
  } catch (error) {
    if (!(error instanceof SocketFailure)) throw error;
    const isRefusal = REFUSING_STATUS.includes(error.status ?? 0);
    throw (isRefusal ? refused : away)(settings, error.message);
  }
};

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
