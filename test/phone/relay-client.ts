/** A wallet's line to the relay: comes back when it is cut, and publishes what waited meanwhile. */
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { WebSocket } from 'ws';
import { parseExact, stringifyExact } from './exact-json.js';
import { makeTicket } from './relay-ticket.js';

const COME_BACK_AFTER = 100;

type Message = { readonly topic: string; readonly message: string; readonly tag: number };
type Outgoing = Message & { readonly ttl: number; readonly prompt?: boolean };
type Call = { readonly method: string; readonly params: unknown; readonly done: (result: unknown) => void };

export type RelayClientOptions = {
  readonly url: string;
  readonly projectId: string;
  /** The Ed25519 key of the mailbox, 32 bytes. */
  readonly identity: Uint8Array;
  readonly hear: (message: Message) => void;
  readonly tell: (what: string) => void;
};

export class RelayClient {
  readonly #options: RelayClientOptions;
  readonly #topics = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #waiting: Call[] = [];
  readonly #open = new Map<string, Call>();
  #socket: WebSocket | null = null;
  #wanted = false;

  constructor(options: RelayClientOptions) {
    this.#options = options;
  }

  get isOnline(): boolean {
    return this.#wanted;
  }

  /** Waits until it is connected or refused once. */
  async goOnline(): Promise<void> {
    this.#wanted = true;
    await this.#connect();
  }

  goOffline(): void {
    this.#wanted = false;
    this.#socket?.terminate();
    this.#socket = null;
  }

  async subscribe(topic: string): Promise<void> {
    this.#topics.add(topic);
    if (this.#socket !== null) await this.#call('irn_subscribe', { topic });
  }

  /** Stops to listen; the relay is not told. */
  forget(topic: string): void {
    this.#topics.delete(topic);
  }

  /** Returns when the relay has it. Offline, it waits until the wallet is back. */
  async publish(outgoing: Outgoing): Promise<void> {
    await this.#call('irn_publish', outgoing);
  }

  #call(method: string, params: unknown): Promise<unknown> {
    return new Promise((resolve) => {
      this.#begin({ method, params, done: resolve });
    });
  }

  #begin(call: Call): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) {
      this.#waiting.push(call);
      return;
    }
    const id = BigInt(Date.now()) * 1_000_000n + BigInt(randomInt(1_000_000));
    this.#open.set(`${id}`, call);
    this.#socket.send(stringifyExact({ id, jsonrpc: '2.0', method: call.method, params: call.params }));
  }

  #connect(): Promise<void> {
    const { url, projectId, identity, tell } = this.#options;
    const ticket = makeTicket(identity, {
      audience: url,
      subject: randomBytes(32).toString('hex'),
      now: Math.floor(Date.now() / 1000),
    });
    const query = new URLSearchParams({ auth: ticket, projectId, ua: 'wc-2/js-0.0.0/none/phone' });
    const socket = new WebSocket(`${url}/?${query.toString()}`);
    return new Promise((resolve) => {
      socket.on('open', () => {
        this.#welcome(socket);
        resolve();
      });
      socket.on('message', (data) => {
        this.#hear(socket, (data as Buffer).toString());
      });
      socket.on('error', (error) => {
        tell(`relay: ${error.message}`);
      });
      socket.on('close', () => {
        if (this.#socket === socket) this.#socket = null;
        if (this.#wanted) setTimeout(() => this.#wanted && void this.#connect(), COME_BACK_AFTER).unref();
        resolve();
      });
    });
  }

  #welcome(socket: WebSocket): void {
    if (!this.#wanted) {
      socket.terminate();
      return;
    }
    this.#socket = socket;
    // What was called on the line before has no answer any more.
    const again = [...this.#open.values(), ...this.#waiting.splice(0)];
    this.#open.clear();
    if (this.#topics.size > 0) void this.#call('irn_batchSubscribe', { topics: [...this.#topics] });
    for (const call of again) this.#begin(call);
  }

  #hear(socket: WebSocket, text: string): void {
    const { id, method, params, result, error } = parseExact(text) as {
      readonly id: bigint | number;
      readonly method?: string;
      readonly params?: { readonly data: Message };
      readonly result?: unknown;
      readonly error?: unknown;
    };
    if (method === undefined) {
      if (error !== undefined) this.#options.tell(`relay answers ${stringifyExact(error)}`);
      this.#open.get(`${id}`)?.done(result);
      this.#open.delete(`${id}`);
      return;
    }
    socket.send(stringifyExact({ id, jsonrpc: '2.0', result: true }));
    const data = params?.data;
    if (method !== 'irn_subscription' || data === undefined || !this.#topics.has(data.topic)) return;
    const hash = createHash('sha256').update(data.message).digest('hex');
    if (this.#seen.has(hash)) return;
    this.#seen.add(hash);
    this.#options.hear(data);
  }
}
