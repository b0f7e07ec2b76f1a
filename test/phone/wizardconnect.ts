/** The wallet side of WizardConnect with `hdwalletv1`. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour, Meeting, PhoneOptions } from './behaviour.js';
import { isChunk, Parts, toParts } from './chunks.js';
import { toHex } from './envelope.js';
import { deriveKey, foreignKey, xpubOf, type Key } from './key.js';
import {
  fromGroups,
  nostrKeyOf,
  randomKey,
  readWizUri,
  toGroups,
  unwrap,
  wrap,
  type Forgery,
  type NostrEvent,
} from './nostr.js';
import { NostrLine } from './nostr-line.js';
import { ImpossibleLie, show, signAsTold, type Account, type Plans, type Tell } from './prompts.js';
import { readAsked, type Asked } from './signing.js';

const PROTOCOL = 'hdwalletv1';
const BRANCHES: Record<string, number> = { receive: 0, change: 1, defi: 7 };
const DECLINED = 'User rejected the request';

type Message = Record<string, unknown> & { readonly action: string; readonly time: number };
type Prompt = {
  readonly sequence: number;
  readonly asked: Asked;
  readonly keys: ReadonlyMap<number, Key>;
  readonly content: string;
};
/** What is said instead of a signature. */
type Answer = { readonly signedTransaction?: unknown; readonly error?: unknown };

/** How a message is sent otherwise than it should be. */
export type WizManner = {
  /** Who sends it: the wallet, or somebody else who says that he is nobody else. */
  readonly as?: 'wallet' | 'stranger';
  /** The rumor claims to be the wallet's, and the seal is the stranger's. */
  readonly forged?: boolean;
  readonly badSealSignature?: boolean;
  readonly sealKind?: number;
  readonly rumorKind?: number;
};

const now = (): number => Math.floor(Date.now() / 1000);

export class WizardConnect {
  readonly #options: PhoneOptions;
  readonly #account: Account;
  readonly #plans: Plans;
  readonly #tell: Tell;
  readonly #key: Uint8Array;
  readonly #stranger = randomKey();
  readonly #meetings: Meeting[] = [];
  readonly #prompts = new Map<number, Prompt>();
  readonly #used = new Set<number>();
  readonly #parts = new Parts();
  #line: NostrLine | null = null;
  #dapp = '';
  #secret = '';
  #takesChunks = false;
  #meeting: Meeting = { do: 'accept' };
  /** The highest time that was seen: what is older is dropped. */
  #mark = 0;

  constructor(options: PhoneOptions, account: Account, plans: Plans, tell: Tell) {
    this.#options = options;
    this.#account = account;
    this.#plans = plans;
    this.#tell = tell;
    this.#key = createHash('sha256').update(`nostr key of ${options.seed}`).digest();
  }

  meet(meetings: readonly Meeting[]): void {
    this.#meetings.push(...meetings);
  }

