/** A WebSocket server on loopback that can go away and come back at the same address. */
import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';

/** Why somebody is not let in. */
export type Refusal = { readonly status: number; readonly why: string };

export abstract class Loopback {
  /** What clients are told to connect to. */
  readonly url: string;
  /** How often anybody came in. */
  connections = 0;
  #server: Server;
  readonly #port: number;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #open = new Set<WebSocket>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(server: Server) {
    this.#port = (server.address() as AddressInfo).port;
    this.url = `ws://127.0.0.1:${this.#port}`;
    this.#server = server;
    this.#serve(server);
  }

  /** A server that listens, for a constructor. */
  static async listen(port = 0): Promise<Server> {
    const server = createServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  /** Cuts all connections, without a closing frame. */
  drop(): void {
    for (const socket of this.#open) socket.terminate();
  }

  /** Connections stay open, and nothing comes of them: no answer, no pong. */
  freeze(): void {
    for (const socket of this.#open) socket.pause();
  }

  thaw(): void {
    for (const socket of this.#open) socket.resume();
  }

  /** Stops to listen and cuts all connections. What is kept stays. */
  async leave(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.drop();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Listens again, at the same address. */
  async come(): Promise<void> {
    if (this.#server.listening) return;
    this.#server = await Loopback.listen(this.#port);
    this.#serve(this.#server);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await this.leave();
    this.#sockets.close();
  }

  /** Who comes: a refusal, or what is done with the socket. */
  protected abstract admit(request: IncomingMessage): Refusal | ((socket: WebSocket) => void);

  protected later(milliseconds: number, act: () => void): void {
    if (milliseconds === 0) {
      act();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, milliseconds);
    this.#timers.add(timer);
  }

  #serve(server: Server): void {
    server.on('upgrade', (request, socket, head) => {
      this.#upgrade(request, socket, head);
    });
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const welcome = this.admit(request);
    if (typeof welcome === 'object') {
      const lines = [
        `HTTP/1.1 ${welcome.status} ${STATUS_CODES[welcome.status]}`,
        'Connection: close',
        `Content-Length: ${Buffer.byteLength(welcome.why)}`,
      ];
      socket.end(`${lines.join('\r\n')}\r\n\r\n${welcome.why}`);
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (client) => {
      this.connections += 1;
      this.#open.add(client);
      client.on('error', () => {
        client.terminate();
      });
      client.on('close', () => this.#open.delete(client));
      welcome(client);
    });
  }
}
