/**
 * A Nostr relay: what is addressed to a key comes from it, and what is published goes there. It is connected anew when it is
 * lost, until it is closed here.
 */
import { WalletFailure } from '../failure.js';
import { SocketFailure, type OpenSocket, type Socket } from '../socket.js';
import { pause } from '../waiting.js';
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
  /** @param isKept true: it was there before the first connection */
  readonly onEvent: (event: unknown, isKept: boolean) => void;
  readonly openSocket: OpenSocket;
};

export type NostrRelay = {
  /** Resolves when what was kept has come. @throws relay_unavailable */
  readonly isThere: Promise<void>;
  /** Resolves when the relay has taken it. @throws relay_unavailable */
  readonly publish: (event: { readonly id: string }) => Promise<void>;
  readonly trouble: () => WalletFailure | null;
  readonly close: () => void;
};

const ignore = (): void => undefined;

const away = ({ url }: NostrSettings, reason: string): WalletFailure =>
  new WalletFailure('relay_unavailable', { relay: url, reason });

const readArray = (text: string): readonly unknown[] => {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
};

type Taken = { readonly resolve: () => void; readonly reject: (error: Error) => void };

/** What is known of a connection while it is open. */
type Hearing = {
  readonly publications: Map<string, Taken>;
  /** True until all that was kept has come. */
  isKept: boolean;
  readonly endOfKept: () => void;
};

const takeMessage = (text: string, settings: NostrSettings, hearing: Hearing): void => {
  const [kind, about, third, reason] = readArray(text);
  if (kind === 'EVENT' && about === SUBSCRIPTION) settings.onEvent(third, hearing.isKept);
  if (kind === 'EOSE' && about === SUBSCRIPTION) hearing.endOfKept();
  if (kind !== 'OK' || typeof about !== 'string') return;
  const taken = hearing.publications.get(about);
  if (third === true) taken?.resolve();
  else taken?.reject(away(settings, `it refuses the message (${String(reason)})`));
};

/** Connects, and listens; resolves when all that was kept has come. @param signal ends it, too. @throws relay_unavailable */
const connect = async (
  settings: NostrSettings,
  signal: AbortSignal,
  publications: Map<string, Taken>,
  isFirst: boolean,
): Promise<Socket> => {
  let endOfKept: () => void = () => undefined;
  const kept = new Promise<void>((resolve) => {
    endOfKept = resolve;
  });
  const hearing: Hearing = {
    publications,
    isKept: isFirst,
    endOfKept: () => {
      hearing.isKept = false;
      endOfKept();
    },
  };
  const line = {
    url: settings.url,
    longest: LONGEST_MESSAGE,
    limitMs: LIMIT_MS,
    signal,
    onMessage: (text: string) => {
      takeMessage(text, settings, hearing);
    },
  };
  const socket = await settings.openSocket(line).catch((error: unknown) => {
    throw error instanceof SocketFailure ? away(settings, error.message) : error;
  });
  void socket.closed.then(hearing.endOfKept);
  const timer = setTimeout(hearing.endOfKept, END_OF_KEPT_MS);
  // No date is named: wraps are dated back.
  socket.send(JSON.stringify(['REQ', SUBSCRIPTION, { kinds: [WRAP], '#p': [settings.publicKey] }]));
  await kept;
  clearTimeout(timer);
  return socket;
};

const publishOn = (
  socket: Socket,
  event: { readonly id: string },
  publications: Map<string, Taken>,
  settings: NostrSettings,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      publications.delete(event.id);
    };
    const fail = (reason: string): void => {
      end();
      reject(away(settings, reason));
    };
    const timer = setTimeout(() => {
      fail(`it has not taken the message within ${LIMIT_MS / 1_000} seconds`);
    }, LIMIT_MS);
    void socket.closed.then(() => {
      fail('it has closed the connection');
    });
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

/** A relay, to which it is connected at once. */
export const openNostrRelay = (settings: NostrSettings): NostrRelay => {
  const publications = new Map<string, Taken>();
  let wire: Promise<Socket> | null = null;
  let trouble: WalletFailure | null = null;
  let isFirst = true;
  const closing = new AbortController();

  const lose = (): void => {
    wire = null;
    trouble = away(settings, 'it has closed the connection');
    void again();
  };
  const open = async (): Promise<Socket> => {
    const socket = await connect(settings, closing.signal, publications, isFirst);
    isFirst = false;
    void socket.closed.then(lose);
    // A line that was lost meanwhile is no line.
    if (!socket.isOpen()) throw away(settings, 'it has closed the connection');
    trouble = null;
    return socket;
  };
  const current = (): Promise<Socket> => {
    wire ??= open().catch((error: unknown) => {
      wire = null;
      if (error instanceof WalletFailure) trouble = error;
      throw error;
    });
    return wire;
  };
  const again = async (): Promise<void> => {
    await pause(AGAIN_MS);
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
      void wire?.then((socket) => {
        socket.close();
      }, ignore);
    },
  };
};
