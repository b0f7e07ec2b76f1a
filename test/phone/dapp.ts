/** The smallest other side there can be, for the tests of the phone itself: it checks nothing. */
import { createHash, randomBytes } from 'node:crypto';
import { fromHex, open, publicKeyOf, seal, sharedKey, toHex, topicOf } from './envelope.js';
import { RelayClient } from './relay-client.js';

export type Rpc = {
  readonly id: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: unknown;
};
export type Heard = Rpc & { readonly tag: number; readonly topic: string };

export class RawDapp {
  readonly heard: Heard[] = [];
  readonly symKey = new Uint8Array(randomBytes(32));
  readonly topic = topicOf(this.symKey);
  readonly #keys = new Map<string, Uint8Array>([[this.topic, this.symKey]]);
  readonly #listeners = new Set<() => void>();
  readonly #relay: RelayClient;
  #session = '';
  /** Of the X25519 key that it proposes with. */
  privateKey = new Uint8Array();

  constructor(url: string, projectId: string, name = 'raw dapp') {
    this.#relay = new RelayClient({
      url,
      projectId,
      identity: createHash('sha256').update(name).digest(),
      hear: ({ topic, message, tag }) => {
        const key = this.#keys.get(topic);
        if (key === undefined) return;
        this.heard.push({ ...(JSON.parse(open(key, message)) as Rpc), tag, topic });
        for (const listener of this.#listeners) listener();
      },
      tell: () => undefined,
    });
  }

  /** The key of a topic, of those that it has. */
  keyOf(topic: string): Uint8Array | undefined {
    return this.#keys.get(topic);
  }

  get session(): string {
    return this.#session;
  }

  get uri(): string {
    const expiry = Math.floor(Date.now() / 1000) + 300;
    return `wc:${this.topic}@2?relay-protocol=irn&symKey=${toHex(this.symKey)}&expiryTimestamp=${expiry}`;
  }

  async until(fits: (rpc: Heard) => boolean, milliseconds = 30_000): Promise<Heard> {
    const end = Date.now() + milliseconds;
    for (;;) {
      const found = this.heard.find(fits);
      if (found !== undefined) return found;
      if (Date.now() > end) throw new Error(`not heard: ${JSON.stringify(this.heard)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        this.#listeners.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** Proposes; returns the settled params. */
  async connect(chain: string, methods: readonly string[]): Promise<Record<string, unknown>> {
    await this.propose(chain, methods);
    const { result } = await this.until(({ tag }) => tag === 1101);
    const { responderPublicKey } = result as { responderPublicKey: string };
    const symKey = sharedKey(this.privateKey, fromHex(responderPublicKey));
    this.#session = topicOf(symKey);
    this.#keys.set(this.#session, symKey);
    await this.#relay.subscribe(this.#session);
    const { id, params = {} } = await this.until(({ tag }) => tag === 1102);
    await this.send(this.#session, 1103, { id, result: true });
    return params;
  }

  /** Proposes and waits for nothing. */
  async propose(chain: string, methods: readonly string[]): Promise<void> {
    this.privateKey = new Uint8Array(randomBytes(32));
    await this.#relay.goOnline();
    await this.#relay.subscribe(this.topic);
    const bch = { chains: [chain], methods, events: ['addressesChanged'] };
    await this.send(this.topic, 1100, {
      id: this.nextId(),
      method: 'wc_sessionPropose',
      params: {
        requiredNamespaces: { bch },
        optionalNamespaces: { bch },
        relays: [{ protocol: 'irn' }],
        pairingTopic: this.topic,
        expiryTimestamp: Math.floor(Date.now() / 1000) + 300,
        proposer: {
          publicKey: toHex(publicKeyOf(this.privateKey)),
          metadata: { name: 'Raw', description: '', url: 'https://raw.example', icons: [] },
        },
      },
    });
  }

  /** Asks for something; returns its id. */
  async ask(chain: string, method: string, params: unknown, seconds = 300): Promise<number> {
    const id = this.nextId();
    const expiryTimestamp = Math.floor(Date.now() / 1000) + seconds;
    await this.send(this.#session, 1108, {
      id,
      method: 'wc_sessionRequest',
      params: { request: { method, params, expiryTimestamp }, chainId: chain },
    });
    return id;
  }

  async send(topic: string, tag: number, rpc: object): Promise<void> {
    const key = this.#keys.get(topic);
    if (key === undefined) throw new Error('no key');
    await this.#relay.publish({
      topic,
      message: seal(key, JSON.stringify({ jsonrpc: '2.0', ...rpc })),
      tag,
      ttl: 300,
    });
  }

  async sendInSession(tag: number, rpc: object): Promise<void> {
    await this.send(this.#session, tag, rpc);
  }

  #id = 0;
  nextId(): number {
    this.#id = Math.max(this.#id + 1, Date.now() * 1000);
    return this.#id;
  }

  close(): void {
    this.#relay.goOffline();
  }
}
