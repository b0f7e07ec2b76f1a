/** A Nostr relay: what is addressed to a key comes from it, and what is published goes there. It is connected anew when it is lost. */
import { setTimeout as pause } from 'node:timers/promises';
import WebSocket from 'ws';
import { TreasuryError } from '../../errors.js';
import { WRAP } from './gift-wrap.js';

/** Connecting, each publication, and the end of what was kept. */
const LIMIT_MS = 15_000;
const END_OF_KEPT_MS = 5_000;
const AGAIN_MS = 5_000;
/** Longest message that is read, bytes. */
const LONGEST_MESSAGE = 500_000;
const SUBSCRIPTION = 'treasury';

export type NostrSettings = {
  readonly url: string;
  /** Whose messages are taken: 32 bytes as hex. */
  readonly publicKey: string;
  /** All that was there before a connection at once, in no order; then each event as it comes. */
  readonly onEvents: (events: readonly unknown[], isKept: boolean) => void;
};

export type NostrRelay = {
  /** Resolves when the relay has taken it. @throws relay_unavailable */
  readonly publish: (event: { readonly id: string }) => Promise<void>;
  readonly trouble: () => TreasuryError | null;
  readonly close: () => void;
};

const ignore = (): void => undefined;

const away = ({ url }: NostrSettings, reason: string): TreasuryError =>
  new TreasuryError('relay_unavailable', { relay: url, reason });

const connect = (settings: NostrSettings): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(settings.url, {
      handshakeTimeout: LIMIT_MS,
      maxPayload: LONGEST_MESSAGE,
      perMessageDeflate: false,
    });
    socket.once('error', (error) => {
      socket.on('error', ignore);
      socket.terminate();
      reject(away(settings, error.message === '' ? 'no connection' : error.message));
    });
    socket.once('open', () => {
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
): Promise<void> =>
  new Promise((resolve) => {
    const kept: unknown[] = [];
    let isEnded = false;
    const end = (): void => {
      if (isEnded) return;
      isEnded = true;
      clearTimeout(timer);
      settings.onEvents(kept, true);
      resolve();
    };
    const timer = setTimeout(end, END_OF_KEPT_MS);
    socket.once('close', end);
    socket.on('message', (data: Buffer) => {
      const [kind, about, third, reason] = readArray(data);
      if (kind === 'EVENT' && about === SUBSCRIPTION) {
        if (isEnded) settings.onEvents([third], false);
        else kept.push(third);
      }
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

/** Connects to a relay; what it has kept for the key has come when this resolves. @throws relay_unavailable */
export const openNostrRelay = async (settings: NostrSettings): Promise<NostrRelay> => {
  const publications = new Map<string, Taken>();
  let current: WebSocket | null = null;
  let trouble: TreasuryError | null = null;
  let isClosed = false;
  const open = async (): Promise<WebSocket> => {
    const socket = await connect(settings);
    current = socket;
    trouble = null;
    socket.once('close', () => {
      current = null;
      trouble = away(settings, 'it has closed the connection');
      void again();
    });
    await listen(socket, settings, publications);
    return socket;
  };
  const again = async (): Promise<void> => {
    await pause(AGAIN_MS, undefined, { ref: false });
    if (isClosed || current !== null) return;
    await open().catch(again);
  };
  await open();
  return {
    publish: async (event) => {
      const socket = current ?? (await open());
      await publishOn(socket, event, publications, settings);
    },
    trouble: () => trouble,
    close: () => {
      isClosed = true;
      current?.close();
      const socket = current;
      setTimeout(() => socket?.terminate(), 500).unref();
    },
  };
};
