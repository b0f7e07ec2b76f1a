/** Lines to relays from Node: pinged while they are quiet, and let go of when they are dead. */
import WebSocket from 'ws';
import { SocketFailure, type Line, type OpenSocket, type Socket } from '../wallet-protocols/socket.js';

const PING_MS = 30_000;
/** How long a relay may take to say goodbye. */
const GOODBYE_MS = 500;

const ignore = (): void => undefined;

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

const lineOf = (socket: WebSocket): Socket => ({
  send: (text) => {
    socket.send(text);
  },
  isOpen: () => socket.readyState === WebSocket.OPEN,
  close: () => {
    socket.close();
    setTimeout(() => {
      socket.terminate();
    }, GOODBYE_MS).unref();
  },
  closed: new Promise((resolve) => {
    socket.once('close', (code, reason) => {
      resolve({ code, reason: reason.toString('utf8') });
    });
  }),
});

export const openSocket: OpenSocket = ({ url, longest, limitMs, signal, onMessage }: Line) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      handshakeTimeout: limitMs,
      maxPayload: longest,
      perMessageDeflate: false,
    });
    const line = lineOf(socket);
    const leave = (): void => {
      socket.terminate();
    };
    signal?.addEventListener('abort', leave, { once: true });
    const fail = (failure: SocketFailure): void => {
      socket.on('error', ignore);
      socket.terminate();
      reject(failure);
    };
    socket.on('message', (data: Buffer) => {
      onMessage(data.toString('utf8'), line);
    });
    socket.once('unexpected-response', (_request, { statusCode = 0, statusMessage = '' }) => {
      fail(new SocketFailure(`HTTP ${statusCode} ${statusMessage}`.trim(), statusCode));
    });
    socket.once('error', (error) => {
      fail(new SocketFailure(error.message === '' ? 'no connection' : error.message));
    });
    socket.once('open', () => {
      signal?.removeEventListener('abort', leave);
      socket.removeAllListeners('error').on('error', ignore);
      keepAlive(socket);
      resolve(line);
    });
  });
