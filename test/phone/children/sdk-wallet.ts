/**
 * The reference SDK as the wallet, in a process of its own: `sdk-wallet.js FOLDER`, where FOLDER is where it is installed.
 * It takes the orders of a phone as far as the SDK can follow them, and tells what the phone tells. It talks to the relay
 * alone: whatever else it would ask the network for is refused.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Behaviour, Meeting, PhoneEvent, PhoneOptions } from '../behaviour.js';
import { foreignKey, addressOf, toHexKey, withoutPrefix } from '../key.js';
import type { OrderMessage, PhoneMessage } from '../orders.js';
import { Account, Plans, show, signAsTold, textAsTold } from '../prompts.js';
import { readAsked } from '../signing.js';

type Body = Record<string, unknown>;
type Proposal = {
  readonly id: number;
  readonly params: {
    readonly requiredNamespaces: Record<string, { methods: string[] }>;
    readonly optionalNamespaces: Record<string, { methods: string[] }>;
    readonly proposer: { readonly metadata: Body };
  };
};
type Asking = {
  readonly id: number;
  readonly topic: string;
  readonly params: {
    readonly chainId: string;
    readonly request: { readonly method: string; readonly params: Body };
  };
};
type Client = {
  readonly on: (event: string, listener: (given: never) => void) => void;
  readonly pair: (given: { uri: string }) => Promise<unknown>;
  readonly approve: (given: Body) => Promise<{ topic: string; acknowledged: () => Promise<Session> }>;
  readonly reject: (given: Body) => Promise<void>;
  readonly respond: (given: { topic: string; response: Body }) => Promise<void>;
  readonly update: (given: Body) => Promise<{ acknowledged: () => Promise<void> }>;
  readonly extend: (given: Body) => Promise<{ acknowledged: () => Promise<void> }>;
  readonly emit: (given: Body) => Promise<void>;
  readonly ping: (given: Body) => Promise<void>;
  readonly disconnect: (given: Body) => Promise<void>;
};
type Session = { readonly topic: string; readonly expiry: number };

const [, , folder = ''] = process.argv;
globalThis.fetch = () => Promise.reject(new Error('nothing but the relay is reached'));

const METHODS = ['bch_getAddresses', 'bch_signTransaction', 'bch_signMessage'];

const send = (message: PhoneMessage): void => {
  if (process.connected) process.send?.(message);
};
const tell = (event: PhoneEvent): void => {
  send({ event });
};

class SdkWallet {
  readonly #account: Account;
  readonly #options: PhoneOptions;
  readonly #plans = new Plans();
  readonly #meetings: Meeting[] = [];
  readonly #client: Promise<Client>;
  #topic = '';

  constructor(options: PhoneOptions) {
    this.#options = options;
    this.#account = new Account(options.seed, options.chain);
    this.#client = this.#start();
  }

  async #start(): Promise<Client> {
    const load = createRequire(join(folder, 'index.js'));
    const { SignClient } = load('@walletconnect/sign-client') as {
      SignClient: { init: (options: unknown) => Promise<Client> };
    };
    const client = await SignClient.init({
      projectId: this.#options.projectId,
      relayUrl: this.#options.relay,
      telemetryEnabled: false,
      logger: 'silent',
      storageOptions: { database: ':memory:' },
      metadata: { name: 'SDK wallet', description: '', url: 'https://sdk.example', icons: [] },
    });
    const guard = (work: Promise<void>): void => {
      work.catch((error: unknown) => {
        tell({ kind: 'failed', error: String(error) });
      });
    };
    client.on('session_proposal', (given: Proposal) => {
      guard(this.#propose(given));
    });
    client.on('session_request', (given: Asking) => {
      guard(this.#request(given));
    });
    client.on('session_ping', () => {
      tell({ kind: 'ping' });
    });
    client.on('session_extend', () => {
      tell({ kind: 'extended' });
    });
    client.on('session_delete', () => {
      tell({ kind: 'session ended', by: 'dapp' });
    });
    return client;
  }

  async #propose({ id, params }: Proposal): Promise<void> {
    const client = await this.#client;
    const plan = this.#meetings.shift() ?? { do: 'accept' };
    tell({ kind: 'proposal', id, metadata: params.proposer.metadata, ...params });
    if (plan.do === 'silence') return;
    if (plan.do !== 'accept') {
      await client.reject({
        id,
        reason: { code: plan.code ?? 5000, message: plan.message ?? 'User rejected.' },
      });
      return;
    }
    const { topic, acknowledged } = await client.approve({ id, namespaces: this.#namespaces() });
    this.#topic = topic;
    const { expiry } = await acknowledged();
    tell({ kind: 'session', topic, expiry });
  }

  #namespaces(): Body {
    const chain = `bch:${this.#account.chain}`;
    const accounts = [`${chain}:${withoutPrefix(this.#account.address)}`];
    return { bch: { chains: [chain], accounts, methods: METHODS, events: ['addressesChanged'] } };
  }

  async #request({ id, topic, params: { request } }: Asking): Promise<void> {
    const client = await this.#client;
    const plan = this.#plans.take(request.method);
    const asked = request.method === 'bch_signTransaction' ? readAsked(request.params) : null;
    tell({
      kind: 'request',
      id,
      method: request.method,
      ...(asked === null ? {} : { shown: show(asked, this.#account.chain) }),
    });
    if (plan.do === 'silence') return;
    const answer = (): Body => {
      if (plan.do === 'decline') return { error: { code: 5000, message: 'User rejected.' } };
      if (request.method === 'bch_getAddresses') return { result: [this.#account.address] };
      const { key } = this.#account;
      if (asked === null) return { result: textAsTold(String(request.params['message']), key, plan) };
      return { result: signAsTold(asked, { key, own: key.lockingBytecode, manner: {} }, plan) };
    };
    await client.respond({ topic, response: { id, jsonrpc: '2.0', ...answer() } });
    tell({ kind: 'answer', id, method: request.method });
  }

  async obey(order: string, args: readonly unknown[]): Promise<unknown> {
    const client = await this.#client;
    const topic = this.#topic;
    switch (order) {
      case 'scan':
        await client.pair({ uri: String(args[0]) });
        return undefined;
      case 'meet':
        this.#meetings.push(...(args as Meeting[]));
        return undefined;
      case 'plan':
        this.#plans.add(args as Behaviour[]);
        return undefined;
      case 'switchAccount': {
        this.#account.index = Number(args[0]);
        const { acknowledged } = await client.update({ topic, namespaces: this.#namespaces() });
        await acknowledged();
        const event = { name: 'addressesChanged', data: [this.#account.address] };
        await client.emit({ topic, event, chainId: `bch:${this.#account.chain}` });
        return undefined;
      }
      case 'ask':
        if (args[0] === 'wc_sessionPing') await client.ping({ topic });
        else if (args[0] === 'wc_sessionExtend') await (await client.extend({ topic })).acknowledged();
        else throw new Error(`the SDK is not asked for ${String(args[0])}`);
        return { result: true };
      case 'endSession':
        await client.disconnect({ topic, reason: { code: 6000, message: 'User disconnected.' } });
        return undefined;
      case 'account': {
        const foreignAddress = addressOf(foreignKey.lockingBytecode, this.#account.chain) ?? '';
        return { address: this.#account.address, publicKey: toHexKey(this.#account.key), foreignAddress };
      }
      default:
        throw new Error(`the SDK cannot do this: ${order}`);
    }
  }
}

let wallet: SdkWallet | undefined;

const obey = async (message: OrderMessage): Promise<void> => {
  if ('options' in message) {
    wallet = new SdkWallet(message.options);
    return;
  }
  try {
    send({ id: message.id, result: await wallet?.obey(message.order, message.args) });
  } catch (error) {
    send({ id: message.id, error: error instanceof Error ? error.message : JSON.stringify(error) });
  }
};

process.on('message', (message) => void obey(message as OrderMessage));
process.on('disconnect', () => {
  process.exit();
});
