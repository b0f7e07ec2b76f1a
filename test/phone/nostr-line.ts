/** A line to a Nostr relay: comes back when it is cut, and publishes what waited meanwhile. */
import { WebSocket } from 'ws';
import { WRAP, type NostrEvent } from './nostr.js';

const COME_BACK_AFTER = 100;
/** How long the end of what is stored is waited for. */
const LONGEST_WAIT = 5_000;

export class NostrLine {
  readonly #url: string;
  readonly #publicKey: string;
  readonly #hear: (event: NostrEvent) => void;
  readonly #seen = new Set<string>();
  readonly #open = new Map<string, { readonly event: NostrEvent; readonly done: () => void }>();
  #socket: WebSocket | null = null;
  #wanted = false;

  constructor(url: string, publicKey: string, hear: (event: NostrEvent) => void) {
    this.#url = url;
    this.#publicKey = publicKey;
    this.#hear = hear;
  }

  get isOnline(): boolean {
    return this.#wanted;
  }

  /** Waits until what is stored has come. */
  async goOnline(): Promise<void> {
    this.#wanted = true;
    await this.#connect();
  }

  goOffline(): void {
    this.#wanted = false;
    this.#socket?.terminate();
    this.#socket = null;
  }

  /** Returns when the relay has it. Offline, it waits until the wallet is back. */
  publish(event: NostrEvent): Promise<void> {
    return new Promise((resolve) => {
      this.#open.set(event.id, { event, done: resolve });
      if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(['EVENT', event]));
    });
  }

  #connect(): Promise<void> {
    const socket = new WebSocket(this.#url);
    return new Promise((resolve) => {
      socket.on('open', () => {
        if (!this.#wanted) {
          socket.terminate();
          return;
        }
        this.#socket = socket;
        socket.send(JSON.stringify(['REQ', 'mine', { kinds: [WRAP], '#p': [this.#publicKey] }]));
        for (const { event } of this.#open.values()) socket.send(JSON.stringify(['EVENT', event]));
        setTimeout(resolve, LONGEST_WAIT).unref();
      });
      socket.on('message', (data) => {
        const [verb, ...rest] = JSON.parse((data as Buffer).toString()) as unknown[];
        if (verb === 'EOSE') resolve();
        else if (verb === 'OK') this.#confirm(rest as [string, boolean]);
        else if (verb === 'EVENT') this.#take(rest[1] as NostrEvent);
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (this.#socket === socket) this.#socket = null;
        if (this.#wanted) setTimeout(() => this.#wanted && void this.#connect(), COME_BACK_AFTER).unref();
        resolve();
      });
    });
  }

  #confirm([id, isTaken]: [string, boolean]): void {
    if (!isTaken) return;
    this.#open.get(id)?.done();
    this.#open.delete(id);
  }

  #take(event: NostrEvent): void {
    if (this.#seen.has(event.id)) return;
    this.#seen.add(event.id);
    this.#hear(event);
  }
}
