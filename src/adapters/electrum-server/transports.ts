/** How messages come and go: lines over TCP, frames over WebSocket. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { TreasuryError } from '../../errors.js';

/** One client's line. */
export type Wire = {
  /** Sends one message. */
  readonly send: (message: string) => void;
  /** Ends the connection after what was sent. */
  readonly end: () => void;
};

/** What is done with a client. */
export type WireHandler = { readonly receive: (message: string) => void; readonly closed: () => void };

/** Called for each client that connects. */
export type Accept = (wire: Wire) => WireHandler;

/** Where messages are awaited. */
export type Listener = { readonly port: number; readonly stop: () => Promise<void> };

export type ListenOptions = {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly accept: Accept;
};

/** Longest message that is read, in characters: a batch of a few large transactions. */
const LONGEST_MESSAGE = 4_000_000;

const portTaken = (error: NodeJS.ErrnoException, port: number): Error =>
  error.code === 'EADDRINUSE' || error.code === 'EACCES'
    ? new TreasuryError('invalid_setting', {
        setting: 'port',
        value: port,
        expected: error.code === 'EACCES' ? 'a port that this user may open' : 'a port that is free',
      })
    : error;

const serveSocket = (socket: Socket, accept: Accept): void => {
  let unread = '';
  const handler = accept({
    send: (message) => {
      if (socket.writable) socket.write(`${message}\n`);
    },
    end: () => socket.end(),
  });
  socket.setEncoding('utf8').setNoDelay(true);
  socket.on('data', (chunk) => {
    const lines = `${unread}${chunk.toString()}`.split('\n');
    unread = lines.pop() ?? '';
    for (const line of lines) {
      if (line.trim() !== '') handler.receive(line);
    }
    if (unread.length > LONGEST_MESSAGE) socket.destroy();
  });
  // A client that vanishes is no failure of ours; `close` follows.
  socket.on('error', () => undefined);
  socket.on('close', handler.closed);
};

const listening = (server: Server | WebSocketServer, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(portTaken(error, port));
    });
  });

/** Takes no more connections and ends those there are; resolves when all are gone. */
const closeServer = (
  server: { readonly close: (done: () => void) => unknown },
  endAll: () => void,
): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    endAll();
  });

/** Messages as lines of JSON over TCP. @throws invalid_setting when the port is taken */
export const listenTcp = async ({ host, port, accept }: ListenOptions): Promise<Listener> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serveSocket(socket, accept);
  });
  server.listen({ host, port });
  await listening(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      closeServer(server, () => {
        for (const socket of sockets) socket.destroy();
      }),
  };
};

/** Messages as text frames over WebSocket. @throws invalid_setting when the port is taken */
export const listenWebSocket = async ({ host, port, accept }: ListenOptions): Promise<Listener> => {
  const server = new WebSocketServer({ host, port, maxPayload: LONGEST_MESSAGE });
  server.on('connection', (socket) => {
    const handler = accept({
      send: (message) => {
        if (socket.readyState === socket.OPEN) socket.send(message);
      },
      end: () => {
        socket.close();
      },
    });
    socket.on('message', (data: Buffer) => {
      handler.receive(data.toString('utf8'));
    });
    socket.on('error', () => undefined);
    socket.on('close', handler.closed);
  });
  await listening(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      closeServer(server, () => {
        for (const socket of server.clients) socket.terminate();
      }),
  };
};
