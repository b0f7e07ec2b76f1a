/** The wallet side of WalletConnect v2 with `wc2-bch-bcr`. */
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour, Meeting, PhoneOptions } from './behaviour.js';
import { fromHex, open, publicKeyOf, readPairingUri, seal, sharedKey, toHex, topicOf } from './envelope.js';
import { addressOf, foreignKey, withoutPrefix, type ChainName, type Key } from './key.js';
import {
  ImpossibleLie,
  show,
  signAsTold,
  textAsTold,
  type Account,
  type Plans,
  type Tell,
} from './prompts.js';
import { RelayClient } from './relay-client.js';
import { readAsked, type Asked } from './signing.js';

const WEEK = 604_800;
const DAY = 86_400;
const FIVE_MINUTES = 300;
/** What lies between the making of a request and its expiry may be a little less. */
const LEEWAY = 2;

const METHODS = ['bch_getAddresses', 'bch_signTransaction', 'bch_signMessage'];
const CANCEL = 'bch_cancelPendingRequests';
const DECLINED = { code: 5000, message: 'User rejected.' };

type Body = Record<string, unknown>;
type Rpc = {
  readonly id: number;
  readonly jsonrpc?: string;
  readonly method?: string;
  readonly params?: Body;
  readonly result?: unknown;
  readonly error?: unknown;
};
type Session = {
  readonly topic: string;
  readonly symKey: Uint8Array;
  readonly chainId: string;
  readonly methods: readonly string[];
  readonly privateKey: Uint8Array;
  expiry: number;
  accounts: readonly string[];
};
/** A request that stands on the screen. */
type Prompt = {
  readonly id: number;
  readonly method: string;
  readonly params: Body;
  readonly asked: Asked | null;
  /** The envelope it came in. */
  readonly envelope: string;
};

const now = (): number => Math.floor(Date.now() / 1000);

/** Tags and ttls by method: of the request and of its answer. */
const TAGS: Record<string, readonly [request: number, ttl: number]> = {
  wc_pairingDelete: [1000, DAY],
  wc_sessionPropose: [1100, FIVE_MINUTES],
  wc_sessionSettle: [1102, FIVE_MINUTES],
  wc_sessionUpdate: [1104, DAY],
  wc_sessionExtend: [1106, DAY],
  wc_sessionRequest: [1108, FIVE_MINUTES],
  wc_sessionEvent: [1110, FIVE_MINUTES],
  wc_sessionDelete: [1112, DAY],
  wc_sessionPing: [1114, DAY],
};
const tagOf = (method: string): readonly [number, number] => TAGS[method] ?? [1108, FIVE_MINUTES];

export class WalletConnect {
  readonly #options: PhoneOptions;
  readonly #account: Account;
  readonly #tell: Tell;
  readonly #relay: RelayClient;
  readonly #keys = new Map<string, Uint8Array>();
  readonly #sessions = new Map<string, Session>();
  readonly #prompts = new Map<number, Prompt>();
  readonly #met = new Set<number>();
  readonly #meetings: Meeting[] = [];
  readonly #replies = new Map<number, (answer: Rpc) => void>();
  readonly plans: Plans;
  #lastId = 0;

