/**
 * A Nostr relay: what is addressed to a key comes from it, and what is published goes there. It is connected anew when it is
 * lost, until it is closed here.
 */
import { setTimeout as pause } from 'node:timers/promises';
import WebSocket from 'ws';
import { TreasuryError } from '../../errors.js';
import { WRAP } from './gift-wrap.js';

/** Connecting, each publication, and the end of what was kept. */
const LIMIT_MS = 15_000;
const END_OF_KEPT_MS = 5_000;
const AGAIN_MS = 5_000;
const PING_MS = 30_000;
/** Longest message that is read, bytes. */
const LONGEST_MESSAGE = 500_000;
const SUBSCRIPTION = 'treasury';

export type NostrSettings = {
  readonly url: string;
  /** Whose messages are taken: 32 bytes as hex. */
  readonly publicKey: string;
  /** @param isKept true: it was there before the first connection */
  readonly onEvent: (event: unknown, isKept: boolean) => void;
};

export type NostrRelay = {
  /** Resolves when what was kept has come. @throws relay_unavailable */
  readonly isThere: Promise<void>;
  /** Resolves when the relay has taken it. @throws relay_unavailable */
  readonly publish: (event: { readonly id: string }) => Promise<void>;
  readonly trouble: () => TreasuryError | null;
  readonly close: () => void;
};

const ignore = (): void => undefined;

const away = ({ url }: NostrSettings, reason: string): TreasuryError =>
  new TreasuryError('relay_unavailable', { relay: url, reason });

/** @param signal ends it, too */
const connect = (settings: NostrSettings, signal: AbortSignal): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(settings.url, {
      handshakeTimeout: LIMIT_MS,
      maxPayload: LONGEST_MESSAGE,
      perMessageDeflate: false,
    });
    const leave = (): void => {
      socket.terminate();
    };
    signal.addEventListener('abort', leave, { once: true });
    socket.once('error', (error) => {
      socket.on('error', ignore);
      socket.terminate();
      reject(away(settings, error.message === '' ? 'no connection' : error.message));
    });
    socket.once('open', () => {
      signal.removeEventListener('abort', leave);
      socket.removeAllListeners('error').on('error', ignore);
      resolve(socket);
    });
  });

const readArray = (data: Buffer): readonly unknown[] => {
  try {
    const value: unknown = JSON.parse(data.toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
};

type Taken = { readonly resolve: () => void; readonly reject: (error: Error) => void };

/** Listens on a connection; resolves when all that was kept has come. */
const listen = (
  socket: WebSocket,
  settings: NostrSettings,
  publications: ReadonlyMap<string, Taken>,
  isFirst: boolean,
): Promise<void> =>
  new Promise((resolve) => {
    let isKept = isFirst;
    const end = (): void => {
      clearTimeout(timer);
      isKept = false;
      resolve();
    };
    const timer = setTimeout(end, END_OF_KEPT_MS);
    socket.once('close', end);
    socket.on('message', (data: Buffer) => {
      const [kind, about, third, reason] = readArray(data);
      if (kind === 'EVENT' && about === SUBSCRIPTION) settings.onEvent(third, isKept);
      if (kind === 'EOSE' && about === SUBSCRIPTION) end();
      if (kind !== 'OK' || typeof about !== 'string') return;
      const taken = publications.get(about);
      if (third === true) taken?.resolve();
      else taken?.reject(away(settings, `it refuses the message (${String(reason)})`));
    });
    // No date is named: wraps are dated back.
    socket.send(JSON.stringify(['REQ', SUBSCRIPTION, { kinds: [WRAP], '#p': [settings.publicKey] }]));
  });

const publishOn = (
  socket: WebSocket,
  event: { readonly id: string },
  publications: Map<string, Taken>,
  settings: NostrSettings,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      publications.delete(event.id);
      socket.off('close', lose);
    };
    const lose = (): void => {
      end();
      reject(away(settings, 'it has closed the connection'));
    };
    const timer = setTimeout(() => {
      end();
      reject(away(settings, `it has not taken the message within ${LIMIT_MS / 1_000} seconds`));
    }, LIMIT_MS);
    socket.once('close', lose);
    publications.set(event.id, {
      resolve: () => {
        end();
        resolve();
      },
      reject: (error) => {
        end();
        reject(error);
      },
    });
    socket.send(JSON.stringify(['EVENT', event]));
  });

/** Pings a quiet line, and lets go of one that is dead. */
const keepAlive = (socket: WebSocket): void => {
  let isHeard = true;
  const timer = setInterval(() => {
    if (!isHeard) socket.terminate();
    isHeard = false;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, PING_MS);
  for (const sign of ['pong', 'ping', 'message'])
    socket.on(sign, () => {
      isHeard = true;
    });
  socket.once('close', () => {
    clearInterval(timer);
  });
};

/** Closes a socket; a relay that does not say goodbye is not waited for. */
const closeSocket = (socket: WebSocket): void => {
  socket.close();
  setTimeout(() => {
    socket.terminate();
  }, 500).unref();
};

/** A relay, to which it is connected at once. */
export const openNostrRelay = (settings: NostrSettings): NostrRelay => {
  const publications = new Map<string, Taken>();
  let wire: Promise<WebSocket> | null = null;
  let trouble: TreasuryError | null = null;
  let isFirst = true;
  const closing = new AbortController();

  const open = async (): Promise<WebSocket> => {
    const socket = await connect(settings, closing.signal);
    keepAlive(socket);
    socket.once('close', () => {
      wire = null;
      trouble = away(settings, 'it has closed the connection');
      void again();
    });
    await listen(socket, settings, publications, isFirst);
    isFirst = false;
    // A line that was lost meanwhile is no line.
    if (socket.readyState !== WebSocket.OPEN) throw away(settings, 'it has closed the connection');
    trouble = null;
    return socket;
  };
  const current = (): Promise<WebSocket> => {
    wire ??= open().catch((error: unknown) => {
      wire = null;
      if (error instanceof TreasuryError) trouble = error;
      throw error;
    });
    return wire;
  };
  const again = async (): Promise<void> => {
    await pause(AGAIN_MS, undefined, { ref: false });
    if (closing.signal.aborted || wire !== null) return;
    await current().catch(again);
  };
  const isThere = current().then(ignore);
  isThere.catch(again);
  return {
    isThere,
    publish: async (event) => {
      await publishOn(await current(), event, publications, settings);
    },
    trouble: () => trouble,
    close: () => {
      closing.abort();
      void wire?.then(closeSocket, ignore);
    },
  };
};
