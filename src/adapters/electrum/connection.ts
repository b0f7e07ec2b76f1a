/**
 * One connection to one server: the only place that touches electrum-cash.
 *
 * The library resolves requests with errors and waits for ever, throws out of its data handler when a server talks
 * nonsense, leaves timers behind, and reconnects by itself without saying what was missed. Here a request throws and
 * has a time limit, and a connection that was lost stays lost: whoever wants another opens another.
 */
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { ElectrumClient } from 'electrum-cash';
import type { WebSocket } from 'ws';
import { createBatches } from './batches.js';
import type { ServerUrl } from './server-url.js';
import { withTimeLimit } from '../../operation/time-limit.js';

/** What a server answers: a result, or why it refuses. */
export type Reply = { readonly result: unknown } | { readonly refusal: string };

export type Connection = {
  /** @throws Error when the connection is lost or the server does not answer in time */
  readonly request: (method: string, params: readonly unknown[], limitMs: number) => Promise<Reply>;
  readonly close: () => void;
};

export type ConnectionOptions = {
  readonly server: ServerUrl;
  /** Protocol version. electrum-cash takes exactly this one. */
  readonly version: string;
  readonly limitMs: number;
  readonly onNotification: (method: string, params: readonly unknown[]) => void;
  /** Called once, when a connection that was open ends without having been closed here. */
  readonly onLost: (reason: string) => void;
  readonly onWarning: (message: string) => void;
  /** Ends the connection, or the attempt. */
  readonly signal: AbortSignal;
};

const APPLICATION = 'treasury';
/** How often a quiet connection is asked for a sign of life. */
const PING_MS = 30_000;
/** How long the library waits for such a sign. Far above the limits of requests, which are kept here. */
const SILENCE_MS = 20_000;
/** The library's own reconnection is never to happen. */
const NEVER_MS = 2 ** 31 - 1;
/** Longest answer that is read, in characters. */
const LONGEST_ANSWER = 64_000_000;

const ignore = (): void => undefined;

const textOf = (error: unknown): string => {
  if (error instanceof Error)
    return 'code' in error && error.message === '' ? String(error.code) : error.message;
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
};

/** The socket itself, which the library forgets when it lets go of it. */
type RawSocket = Socket | WebSocket;

/** A client and its socket, which is there from the turn after `connect` was called. */
type Line = { readonly client: ElectrumClient; raw: RawSocket | null };

/** Takes the place of the library's data handler, so that what it throws ends the connection and not the process. */
const guardData = ({ connection }: ElectrumClient, onNonsense: (reason: string) => void): void => {
  let unread = 0;
  connection.socket.removeAllListeners('data');
  connection.socket.on('data', (data: string) => {
    unread = data.includes('\n') ? 0 : unread + data.length;
    try {
      if (unread > LONGEST_ANSWER) throw new Error('the answer is too long');
      connection.parseMessageChunk(data);
    } catch (error) {
      onNonsense(`answered nonsense (${textOf(error)})`);
    }
  });
};

/** Ends a client at once, whatever it is in the middle of, and what it leaves running with it. */
const endLine = ({ client, raw }: Line): void => {
  const { connection } = client;
  // Past the client's lock, which it holds for as long as a connection attempt hangs.
  void connection
    .disconnect(true)
    .catch(ignore)
    .finally(() => {
      // It plans to reconnect even as it lets go.
      connection.clearReconnectTimer();
      connection.clearKeepAliveTimer();
      for (const timer of connection.verifications) clearTimeout(timer);
    });
  if (raw === null) return;
  if ('terminate' in raw) raw.terminate();
  else raw.destroy();
};

/** @throws Error when a certificate is pinned and another is shown */
const checkCertificate = ({ raw }: Line, options: ConnectionOptions): void => {
  if (!(raw instanceof TLSSocket)) return;
  const { fingerprint, text } = options.server;
  const shown = raw.getPeerCertificate().fingerprint256.replaceAll(':', '').toLowerCase();
  if (fingerprint !== null && shown !== fingerprint) {
    throw new Error(`shows a certificate with the fingerprint ${shown}, not the pinned one`);
  }
  if (fingerprint === null && !raw.authorized) {
    options.onWarning(`nobody vouches for the certificate of ${text}: pin it with ?fingerprint=${shown}`);
  }
};

/** True when the server is there, but does not speak the version. The library rejects with bare text then. */
const isVersionRefused = (error: unknown): boolean =>
  typeof error === 'string' && error.includes('protocol version');

/** Waits until the server has greeted. @throws Error, or what the library rejects with */
const awaitGreeting = async (line: Line, limitMs: number): Promise<void> => {
  const { client } = line;
  const closed = new Promise<never>((_resolve, reject) => {
    client.once('disconnected', () => {
      // A turn later, since the library says that a version is refused only after it has hung up.
      setImmediate(() => {
        reject(new Error('closed the connection'));
      });
    });
  });
  const greeted = Promise.race([client.connect(), closed]);
  greeted.catch(ignore);
  closed.catch(ignore);
  await nextTurn();
  const { tcpSocket, webSocket } = client.connection.socket;
  line.raw = tcpSocket ?? webSocket ?? null;
  // The library takes its own listener off before the socket is done, and an error without a listener ends a process.
  line.raw?.on('error', ignore);
  await withTimeLimit(greeted, limitMs, `did not answer within ${limitMs} ms`);
};

/** How servers are reached: {@link openConnection}. A simulation has another. */
export type Connect = (options: ConnectionOptions) => Promise<Connection | null>;

type Notification = { readonly method: string; readonly params?: readonly unknown[] };

/**
 * Connects to a server.
 *
 * @returns null when the server does not speak the version
 * @throws Error when it cannot be reached in time, or shows another certificate than the pinned one
 */
export const openConnection: Connect = async (options) => {
  const { host, port, scheme } = options.server;
  const client = new ElectrumClient(
    APPLICATION,
    options.version,
    host,
    port,
    scheme,
    SILENCE_MS,
    PING_MS,
    NEVER_MS,
  );
  const line: Line = { client, raw: null };
  const batches = createBatches(client, options.server);
  let state: 'opening' | 'open' | 'ended' = 'opening';
  const end = (reason: string | null): void => {
    const wasOpen = state === 'open';
    if (state === 'ended') return;
    state = 'ended';
    options.signal.removeEventListener('abort', abort);
    if (reason !== null) batches.suspect();
    endLine(line);
    if (wasOpen && reason !== null) options.onLost(reason);
  };
  const abort = (): void => {
    end(null);
  };
  options.signal.addEventListener('abort', abort);
  guardData(client, end);
  client.on('error', ignore);
  try {
    options.signal.throwIfAborted();
    await awaitGreeting(line, options.limitMs);
    checkCertificate(line, options);
  } catch (error) {
    end(null);
    if (isVersionRefused(error)) return null;
    throw new Error(textOf(error), { cause: error });
  }
  state = 'open';
  client.on('disconnected', () => {
    end('closed the connection');
  });
  client.on('notification', ({ method, params = [] }: Notification) => {
    options.onNotification(method, params);
  });
  return {
    request: async (method, params, limitMs) => {
      const result = await batches.ask(method, params, (answer) =>
        withTimeLimit(answer, limitMs, `did not answer ${method} within ${limitMs} ms`),
      );
      if (!(result instanceof Error)) return { result };
      // `end` was called from elsewhere while this waited: the error is the library's own, not the server's.
      if ((state as string) === 'ended') throw result;
      return { refusal: result.message };
    },
    close: () => {
      end(null);
    },
  };
};
