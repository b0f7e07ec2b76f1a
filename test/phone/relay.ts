/**
 * A relay of WalletConnect on loopback: a real WebSocket server that speaks irn, keeps what nobody has fetched, delivers
 * again what was not acknowledged, and fails as it is told.
 */
import { createHash, randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import { parseExact, stringifyExact } from './exact-json.js';
import { Loopback, type Refusal } from './loopback.js';
import { readTicket } from './relay-ticket.js';

/** What was published, as the relay sees it. */
export type Publication = {
  readonly topic: string;
  /** The envelope, base64. */
  readonly message: string;
  readonly tag: number;
  /** Seconds. */
  readonly ttl: number;
  readonly prompt: boolean;
  /** Unix milliseconds. */
  readonly publishedAt: number;
  /** `did:key` of who published it; `outside` for what a test puts there. */
  readonly from: string;
};

/** How the relay fails from now on. */
export type RelayFaults = {
  /** Whoever comes is refused: by an HTTP status, or let in and closed with code 3000. */
  refuse: 'status' | 'close' | null;
  /** Each message is delivered twice, with ids of its own. */
  twice: boolean;
  /** Who published a message gets it too, if they listen. */
  echo: boolean;
  /** Milliseconds before each delivery. */
  delay: number;
  /** Publications are taken and never confirmed. */
  mute: boolean;
  /** Publications are answered with an error and not kept. */
  reject: boolean;
  /** The same for publications with that tag alone. */
  rejectTag: number | null;
  /** Subscribing delivers what is kept; without it, it has to be fetched. */
  deliverOnSubscribe: boolean;
  /** Messages of one irn_fetchMessages. */
  page: number;
  /** Milliseconds until what was not acknowledged is delivered again. */
  again: number;
  /** Ids of deliveries are numbers above 2^53, or texts of digits. */
  ids: 'number' | 'text';
};

type Kept = Publication & { readonly readers: Set<string> };
/** Nobody has it but who sent it. */
const isWaiting = ({ from, readers }: Kept): boolean => [...readers].every((reader) => reader === from);

type Client = {
  readonly socket: WebSocket;
  readonly did: string;
  readonly subscriptions: Map<string, string>;
  /** Deliveries: relay's id → what it is of. An acknowledgement that comes late is one. */
  readonly open: Map<bigint, Kept>;
  readonly acknowledged: Set<bigint>;
};
/** The id of a call: a number, or its digits as text, as the SDK has it. The answer has the form of the call. */
type CallId = bigint | number | string;
type Call = {
  readonly id: CallId;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
};

/** The project that the relay knows. */
export const PROJECT_ID = '0123456789abcdef0123456789abcdef';
const LARGEST_BATCH = 500;
const UNAUTHORIZED = 3000;

class RelayError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const invalid = (message: string): RelayError => new RelayError(-32_602, message);

const textIn = (params: Record<string, unknown>, name: string): string => {
  const value = params[name];
  if (typeof value !== 'string') throw invalid(`${name} is not a text`);
  return value;
};

const topicIn = (params: Record<string, unknown>): string => {
  const topic = textIn(params, 'topic');
  if (!/^[0-9a-f]{64}$/.test(topic)) throw invalid(`topic is not 32 bytes as hex: ${topic}`);
  return topic;
};

const listIn = (params: Record<string, unknown>, name: string): unknown[] => {
  const value = params[name];
  if (!Array.isArray(value) || value.length === 0 || value.length > LARGEST_BATCH)
    throw invalid(`${name} is not a list of 1 to ${LARGEST_BATCH}`);
  return value;
};

const numberIn = (params: Record<string, unknown>, name: string): number => {
  const value = params[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw invalid(`${name} is not a whole number`);
  return value;
};

const isId = (id: unknown): id is CallId =>
  typeof id === 'bigint' || Number.isSafeInteger(id) || (typeof id === 'string' && /^\d+n?$/.test(id));

/** What a delivery says. */
const dataOf = ({ topic, message, publishedAt, tag }: Publication): Record<string, unknown> => ({
  topic,
  message,
  publishedAt,
  tag,
});

/** Its `url` is the `aud` of its clients' tickets. */
export class Relay extends Loopback {
  readonly faults: RelayFaults = {
    refuse: null,
    twice: false,
    echo: false,
    delay: 0,
    mute: false,
    reject: false,
    rejectTag: null,
    deliverOnSubscribe: true,
    page: 100,
    again: 2_000,
    ids: 'number',
  };
  /** All that was ever published, in order. */
  readonly published: Publication[] = [];
  /** All that was called: who, what. */
  readonly calls: { readonly from: string; readonly method: string; readonly params: unknown }[] = [];
  /** What clients did wrong: bad tickets, ids that are none, acknowledgements of nothing. A good client leaves it empty. */
  readonly complaints: string[] = [];
  /** Other projects that are let in. */
  readonly projects = new Set([PROJECT_ID]);

  readonly #clients = new Set<Client>();
  #kept: Kept[] = [];

  /** The dids of who is connected. */
  get connected(): readonly string[] {
    return [...this.#clients].map(({ did }) => did);
  }

  /** What nobody has acknowledged yet. */
  get kept(): readonly Publication[] {
    this.#forget();
    return this.#kept.filter(isWaiting);
  }

  /** Waits until something published fits. */
  async until(fits: (publication: Publication) => boolean, milliseconds = 30_000): Promise<Publication> {
    const end = Date.now() + milliseconds;
    for (;;) {
      const found = this.published.find(fits);
      if (found !== undefined) return found;
      if (Date.now() > end)
        throw new Error(
          `not published in ${milliseconds} ms; tags: ${this.published.map(({ tag }) => tag).join(', ')}`,
        );
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Somebody from outside publishes: whoever knows a topic can. */
  inject(topic: string, message: string, tag = 1109, ttl = 300): void {
    this.#publish('outside', { topic, message, tag, ttl });
  }

  /** Cuts the connections of one client. */
  dropClient(did: string): void {
    for (const client of this.#clients) if (client.did === did) client.socket.terminate();
  }

  protected admit(request: IncomingMessage): Refusal | ((socket: WebSocket) => void) {
    if (this.faults.refuse === 'status') return { status: 403, why: 'Project not found' };
    const query = new URL(request.url ?? '/', this.url).searchParams;
    const project = query.get('projectId') ?? '';
    if (project === '') return { status: 400, why: 'Missing project id' };
    try {
      const did = readTicket(query.get('auth') ?? '', this.url, Math.floor(Date.now() / 1000));
      const isRefused = this.faults.refuse === 'close' || !this.projects.has(project);
      return (socket) => {
        if (isRefused) socket.close(UNAUTHORIZED, 'Unauthorized: invalid key');
        else this.#welcome(socket, did);
      };
    } catch (error) {
      this.complaints.push(`ticket: ${String(error)}`);
      return { status: 401, why: 'Unauthorized' };
    }
  }

  #welcome(socket: WebSocket, did: string): void {
    const client: Client = {
      socket,
      did,
      subscriptions: new Map(),
      open: new Map(),
      acknowledged: new Set(),
    };
    this.#clients.add(client);
    socket.on('close', () => this.#clients.delete(client));
    socket.on('message', (data) => {
      this.#hear(client, data);
    });
  }

  #hear(client: Client, data: RawData): void {
    let call: Call;
    try {
      call = parseExact((data as Buffer).toString()) as Call;
    } catch {
      this.complaints.push(`not JSON: ${(data as Buffer).toString()}`);
      return;
    }
    if (!isId(call.id)) {
      this.complaints.push(`no id: ${(data as Buffer).toString()}`);
      return;
    }
    if (call.method === undefined) {
      this.#acknowledge(client, call);
      return;
    }
    const say = (answer: Record<string, unknown>): void => {
      client.socket.send(stringifyExact({ id: call.id, jsonrpc: '2.0', ...answer }));
    };
    this.calls.push({ from: client.did, method: call.method, params: call.params });
    try {
      const { result, after } = this.#call(client, call.method, call.params ?? {});
      if (result !== undefined) say({ result });
      after?.();
    } catch (error) {
      const code = error instanceof RelayError ? error.code : -32_603;
      this.complaints.push(`${call.method}: ${String(error)}`);
      say({ error: { code, message: error instanceof Error ? error.message : 'failed' } });
    }
  }

  #acknowledge(client: Client, { id, result }: Call): void {
    const exact = BigInt(`${id}`.replace('n', ''));
    const form = this.faults.ids === 'number' ? 'bigint' : 'string';
    // The SDK says "123n" to 123: it is understood, and no other client is to do that.
    if (typeof id !== form || `${id}` !== `${exact}`)
      this.complaints.push(`acknowledges with an id in another form: ${JSON.stringify(`${id}`)}`);
    const delivery = client.open.get(exact);
    if (delivery === undefined) this.complaints.push(`acknowledges what was not delivered: ${id}`);
    else if (result !== true) this.complaints.push(`acknowledges with ${String(result)}`);
    else {
      client.acknowledged.add(exact);
      delivery.readers.add(client.did);
    }
  }

  #call(
    client: Client,
    method: string,
    params: Record<string, unknown>,
  ): { readonly result: unknown; readonly after?: () => void } {
    const each = (name: string): Record<string, unknown>[] =>
      listIn(params, name).map((item) =>
        typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : { topic: item },
      );
    const subscribe = (asked: Record<string, unknown>[]): { ids: string[]; after: () => void } => {
      const topics = asked.map(topicIn);
      const ids = topics.map((topic) => this.#subscribe(client, topic));
      const after = (): void => {
        for (const topic of topics) this.#deliverKept(client, topic);
      };
      return { ids, after };
    };
    const confirm = (): unknown => (this.faults.mute ? undefined : true);
    switch (method) {
      case 'irn_subscribe': {
        const { ids, after } = subscribe([params]);
        return { result: ids[0], after };
      }
      case 'irn_batchSubscribe': {
        const { ids, after } = subscribe(each('topics'));
        return { result: ids, after };
      }
      case 'irn_unsubscribe':
        this.#unsubscribe(client, params);
        return { result: true };
      case 'irn_batchUnsubscribe':
        for (const item of each('subscriptions')) this.#unsubscribe(client, item);
        return { result: true };
      case 'irn_publish':
        this.#publish(client.did, params);
        return { result: confirm() };
      case 'irn_batchPublish':
        for (const item of each('messages')) this.#publish(client.did, item);
        return { result: confirm() };
      case 'irn_fetchMessages':
        return { result: this.#fetch(client, [topicIn(params)]) };
      case 'irn_batchFetchMessages':
        return { result: this.#fetch(client, each('topics').map(topicIn)) };
      case 'wc_proposeSession':
        return { result: this.#propose(client, params) };
      case 'wc_approveSession':
        return { result: this.#approve(client, params) };
      default:
        throw new RelayError(-32_601, `no method ${method}`);
    }
  }

  /** What newer clients let the relay publish for them. */
  #propose(client: Client, params: Record<string, unknown>): unknown {
    const message = textIn(params, 'sessionProposal');
    this.#publish(client.did, { topic: textIn(params, 'pairingTopic'), message, tag: 1100, ttl: 300 });
    return true;
  }

  #approve(client: Client, params: Record<string, unknown>): unknown {
    const answer = textIn(params, 'sessionProposalResponse');
    const settle = textIn(params, 'sessionSettlementRequest');
    this.#publish(client.did, {
      topic: textIn(params, 'pairingTopic'),
      message: answer,
      tag: 1101,
      ttl: 300,
    });
    const topic = textIn(params, 'sessionTopic');
    this.#publish(client.did, { topic, message: settle, tag: 1102, ttl: 300 });
    this.#subscribe(client, topic);
    return true;
  }

  #subscribe(client: Client, topic: string): string {
    const id = createHash('sha256').update(`${topic}${client.did}`).digest('hex');
    client.subscriptions.set(topic, id);
    return id;
  }

  #unsubscribe(client: Client, params: Record<string, unknown>): void {
    const topic = topicIn(params);
    if (client.subscriptions.get(topic) !== textIn(params, 'id'))
      throw invalid(`no subscription of this id to ${topic}`);
    client.subscriptions.delete(topic);
  }

  #publish(from: string, params: Record<string, unknown>): void {
    const isRefused = this.faults.reject || this.faults.rejectTag === params['tag'];
    if (isRefused && from !== 'outside') throw new RelayError(-32_000, 'the relay takes nothing now');
    const publication: Publication = {
      topic: topicIn(params),
      message: textIn(params, 'message'),
      tag: numberIn(params, 'tag'),
      ttl: numberIn(params, 'ttl'),
      prompt: params['prompt'] === true,
      publishedAt: Date.now(),
      from,
    };
    this.published.push(publication);
    const kept: Kept = { ...publication, readers: new Set() };
    this.#kept.push(kept);
    for (const client of this.#clients)
      if (client.subscriptions.has(publication.topic)) this.#deliver(client, kept);
  }

  #isFor(client: Client, { from, readers }: Kept): boolean {
    return (from !== client.did || this.faults.echo) && !readers.has(client.did);
  }

  #forget(): void {
    this.#kept = this.#kept.filter(({ publishedAt, ttl }) => publishedAt + ttl * 1000 > Date.now());
  }

  #deliverKept(client: Client, topic: string): void {
    if (!this.faults.deliverOnSubscribe) return;
    this.#forget();
    for (const kept of this.#kept) if (kept.topic === topic && isWaiting(kept)) this.#deliver(client, kept);
  }

  #deliver(client: Client, kept: Kept): void {
    if (!this.#isFor(client, kept)) return;
    this.later(this.faults.delay, () => {
      this.#send(client, kept);
      if (this.faults.twice) this.#send(client, kept);
    });
  }

  /** One delivery, again and again until it is acknowledged. */
  #send(client: Client, kept: Kept): void {
    const subscription = client.subscriptions.get(kept.topic);
    if (subscription === undefined || !this.#clients.has(client)) return;
    const id = BigInt(Date.now()) * 1_000_000n + BigInt(randomInt(1_000_000));
    client.open.set(id, kept);
    const params = { id: subscription, data: dataOf(kept) };
    const given = this.faults.ids === 'number' ? id : `${id}`;
    client.socket.send(stringifyExact({ id: given, jsonrpc: '2.0', method: 'irn_subscription', params }));
    this.later(this.faults.again, () => {
      if (!client.acknowledged.has(id)) this.#send(client, kept);
    });
  }

  #fetch(client: Client, topics: readonly string[]): unknown {
    this.#forget();
    const waiting = this.#kept.filter(
      (kept) => topics.includes(kept.topic) && isWaiting(kept) && this.#isFor(client, kept),
    );
    const messages = waiting.slice(0, this.faults.page);
    for (const { readers } of messages) readers.add(client.did);
    return { messages: messages.map(dataOf), hasMore: waiting.length > messages.length };
  }
}

/** A relay that listens on loopback. Close it when the test ends. */
export const startRelay = async (): Promise<Relay> => new Relay(await Loopback.listen());
