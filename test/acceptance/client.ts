/** What a dapp does over HTTP: calls, logging in with a signed challenge, and handing signed transactions in. */
import type { ExecutionContext } from 'ava';
import { signMessage } from '../../src/bch/signed-message.js';
import { startDaemon } from '../../src/daemon/start-daemon.js';
import type { Person } from '../../fixtures/people.js';
import type { Treasury } from '../treasury.js';
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

/** A client of the service at `url`. */
export const clientOf = (url: string): Client => {
  const call: Client['call'] = async (method, path, body, { token, address } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(address === undefined ? {} : { 'x-user-address': address }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const logIn: Client['logIn'] = async (person) => {
    const { text: address } = person.address('local');
    const { body: given } = await call('POST', '/api/auth/challenge', { address });
    const challenge = String(given['challenge']);
    const signature = signMessage(challenge, person.privateKey);
    const { body } = await call('POST', '/api/auth/token', { address, challenge, signature });
    return String(body['accessToken']);
  };
  const send: Client['send'] = (person, wcTransaction) =>
    call('POST', '/api/transactions/broadcast', { transaction: signTransaction(wcTransaction, person) });
  return { call, logIn, send };
};

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Serves a treasury on a free port until the test ends. */
export const serve = async (t: ExecutionContext, { app }: Treasury): Promise<Client> => {
  const daemon = await startDaemon({
    app: { ...app, close: () => Promise.resolve() },
    port: 0,
    signals: null,
    log: silent,
  });
  t.teardown(() => daemon.stop());
  return clientOf(daemon.url);
};
