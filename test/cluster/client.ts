/** An honest client: what it is not answered it asks again, under the same key, until it is; and it writes down what it was. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Person } from '../../fixtures/people.js';
import { signMessage } from '../../src/bch/signed-message.js';
import { decodeTransaction } from '../../src/bch/transaction.js';
import { signTransaction } from '../acceptance/wallet.js';
import type { Diary } from './diary.js';

export type Json = Readonly<Record<string, unknown>>;
export type Answer = { readonly status: number; readonly body: Json };

/** A request that nobody has answered for so long is given up. */
const PATIENCE_MS = 120_000;
const ONE_MS = 20_000;

export type Asked = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: Json;
  readonly key?: string;
};

export type Client = {
  readonly person: Person;
  readonly address: string;
  /** Asks until it is answered for good. */
  readonly ask: (asked: Asked) => Promise<Answer>;
  /** Signs what was built, and sends it until it is answered. @returns its id, and what the service says of it */
  readonly send: (wcTransaction: unknown) => Promise<{ readonly txid: string; readonly answer: Answer }>;
};

/** An answer that says itself that the same request may succeed later. */
const isForLater = ({ status, body }: Answer): boolean =>
  body['retryable'] === true || (status >= 500 && body['code'] !== undefined) || status >= 502;

export const clientOf = (url: string, person: Person, diary: Diary): Client => {
  const address = person.address('regtest').text;
  let token: string | null = null;

  const once = async ({ method, path, body, key }: Asked, bearer: string | null): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ONE_MS),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };

  const until = async (asked: Asked, bearer: string | null): Promise<Answer> => {
    const deadline = Date.now() + PATIENCE_MS;
    let last = 'nothing';
    for (let tries = 0; Date.now() < deadline; tries += 1) {
      if (tries > 0) await wait(Math.min(100 * 2 ** tries, 2_000) * (0.5 + Math.random()));
      try {
        const answer = await once(asked, bearer);
        diary.count('requests');
        if (!isForLater(answer)) return answer;
        last = String(answer.body['code']);
        diary.count(`answered: ${last}`);
        if (answer.status === 500)
          diary.find(`${asked.method} ${asked.path}: ${JSON.stringify(answer.body)}`);
      } catch (error) {
        diary.count('requests without an answer');
        last = String(error);
      }
    }
    diary.find(`${asked.method} ${asked.path} was not answered for ${PATIENCE_MS / 1_000} s: ${last}`);
    return { status: 0, body: {} };
  };

  const logIn = async (): Promise<string> => {
    for (let tries = 0; tries < 20; tries += 1) {
      const given = await until({ method: 'POST', path: '/api/auth/challenge', body: { address } }, null);
      const challenge = String(given.body['challenge']);
      const signature = signMessage(challenge, person.privateKey);
      // A challenge works once: where its answer was lost, another one is asked for.
      const { body } = await until(
        { method: 'POST', path: '/api/auth/token', body: { address, challenge, signature } },
        null,
      );
      if (typeof body['accessToken'] === 'string') return body['accessToken'];
      diary.count(`logging in refused: ${String(body['code'])}`);
    }
    diary.find(`${address} cannot log in`);
    return '';
  };

  const ask: Client['ask'] = async (asked) => {
    token ??= await logIn();
    const answer = await until(asked, token);
    if (answer.status !== 401) return answer;
    token = await logIn();
    return until(asked, token);
  };

  return {
    person,
    address,
    ask,
    send: async (wcTransaction) => {
      const transaction = signTransaction(wcTransaction, person);
      const { txid } = decodeTransaction(transaction);
      const answer = await ask({
        method: 'POST',
        path: '/api/transactions/broadcast',
        body: { transaction },
      });
      if (answer.status === 200 && answer.body['txHash'] !== txid)
        diary.find(`the service calls ${txid} ${String(answer.body['txHash'])}`);
      return { txid, answer };
    },
  };
};

/** A key that nobody else has. */
export const freshKey = (kind: string): string => `${kind}-${randomUUID()}`;
