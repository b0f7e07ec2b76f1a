/** What a browser has for the protocols: its sockets and its randomness. */
import { SocketFailure, type OpenSocket, type Socket } from '../../wallet-protocols/socket.js';
import { DEVICE_OFFLINE, NO_CONNECTION, NO_CONNECTION_IN_TIME } from './words.js';

/** The code of a message that is too long. Source: RFC 6455. */
const TOO_LONG = 1009;
/** How long a relay may take to say goodbye. */
const GOODBYE_MS = 500;

export const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

/** A line over the browser's own WebSocket, which answers pings by itself, and tells nothing of an answer that is none. */
export const openSocket: OpenSocket = ({ url, longest, limitMs, signal, onMessage }) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    let tellClosed: (end: { readonly code: number; readonly reason: string }) => void = () => undefined;
    const closed: Socket['closed'] = new Promise((tell) => {
      tellClosed = tell;
    });
    const line: Socket = {
      send: (text) => {
        socket.send(text);
      },
      isOpen: () => socket.readyState === WebSocket.OPEN,
      close: () => {
        socket.close();
        // A browser waits long for a relay that does not say goodbye; whoever has closed it does not.
        setTimeout(tellClosed, GOODBYE_MS, { code: 1000, reason: '' });
      },
      closed,
    };
    const leave = (): void => {
      socket.close();
    };
    const fail = (reason: string): void => {
      leave();
      reject(new SocketFailure((navigator as Partial<Navigator>).onLine === false ? DEVICE_OFFLINE : reason));
    };
    const timer = setTimeout(fail, limitMs, NO_CONNECTION_IN_TIME);
    signal?.addEventListener('abort', leave, { once: true });
    socket.addEventListener('open', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      resolve(line);
    });
    // What went wrong is not told here: the end that follows is enough.
    socket.addEventListener('error', () => undefined);
    socket.addEventListener('message', ({ data }: { readonly data: unknown }) => {
      if (typeof data !== 'string') return;
      if (data.length > longest) socket.close(TOO_LONG);
      else onMessage(data, line);
    });
    socket.addEventListener('close', ({ code, reason }) => {
      clearTimeout(timer);
      tellClosed({ code, reason });
      // Once it was open this changes nothing any more.
      fail(reason === '' ? NO_CONNECTION : reason);
    });
  });
