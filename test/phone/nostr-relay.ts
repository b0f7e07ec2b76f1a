/** A Nostr relay on loopback: keeps events, hands them to whoever asks for them, and fails as it is told. */
import type { WebSocket } from 'ws';
import { Loopback, type Refusal } from './loopback.js';
import { faultOf, WRAP, type NostrEvent } from './nostr.js';

type Filter = Record<string, unknown>;

/** How the relay fails from now on. */
export type NostrRelayFaults = {
  /** Whoever comes is refused by an HTTP status. */
  refuse: boolean;
  /** Events are answered with OK false, and not kept. */
  reject: boolean;
  /** Events are kept, and nothing is said of them. */
  mute: boolean;
  /** The end of what is stored is not told. */
  noEose: boolean;
  /** Each event is handed out twice. */
  twice: boolean;
  /** Milliseconds before an event is handed out. */
  delay: number;
  /** What is stored is handed out newest first, as relays do, or in an order of no meaning. */
  shuffle: boolean;
};

const isListed = (list: unknown, value: string | number): boolean =>
  list === undefined || (Array.isArray(list) && list.includes(value));

const fits = (filter: Filter, event: NostrEvent): boolean =>
  isListed(filter['ids'], event.id) &&
  isListed(filter['authors'], event.pubkey) &&
  isListed(filter['kinds'], event.kind) &&
  (typeof filter['since'] !== 'number' || event.created_at >= filter['since']) &&
  (typeof filter['until'] !== 'number' || event.created_at <= filter['until']) &&
  Object.entries(filter)
    .filter(([name]) => name.startsWith('#'))
    .every(([name, list]) =>
      event.tags.some(([tag, value = '']) => `#${tag}` === name && isListed(list, value)),
    );

export class NostrRelay extends Loopback {
  readonly faults: NostrRelayFaults = {
    refuse: false,
    reject: false,
    mute: false,
    noEose: false,
    twice: false,
    delay: 0,
    shuffle: false,
  };
  /** All events that it has taken, in order. */
  readonly events: NostrEvent[] = [];
  /** All that was asked for. */
  readonly filters: Filter[] = [];
  /** What clients did wrong. A good client leaves it empty. */
  readonly complaints: string[] = [];
  readonly #subscriptions = new Map<WebSocket, Map<string, readonly Filter[]>>();

  /** Somebody from outside publishes. */
  inject(event: NostrEvent): void {
    this.events.push(event);
    for (const [socket, subscriptions] of this.#subscriptions)
      for (const [name, filters] of subscriptions)
        if (filters.some((filter) => fits(filter, event))) this.#hand(socket, name, event);
  }

  /** Forgets what it keeps. */
  forget(): void {
    this.events.length = 0;
  }

  protected admit(): Refusal | ((socket: WebSocket) => void) {
    if (this.faults.refuse) return { status: 503, why: 'the relay takes nobody now' };
    return (socket) => {
      this.#subscriptions.set(socket, new Map());
      socket.on('close', () => this.#subscriptions.delete(socket));
      socket.on('message', (data) => {
        const given = (data as Buffer).toString();
        try {
          this.#hear(socket, JSON.parse(given) as unknown[]);
        } catch (error) {
          this.complaints.push(`${String(error)}: ${given}`);
        }
      });
    };
  }

  #hear(socket: WebSocket, [verb, ...rest]: readonly unknown[]): void {
    switch (verb) {
      case 'EVENT':
        this.#take(socket, rest[0] as NostrEvent);
        break;
      case 'REQ': {
        const [name, ...filters] = rest as [string, ...Filter[]];
        this.#subscriptions.get(socket)?.set(name, filters);
        this.filters.push(...filters);
        this.#handStored(socket, name, filters);
        break;
      }
      case 'CLOSE':
        this.#subscriptions.get(socket)?.delete(rest[0] as string);
        break;
      default:
        this.complaints.push(`no verb ${String(verb)}`);
    }
  }

  #take(socket: WebSocket, event: NostrEvent): void {
    const fault = this.faults.reject
      ? 'blocked: the relay takes nothing now'
      : event.kind === WRAP
        ? faultOf(event)
        : `blocked: kind ${event.kind}`;
    if (fault !== null && !this.faults.reject) this.complaints.push(fault);
    if (!this.faults.mute) this.#send(socket, ['OK', event.id, fault === null, fault ?? '']);
    if (fault === null && this.events.every(({ id }) => id !== event.id)) this.inject(event);
  }

  #handStored(socket: WebSocket, name: string, filters: readonly Filter[]): void {
    const stored = this.events.filter((event) => filters.some((filter) => fits(filter, event)));
    const limit = Math.max(...filters.map(({ limit: most }) => (typeof most === 'number' ? most : Infinity)));
    stored.sort((a, b) => (this.faults.shuffle ? (a.id < b.id ? -1 : 1) : b.created_at - a.created_at));
    for (const event of stored.slice(0, limit)) this.#hand(socket, name, event);
    this.later(this.faults.delay, () => {
      if (!this.faults.noEose) this.#send(socket, ['EOSE', name]);
    });
  }

  #hand(socket: WebSocket, name: string, event: NostrEvent): void {
    this.later(this.faults.delay, () => {
      if (this.#subscriptions.get(socket)?.has(name) !== true) return;
      this.#send(socket, ['EVENT', name, event]);
      if (this.faults.twice) this.#send(socket, ['EVENT', name, event]);
    });
  }

  #send(socket: WebSocket, message: readonly unknown[]): void {
    socket.send(JSON.stringify(message));
  }
}

/** A Nostr relay that listens on loopback. Close it when the test ends. */
export const startNostrRelay = async (): Promise<NostrRelay> => new NostrRelay(await Loopback.listen());