  /** Scans a code. @throws Error with what is wrong with it */
  async pair(uri: string): Promise<void> {
    const { relay, publicKey, secret } = readWizUri(uri);
    const url = relay ?? this.#options.relay;
    if (url === undefined) throw new Error('no relay in the URI, and none of its own');
    this.#dapp = publicKey;
    this.#secret = secret;
    this.#meeting = this.#meetings.shift() ?? { do: 'accept' };
    this.#mark = now() - 2;
    this.#line?.goOffline();
    this.#line = new NostrLine(url, nostrKeyOf(this.#key), (event) => {
      this.#hear(event).catch((error: unknown) => {
        this.#tell({ kind: 'failed', error: String(error) });
      });
    });
    await this.#line.goOnline();
    if (this.#meeting.delay !== undefined) await sleep(this.#meeting.delay);
    if (this.#meeting.do === 'accept') await this.#introduce(false);
    else if (this.#meeting.do !== 'silence')
      await this.say({
        action: 'disconnect',
        reason: 'user_disconnect',
        message: this.#meeting.message ?? 'declined',
      });
  }

  goOffline(): void {
    this.#line?.goOffline();
  }

  /** What came while it was away is too old, and lost. */
  async comeBack(): Promise<void> {
    if (this.#line === null || this.#line.isOnline) return;
    this.#mark = Math.max(this.#mark, now() - 2);
    await this.#line.goOnline();
    await this.#introduce(false);
  }

  async endSession(message?: string, reason = 'user_disconnect'): Promise<void> {
    await this.say({ action: 'disconnect', reason, ...(message === undefined ? {} : { message }) });
    this.goOffline();
  }

  /** Says anything, whole or in chunks; `time` is now unless it is said. */
  async say(body: Record<string, unknown>, manner: WizManner = {}): Promise<void> {
    const message = { time: now(), ...body };
    const parts = toParts(JSON.stringify(message), now(), this.#takesChunks);
    for (const part of parts) await this.#publish(part, manner);
  }

  async #publish(content: string, manner: WizManner): Promise<void> {
    const { as = 'wallet', forged, ...forgery } = manner;
    const key = as === 'wallet' && forged !== true ? this.#key : this.#stranger;
    const how: Forgery = { ...forgery, ...(forged === true ? { rumorKey: nostrKeyOf(this.#key) } : {}) };
    await this.#line?.publish(wrap(content, key, this.#dapp, how));
  }

  /** Decides what waits on the screen. */
  async tap(plan: Behaviour): Promise<number> {
    const prompts = [...this.#prompts.values()];
    for (const prompt of prompts) await this.#act(prompt, plan);
    return prompts.length;
  }

  async #introduce(dappDiscovered: boolean): Promise<void> {
    const { secretAs, otherPublicKey, protocols } = this.#meeting;
    const secret = {
      uri: this.#secret,
      hex: toHex(fromGroups(this.#secret, 8)),
      wrong: toGroups(new Uint8Array(8)),
    };
    const paths = Object.entries(BRANCHES).map(([name, branch]) => ({
      name,
      xpub: xpubOf(
        this.#options.seed,
        branch,
        this.#options.tpub === true ? this.#account.chain : 'bitcoincash',
      ),
    }));
    await this.say({
      action: 'wallet_ready',
      supported_protocols: protocols ?? [PROTOCOL],
      wallet_name: this.#options.name ?? 'A phone',
      wallet_icon: '',
      dapp_discovered: dappDiscovered,
      public_key: nostrKeyOf(otherPublicKey === true ? this.#stranger : this.#key),
      secret: secret[secretAs ?? 'uri'],
      session: { [PROTOCOL]: { paths } },
      extensions: this.#options.noChunks === true ? {} : { chunk: { version: 1 } },
    });
  }

  async #hear(event: NostrEvent): Promise<void> {
    let from: string;
    let content: string;
    try {
      ({ from, content } = unwrap(event, this.#key));
    } catch (error) {
      this.#tell({ kind: 'unreadable', error: String(error) });
      return;
    }
    if (from !== this.#dapp) {
      this.#tell({ kind: 'stranger', from });
      return;
    }
    const message = JSON.parse(content) as Message;
    if (isChunk(message)) {
      const whole = this.#parts.take(message);
      this.#tell({ kind: 'chunk', index: message.index, total: message.total });
      if (whole !== null) await this.#take(JSON.parse(whole) as Message, whole);
    } else await this.#take(message, content);
  }

  async #take(message: Message, content: string): Promise<void> {
    if (message.time < this.#mark) {
      this.#tell({ kind: 'too old', action: message.action, time: message.time });
      return;
    }
    this.#mark = message.time;
    switch (message.action) {
      case 'dapp_ready':
        await this.#meetDapp(message);
        break;
      case 'sign_transaction_request':
        await this.#ask(message, content);
        break;
      case 'sign_cancel':
        this.#prompts.delete(Number(message['sequence']));
        this.#tell({ kind: 'cancelled', sequence: message['sequence'], reason: message['reason'] });
        break;
      case 'disconnect':
        this.#prompts.clear();
        this.#tell({ kind: 'session ended', by: 'dapp', params: message });
        this.goOffline();
        break;
      case 'ping':
        await this.say({ action: 'pong' });
        this.#tell({ kind: 'ping' });
        break;
      default:
        this.#tell({ kind: 'failed', error: `${message.action} is nothing a dapp says` });
    }
  }

  async #meetDapp(message: Message): Promise<void> {
    const { chunk } = (message['extensions'] ?? {}) as { readonly chunk?: { readonly version?: number } };
    this.#takesChunks = chunk?.version === 1 && this.#options.noChunks !== true;
    this.#tell({ ...message, kind: 'session' });
    if (message['wallet_discovered'] !== true && this.#meeting.do === 'accept') await this.#introduce(true);
  }

  // Requests.

  #keysOf(given: unknown): ReadonlyMap<number, Key> {
    const paths = given as readonly (readonly [number, string, number])[];
    return new Map(
      paths.map(([input, name, index]) => {
        const branch = BRANCHES[name];
        if (branch === undefined) throw new Error(`no path ${name}`);
        return [input, deriveKey(this.#options.seed, `${branch}/${index}`)];
      }),
    );
  }

  async #ask(message: Message, content: string): Promise<void> {
    const sequence = Number(message['sequence']);
    if (this.#used.has(sequence)) {
      this.#tell({ kind: 'again', sequence });
      return;
    }
    this.#used.add(sequence);
    let prompt: Prompt;
    const { transaction: given, ...rest } = message;
    // The transaction may be the whole of what is asked, or its parts beside the sequence.
    const params = (isWhole(given) ? given : { transaction: given, ...rest }) as Record<string, unknown>;
    try {
      prompt = { sequence, asked: readAsked(params), keys: this.#keysOf(message['inputPaths']), content };
    } catch (error) {
      this.#tell({ kind: 'refused', sequence, error: String(error) });
      await this.#answer(sequence, { error: String(error) });
      return;
    }
    this.#prompts.set(sequence, prompt);
    this.#tell({
      kind: 'request',
      method: message.action,
      sequence,
      inputPaths: message['inputPaths'],
      shown: show(prompt.asked, this.#account.chain),
      broadcast: params['broadcast'] ?? true,
      ...(typeof params['userPrompt'] === 'string' ? { userPrompt: params['userPrompt'] } : {}),
    });
    await this.#act(prompt, this.#plans.take('sign_transaction_request'));
  }

  async #answer(sequence: number, { signedTransaction = '', error }: Answer): Promise<void> {
    await this.say({
      action: 'sign_transaction_response',
      sequence,
      signedTransaction,
      ...(error === undefined ? {} : { error }),
    });
  }

  async #act(prompt: Prompt, plan: Behaviour): Promise<void> {
    const { sequence } = prompt;
    if (plan.do === 'silence') return;
    if (plan.offline !== undefined) this.goOffline();
    if (plan.echo === true)
      for (const part of toParts(prompt.content, now(), this.#takesChunks)) await this.#publish(part, {});
    if (plan.delay !== undefined) await sleep(plan.delay);
    // Somebody has cancelled it meanwhile.
    if (!this.#prompts.has(sequence)) return;
    this.#prompts.delete(sequence);
    if (plan.do === 'leave') {
      await this.endSession();
      return;
    }
    const answer = this.#answerTo(prompt, plan);
    if (typeof plan.offline === 'number') setTimeout(() => void this.comeBack(), plan.offline);
    if (plan.wrongId === true) await this.#answer(sequence + 1, answer);
    await this.#answer(sequence, answer);
    if (plan.twice === true) await this.#answer(sequence, answer);
    this.#tell({ kind: 'answer', sequence, method: 'sign_transaction_request', ...answer, plan });
  }

  #answerTo({ asked, keys }: Prompt, plan: Behaviour): Answer {
    switch (plan.do) {
      case 'decline':
        return { error: DECLINED };
      case 'error':
        return { error: plan.message ?? 'no' };
      case 'emptyError':
        return { error: '' };
      case 'answer':
        return plan.result as Answer;
      default:
    }
    const [first] = keys.values();
    const key = first ?? foreignKey;
    try {
      const isForeign = plan.do === 'stranger';
      const pen = { key, own: key.lockingBytecode, keys, manner: isForeign ? { isForeign } : {} };
      return { signedTransaction: signAsTold(asked, pen, plan).signedTransaction };
    } catch (error) {
      const kind = error instanceof ImpossibleLie ? 'impossible' : 'failed';
      this.#tell({ kind, error: String(error), lie: plan.lie });
      return { error: String(error) };
    }
  }
}

const isWhole = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && 'transaction' in given && 'sourceOutputs' in given;
