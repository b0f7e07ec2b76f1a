/** What a dapp does over HTTP: calls, logging in with a signed challenge, and handing signed transactions in. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { signMessage } from '../../src/bch/signed-message.js';
import { startDaemon } from '../../src/daemon/start-daemon.js';
import type { Network } from '../../src/bch/network.js';
import type { Log } from '../../src/operation/context.js';
import type { PhonePlaces } from '../../src/settings/phone-places.js';
import type { Person } from '../../fixtures/people.js';
import type { Treasury } from '../treasury.js';
import { specifiedNaming } from './specified-naming.js';
import { signTransaction } from './wallet.js';

export type Json = Record<string, unknown>;
export type Answer = { readonly status: number; readonly body: Json };

/** How the caller is named: by a token, by `x-user-address`, or both. */
export type Naming = { readonly token?: string; readonly address?: string };

export type Client = {
  readonly call: (method: string, path: string, body?: Json, naming?: Naming) => Promise<Answer>;
  /** An access token of a person. */
  readonly logIn: (person: Person) => Promise<string>;
  /** Signs a wcTransaction as a wallet does and broadcasts it through the service. */
  readonly send: (person: Person, wcTransaction: unknown) => Promise<Answer>;
};

export type ClientOptions = {
  /** Default `local`. */
  readonly network?: Network;
  /** Resolves once the chain shows a transaction that was broadcast. */
  readonly seen?: (txid: string) => Promise<void>;
  /**
   * `specified` (the default): a request carries what the specification lists for its route and nothing more, whatever
   * the test hands over. `given`: what the test hands over.
   */
  readonly naming?: 'specified' | 'given';
};

/** What of a naming the specification lists for a request. */
const specified = (method: string, path: string, { token, address }: Naming): Naming => {
  const by = specifiedNaming(method, path);
  if (by === 'token') return token === undefined ? {} : { token };
  return by === 'nothing' || address === undefined ? {} : { address };
};

/** A client of the service at `url`. */
export const clientOf = (
  url: string,
  { network = 'local', seen = () => Promise.resolve(), naming = 'specified' }: ClientOptions = {},
): Client => {
  const call: Client['call'] = async (method, path, body, given = {}) => {
    const { token, address } = naming === 'given' ? given : specified(method, path, given);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(address === undefined ? {} : { 'x-user-address': address }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // A HEAD request is answered without a body, a stream without an end.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream) await response.body?.cancel();
    const answer = method === 'HEAD' || isStream ? {} : await response.json();
    return { status: response.status, body: answer as Json };
  };
  const logIn: Client['logIn'] = async (person) => {
    const { text: address } = person.address(network);
    const { body: given } = await call('POST', '/api/auth/challenge', { address });
    const challenge = String(given['challenge']);
    const signature = signMessage(challenge, person.privateKey);
    const { body } = await call('POST', '/api/auth/token', { address, challenge, signature });
    return String(body['accessToken']);
  };
  const send: Client['send'] = async (person, wcTransaction) => {
    const transaction = signTransaction(wcTransaction, person);
    const sent = await call('POST', '/api/transactions/broadcast', { transaction });
    if (sent.status === 200) await seen(String(sent.body['txHash']));
    return sent;
  };
  return { call, logIn, send };
};

/** How long a server may take to show what it was sent. */
const PATIENCE_MS = 30_000;
const ASK_AGAIN_MS = 100;

/** Asks again for as long as the answer is that the chain does not show the transaction yet, as that answer says. */
export const untilIndexed = async (ask: () => Promise<Answer>): Promise<Answer> => {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (answer.body['code'] !== 'tx_not_indexed' || Date.now() > deadline) return answer;
    await wait(ASK_AGAIN_MS);
  }
};

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

export type Served = Client & { /** Of the service. */ readonly url: string };

/** How a treasury is served. */
export type ServeOptions = Pick<ClientOptions, 'naming'> & {
  /** False: as to others than this machine, to whom the address header proves nothing. Default true. */
  readonly trustAddressHeader?: boolean;
  /** True: keys for scripts are taken and nothing else. */
  readonly requireKeys?: boolean;
  /** Default: none is kept. */
  readonly log?: Log;
  /** Requests a minute; default no limit. */
  readonly ratePerMinute?: number;
  /** Where the page reaches phones; default: none is served. */
  readonly page?: PhonePlaces;
};

/** Serves a treasury on a free port until the test ends. */
export const serve = async (
  t: ExecutionContext,
  { app, chain }: Treasury,
  {
    trustAddressHeader = true,
    requireKeys = false,
    log = silent,
    ratePerMinute = 0,
    page,
    ...client
  }: ServeOptions = {},
): Promise<Served> => {
  const daemon = await startDaemon({
    app: { ...app, close: () => Promise.resolve() },
    port: 0,
    signals: null,
    trustAddressHeader,
    requireKeys,
    ratePerMinute,
    log,
    ...(page === undefined ? {} : { page }),
  });
  t.teardown(() => daemon.stop());
  const { url } = daemon;
  return { url, ...clientOf(url, { network: app.context.network, seen: chain.seen, ...client }) };
};