  constructor(options: PhoneOptions, account: Account, plans: Plans, tell: Tell) {
    this.#options = options;
    this.#account = account;
    this.plans = plans;
    this.#tell = tell;
    this.#relay = new RelayClient({
      url: options.relay ?? '',
      projectId: options.projectId ?? '',
      identity: createHash('sha256').update(`identity of ${options.seed}`).digest(),
      hear: (message) => {
        this.#hear(message.topic, message.message, message.tag).catch((error: unknown) => {
          this.#tell({ kind: 'failed', error: String(error), tag: message.tag });
        });
      },
      tell: (what) => {
        this.#tell({ kind: 'line', what });
      },
    });
  }

  meet(meetings: readonly Meeting[]): void {
    this.#meetings.push(...meetings);
  }

  /** Scans a code. @throws Error with what is wrong with it */
  async pair(uri: string): Promise<void> {
    const { topic, symKey } = readPairingUri(uri);
    this.#keys.set(topic, symKey);
    if (!this.#relay.isOnline) await this.#relay.goOnline();
    await this.#relay.subscribe(topic);
  }

  goOffline(): void {
    this.#relay.goOffline();
  }

  async comeBack(): Promise<void> {
    if (!this.#relay.isOnline) await this.#relay.goOnline();
  }

  /** What waits on the screen is decided now. Says how many. */
  async tap(plan: Behaviour): Promise<number> {
    const prompts = [...this.#prompts.values()];
    for (const prompt of prompts) await this.#act(this.#session(), prompt, plan);
    return prompts.length;
  }

  /** The session that was settled last. */
  #session(): Session {
    const session = [...this.#sessions.values()].at(-1);
    if (session === undefined) throw new Error('there is no session');
    return session;
  }

  /** Turns to another account, and says so as it is ordered. */
  async switchAccount(
    index: number,
    say: { readonly update?: boolean; readonly event?: boolean; readonly id?: number } = {},
  ): Promise<void> {
    this.#account.index = index;
    await this.#announce(index, say);
  }

  async #announce(
    index: number,
    { update = true, event = true, id }: { update?: boolean; event?: boolean; id?: number },
  ): Promise<void> {
    const session = this.#session();
    const address = this.#account.addressAt(index);
    const old = id === undefined ? {} : { id };
    if (update) {
      session.accounts = [this.#accountName(session.chainId, this.#account.keyAt(index))];
      await this.request('wc_sessionUpdate', { namespaces: this.#namespaces(session) }, old);
    }
    if (event)
      await this.request(
        'wc_sessionEvent',
        { event: { name: 'addressesChanged', data: [address] }, chainId: session.chainId },
        old,
      );
  }

  /** Sends a request of the wallet on its session; returns its id, and does not wait for an answer. */
  async request(
    method: string,
    params: Body,
    { id = this.#nextId() }: { readonly id?: number } = {},
  ): Promise<number> {
    await this.#send(this.#session(), { id, jsonrpc: '2.0', method, params }, tagOf(method));
    return id;
  }

  /** A request that waits for the answer of the other side. */
  async ask(method: string, params: Body, milliseconds = 5_000): Promise<Rpc> {
    const id = this.#nextId();
    const answer = new Promise<Rpc>((resolve) => this.#replies.set(id, resolve));
    await this.request(method, params, { id });
    const late = sleep(milliseconds, null, { ref: false }).then(() => {
      throw new Error(`no answer to ${method} in ${milliseconds} ms`);
    });
    return Promise.race([answer, late]);
  }

  async endSession(code = 6000, message = 'User disconnected.'): Promise<void> {
    const session = this.#session();
    await this.request('wc_sessionDelete', { code, message });
    this.#forget(session.topic);
  }

  /** Any envelope on the session's topic, whatever is in it. */
  async sendRaw(message: string, tag: number): Promise<void> {
    await this.#relay.publish({ topic: this.#session().topic, message, tag, ttl: FIVE_MINUTES });
  }

  /** Any JSON, in an envelope of the session. */
  async sendSealed(body: unknown, tag: number): Promise<void> {
    await this.sendRaw(seal(this.#session().symKey, JSON.stringify(body)), tag);
  }

  #nextId(): number {
    this.#lastId = Math.max(this.#lastId + 1, Date.now() * 1000 + randomInt(1000));
    return this.#lastId;
  }

  #forget(topic: string): void {
    this.#sessions.delete(topic);
    this.#keys.delete(topic);
    this.#relay.forget(topic);
  }

  async #send(
    to: { topic: string; symKey: Uint8Array },
    body: unknown,
    [tag, ttl]: readonly [number, number],
  ): Promise<void> {
    await this.#relay.publish({ topic: to.topic, message: seal(to.symKey, JSON.stringify(body)), tag, ttl });
  }

  async #hear(topic: string, envelope: string, tag: number): Promise<void> {
    const symKey = this.#keys.get(topic);
    if (symKey === undefined) return;
    let rpc: Rpc;
    try {
      rpc = JSON.parse(open(symKey, envelope)) as Rpc;
    } catch (error) {
      this.#tell({ kind: 'unreadable', error: String(error) });
      return;
    }
    if (rpc.method === undefined) {
      this.#tell({
        kind: 'answered by the other side',
        id: rpc.id,
        result: rpc.result,
        error: rpc.error,
        tag,
      });
      this.#replies.get(rpc.id)?.(rpc);
      return;
    }
    if (tag !== tagOf(rpc.method)[0])
      this.#tell({ kind: 'failed', error: `${rpc.method} came with the tag ${tag}` });
    if (rpc.jsonrpc !== '2.0' || !Number.isSafeInteger(rpc.id))
      this.#tell({ kind: 'failed', error: `${rpc.method} is no JSON-RPC 2.0 with an id: ${rpc.id}` });
    if (rpc.method === 'wc_sessionPropose') await this.#propose({ topic, symKey }, rpc);
    else if (rpc.method === 'wc_pairingDelete') this.#forget(topic);
    else await this.#hearSession(topic, rpc as Rpc & { method: string }, envelope);
  }

  async #hearSession(topic: string, rpc: Rpc & { method: string }, envelope: string): Promise<void> {
    const session = this.#sessions.get(topic);
    if (session === undefined) return;
    const agree = async (): Promise<void> => {
      if (this.#options.quiet !== true) await this.#answer(session, rpc, { result: true });
    };
    switch (rpc.method) {
      case 'wc_sessionPing':
        // The SDK answers pings even when it says nothing else.
        await this.#answer(session, rpc, { result: true });
        this.#tell({ kind: 'ping' });
        break;
      case 'wc_sessionExtend': {
        const { expiry } = rpc.params ?? {};
        session.expiry = typeof expiry === 'number' ? expiry : now() + WEEK;
        await agree();
        this.#tell({ kind: 'extended', expiry: session.expiry });
        break;
      }
      case 'wc_sessionDelete':
        await agree();
        this.#forget(topic);
        this.#tell({ kind: 'session ended', by: 'dapp', params: rpc.params });
        break;
      case 'wc_sessionRequest':
        await this.#hearRequest(session, rpc, envelope);
        break;
      default:
        this.#tell({ kind: 'failed', error: `${rpc.method} is nothing a dapp says` });
    }
  }

  async #answer(
    to: { topic: string; symKey: Uint8Array },
    { id, method = '' }: Pick<Rpc, 'id' | 'method'>,
    answer: { readonly result: unknown } | { readonly error: unknown },
  ): Promise<void> {
    const [tag, ttl] = tagOf(method);
    await this.#send(to, { id, jsonrpc: '2.0', ...answer }, [tag + 1, ttl]);
  }

  // Meeting.

  async #propose(pairing: { topic: string; symKey: Uint8Array }, rpc: Rpc): Promise<void> {
    if (this.#met.has(rpc.id)) return;
    this.#met.add(rpc.id);
    const plan = this.#meetings.shift() ?? { do: 'accept' };
    const params = rpc.params ?? {};
    const required = namespaceIn(params['requiredNamespaces']);
    const optional = namespaceIn(params['optionalNamespaces']);
    const proposer = params['proposer'] as { publicKey: string; metadata: Body };
    const chains = [...new Set([...required.chains, ...optional.chains])];
    this.#tell({
      kind: 'proposal',
      id: rpc.id,
      metadata: proposer.metadata,
      chains,
      required,
      optional,
      expiryTimestamp: params['expiryTimestamp'],
    });
    if (plan.delay !== undefined) await sleep(plan.delay);
    const wanted = `bch:${this.#account.chain}`;
    // A wallet on another network shows nothing, and answers nothing.
    if (plan.do === 'silence' || (plan.chain === undefined && !chains.includes(wanted))) {
      this.#tell({ kind: 'not answered', id: rpc.id });
      return;
    }
    if (plan.do !== 'accept') {
      const error =
        plan.do === 'decline' ? DECLINED : { code: plan.code ?? 5001, message: plan.message ?? 'no' };
      await this.#send(pairing, { id: rpc.id, jsonrpc: '2.0', error }, [1120, FIVE_MINUTES]);
      return;
    }
    const known = [...METHODS, ...(this.#options.cancels === true ? [CANCEL] : [])];
    const unmet = required.methods.filter((method) => !known.includes(method));
    if (unmet.length > 0) {
      this.#tell({ kind: 'not answered', id: rpc.id, unmet });
      return;
    }
    await this.#accept(pairing, rpc, plan);
  }

  async #accept(pairing: { topic: string; symKey: Uint8Array }, rpc: Rpc, plan: Meeting): Promise<void> {
    const params = rpc.params ?? {};
    const { publicKey } = params['proposer'] as { publicKey: string };
    const asked = [params['requiredNamespaces'], params['optionalNamespaces']].flatMap(
      (given) => namespaceIn(given).methods,
    );
    const privateKey = new Uint8Array(randomBytes(32));
    const symKey = sharedKey(privateKey, fromHex(publicKey));
    const known = [...METHODS, ...(this.#options.cancels === true ? [CANCEL] : [])];
    const chainId = `bch:${plan.chain ?? this.#account.chain}`;
    const session: Session = {
      topic: topicOf(symKey),
      symKey,
      chainId,
      methods: plan.methods ?? known.filter((method) => asked.includes(method)),
      privateKey,
      expiry: now() + (plan.seconds ?? WEEK),
      accounts: plan.accounts ?? [this.#accountName(chainId, this.#account.key)],
    };
    this.#keys.set(session.topic, symKey);
    this.#sessions.set(session.topic, session);
    await this.#relay.subscribe(session.topic);
    const answer = async (): Promise<void> => {
      const result = { relay: { protocol: 'irn' }, responderPublicKey: toHex(publicKeyOf(privateKey)) };
      await this.#send(pairing, { id: rpc.id, jsonrpc: '2.0', result }, [1101, FIVE_MINUTES]);
    };
    const settle = async (): Promise<void> => {
      if (plan.neverSettle !== true) await this.#settle(session, plan);
    };
    for (const step of plan.settleFirst === true ? [settle, answer] : [answer, settle]) await step();
    if (plan.settleAgain === true) {
      await this.#settle({ ...session, accounts: [this.#accountName(chainId, foreignKey)] }, plan);
    }
    const { topic, accounts, expiry } = session;
    this.#tell({ kind: 'session', topic, symKey: toHex(symKey), accounts, expiry });
  }

  async #settle(session: Session, plan: Meeting): Promise<void> {
    const controller = plan.otherController === true ? randomBytes(32) : session.privateKey;
    const params = {
      relay: { protocol: 'irn' },
      controller: {
        publicKey: toHex(publicKeyOf(new Uint8Array(controller))),
        metadata: {
          name: this.#options.name ?? 'A phone',
          description: 'A wallet for tests',
          url: 'https://phone.example',
          icons: [],
        },
      },
      namespaces: this.#namespaces(session),
      expiry: session.expiry,
    };
    await this.request('wc_sessionSettle', params);
  }

  #namespaces({ chainId, methods, accounts }: Session): Body {
    return { bch: { chains: [chainId], accounts, methods, events: ['addressesChanged'] } };
  }

  /** An account of a chain, with the checksum that its addresses have there. */
  #accountName(chainId: string, { lockingBytecode }: Key): string {
    const chain = chainId.replace('bch:', '') as ChainName;
    return `${chainId}:${withoutPrefix(addressOf(lockingBytecode, chain) ?? '')}`;
  }

  // Requests.

  async #hearRequest(session: Session, rpc: Rpc, envelope: string): Promise<void> {
    // The same request comes again: it stands on the screen, or was answered.
    if (this.#met.has(rpc.id)) {
      this.#tell({ kind: 'again', id: rpc.id });
      return;
    }
    this.#met.add(rpc.id);
    const { request, chainId } = rpc.params as {
      request: { method: string; params: Body; expiryTimestamp?: number };
      chainId: string;
    };
    const refuse = async (error: unknown): Promise<void> => {
      this.#tell({ kind: 'refused', id: rpc.id, method: request.method, error });
      await this.#answer(session, { id: rpc.id, method: 'wc_sessionRequest' }, { error });
    };
    if (!session.methods.includes(request.method) || chainId !== session.chainId) {
      await refuse({});
      return;
    }
    const made = rpc.id / 1_000_000;
    const { expiryTimestamp = made + FIVE_MINUTES } = request;
    const lasts = expiryTimestamp - made;
    if (this.#options.strictExpiry !== false) {
      if (lasts < FIVE_MINUTES - LEEWAY || lasts > WEEK + LEEWAY || expiryTimestamp < now()) {
        await refuse({ code: 8000, message: 'Session request expired' });
        return;
      }
    }
    if (request.method === CANCEL) {
      await this.#cancel(session, rpc);
      return;
    }
    let asked: Asked | null = null;
    try {
      if (request.method === 'bch_signTransaction') asked = readAsked(request.params);
    } catch (error) {
      await refuse({ code: -32_602, message: String(error) });
      return;
    }
    const prompt: Prompt = { id: rpc.id, method: request.method, params: request.params, asked, envelope };
    this.#prompts.set(rpc.id, prompt);
    this.#tell({
      kind: 'request',
      id: rpc.id,
      method: request.method,
      ...(typeof request.params['userPrompt'] === 'string'
        ? { userPrompt: request.params['userPrompt'] }
        : {}),
      ...(asked === null
        ? {}
        : { shown: show(asked, this.#account.chain), broadcast: request.params['broadcast'] ?? true }),
      ...(request.method === 'bch_signMessage' ? { message: request.params['message'] } : {}),
      expiryTimestamp,
    });
    await this.#act(session, prompt, this.plans.take(request.method));
  }

  async #cancel(session: Session, rpc: Rpc): Promise<void> {
    const cancelled = [...this.#prompts.keys()];
    this.#prompts.clear();
    this.#tell({ kind: 'cancelled', ids: cancelled });
    for (const id of cancelled)
      await this.#answer(session, { id, method: 'wc_sessionRequest' }, { error: DECLINED });
    const result = { cancelledCount: cancelled.length };
    await this.#answer(session, { id: rpc.id, method: 'wc_sessionRequest' }, { result });
  }

  async #act(session: Session, prompt: Prompt, plan: Behaviour): Promise<void> {
    if (plan.do === 'silence') return;
    if (plan.offline !== undefined) this.goOffline();
    if (plan.echo === true)
      await this.#relay.publish({
        topic: session.topic,
        message: prompt.envelope,
        tag: 1108,
        ttl: FIVE_MINUTES,
      });
    if (plan.update !== undefined) await this.#announce(plan.update, {});
    if (plan.delay !== undefined) await sleep(plan.delay);
    // Somebody has cancelled it meanwhile.
    if (!this.#prompts.has(prompt.id)) return;
    if (plan.do === 'stranger') await this.switchAccount(this.#account.index + 1);
    if (plan.do === 'leave') {
      this.#prompts.delete(prompt.id);
      await this.endSession();
      return;
    }
    const answer = this.#answerTo(prompt, plan);
    this.#prompts.delete(prompt.id);
    if (typeof plan.offline === 'number') setTimeout(() => void this.comeBack(), plan.offline);
    const to = { id: prompt.id, method: 'wc_sessionRequest' };
    if (plan.wrongId === true) await this.#answer(session, { ...to, id: prompt.id + 1 }, answer);
    await this.#answer(session, to, answer);
    if (plan.twice === true) await this.#answer(session, to, answer);
    this.#tell({ kind: 'answer', id: prompt.id, method: prompt.method, ...answer, plan });
  }

  #answerTo(prompt: Prompt, plan: Behaviour): { readonly result: unknown } | { readonly error: unknown } {
    if (plan.do === 'decline') return { error: DECLINED };
    if (plan.do === 'error') return { error: { code: plan.code ?? -32_000, message: plan.message ?? 'no' } };
    if (plan.do === 'emptyError') return { error: {} };
    if (plan.do === 'answer') return { result: plan.result };
    const { key, address } = this.#account;
    if (prompt.method === 'bch_getAddresses') {
      const shown =
        plan.lie === undefined ? address : (addressOf(foreignKey.lockingBytecode, this.#account.chain) ?? '');
      return { result: this.#options.bareAddress === true ? shown : [shown] };
    }
    if (prompt.method === 'bch_signMessage')
      return { result: textAsTold(String(prompt.params['message']), key, plan) };
    try {
      const pen = { key, own: this.#own(key.lockingBytecode, plan), manner: {} };
      return { result: signAsTold(prompt.asked as Asked, pen, plan) };
    } catch (error) {
      const kind = error instanceof ImpossibleLie ? 'impossible' : 'failed';
      this.#tell({ kind, error: String(error), lie: plan.lie });
      return { error: { code: -32_603, message: String(error) } };
    }
  }

  /** A stranger's account signs in the place of the one that was asked. */
  #own(current: string, plan: Behaviour): string {
    return plan.do === 'stranger' ? this.#account.keyAt(this.#account.index - 1).lockingBytecode : current;
  }
}

const namespaceIn = (
  given: unknown,
): { readonly chains: readonly string[]; readonly methods: readonly string[] } => {
  const { bch } = (given ?? {}) as {
    readonly bch?: { readonly chains?: string[]; readonly methods?: string[] };
  };
  return { chains: bch?.chains ?? [], methods: bch?.methods ?? [] };
};
