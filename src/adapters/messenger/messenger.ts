/** The messenger port: secrets made of one that the home keeps, names resolved and judged before anything is sent. */
import { createHash, hkdfSync } from 'node:crypto';
import { isIP } from 'node:net';
import { messageOf } from '../../errors.js';
import {
  addressFault,
  hostOf,
  isLoopback,
  nobodysFault,
  readDestination,
} from '../../operation/destination.js';
import type { MessengerPort, SendResult, SignedMessage } from '../../operation/ports/messenger.js';
import { signedHeaders, writeSecret } from '../../operation/webhook-signature.js';
import { openSecretFile } from '../secret-file.js';
import { postOnce, type Post, type PostAnswer } from './post.js';
import { resolveName, resolveStranger, type Resolve } from './resolve.js';

/** The file of the secret that all secrets of webhooks are made of. */
export const WEBHOOK_SECRET_FILE = 'webhooks.secret';

/** How messages leave this machine; for simulations and tests. */
export type Outgoing = {
  readonly post?: Post;
  readonly resolve?: Resolve;
  /** For the whole exchange, name and answer included. Default 10 seconds. */
  readonly limitMilliseconds?: number;
};

export type MessengerSettings = Outgoing & {
  /** The data folder. */
  readonly folder: string;
  /** Name and version of this program, as it calls itself. */
  readonly agent: string;
  /** True: every message may go to private addresses. */
  readonly allowPrivate: boolean;
  readonly random: (length: number) => Uint8Array;
  /** A file of the secret that several daemons have; default the home's own. */
  readonly secretFile?: string | null;
};

const LIMIT_MILLISECONDS = 10_000;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

// Secrets

const deriveSecret = (master: Uint8Array, salt: string): string =>
  writeSecret(
    new Uint8Array(hkdfSync('sha256', master, Buffer.from(salt, 'hex'), 'treasury webhook', KEY_BYTES)),
  );

/** Tells secrets apart and gives nothing of them away: they have 256 bits. */
const checkOf = (secret: string): string =>
  createHash('sha256').update(`check ${secret}`).digest('hex').slice(0, 16);

// Sending

/** A text of others for a terminal: without control characters, and not long. */
const shown = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();

const failed = (reason: string): Omit<SendResult, 'milliseconds'> => ({
  status: null,
  reason: shown(reason).slice(0, 300),
  body: '',
});

/** What Node says of a connection that came to nothing, in words. */
const connectionFailure = (error: unknown): string => {
  const { code = '' } = error as NodeJS.ErrnoException;
  const words: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
    ECONNRESET: 'the connection was cut before an answer came (ECONNRESET)',
    ENOTFOUND: 'its name cannot be resolved (ENOTFOUND)',
    EAI_AGAIN: 'its name cannot be resolved now (EAI_AGAIN)',
  };
  return words[code] ?? messageOf(error);
};

const resultOf = ({ status, location, body }: PostAnswer): Omit<SendResult, 'milliseconds'> => {
  const isTaken = status >= 200 && status < 300;
  const isElsewhere = status >= 300 && status < 400 && location !== null;
  const words = isElsewhere
    ? `it answered ${status}, to go to ${shown(location).slice(0, 200)}: redirects are not followed`
    : `it answered ${status}`;
  return { status, reason: isTaken ? null : words, body: shown(body) };
};

/** The address that a message goes to: the first one of its name, if it may go to each of them. */
const chooseAddress = async (
  url: URL,
  allowPrivate: boolean,
  resolve: Resolve = allowPrivate ? resolveName : resolveStranger,
): Promise<{ readonly address: string } | { readonly fault: string }> => {
  const host = hostOf(url);
  const addresses = isIP(host) > 0 ? [host] : await resolve(host);
  for (const address of addresses) {
    const fault = allowPrivate ? nobodysFault(address) : addressFault(address);
    // Which address that is inside is not for whoever names one.
    const shownAddress = allowPrivate ? `${address}, which` : 'an address that';
    if (fault !== null) return { fault: `${host} stands for ${shownAddress} ${fault}: nothing was sent` };
    if (url.protocol === 'http:' && !isLoopback(address))
      return { fault: `${host} stands for ${address}, not for this machine: that takes https` };
  }
  const [address] = addresses;
  return address === undefined ? { fault: `${host} stands for no address` } : { address };
};

/** What ends with a signal, whatever it waits for. */
const until = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(new Error('stopped'));
    };
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
    });
  });

const sendOnce = async (
  message: SignedMessage,
  url: URL,
  signal: AbortSignal,
  {
    agent,
    post,
    resolve,
  }: Required<Pick<Outgoing, 'post'>> &
    Pick<MessengerSettings, 'agent'> & { readonly resolve: Resolve | undefined },
): Promise<Omit<SendResult, 'milliseconds'>> => {
  const { secrets, body, allowPrivate } = message;
  const headers = {
    'content-type': 'application/json',
    'user-agent': agent,
    ...signedHeaders(message, secrets),
  };
  try {
    const chosen = await until(chooseAddress(url, allowPrivate, resolve), signal);
    if ('fault' in chosen) return failed(chosen.fault);
    return resultOf(await post({ url, address: chosen.address, headers, body, signal }));
  } catch (error) {
    return failed(connectionFailure(error));
  }
};

/** The messenger of a home. Its calls may also throw store_damaged and store_locked, for the secret that the home keeps. */
export const openMessenger = (settings: MessengerSettings): MessengerPort => {
  const { folder, agent, random, limitMilliseconds = LIMIT_MILLISECONDS } = settings;
  const outgoing = { agent, post: settings.post ?? postOnce, resolve: settings.resolve };
  const { read } = openSecretFile({
    folder,
    name: WEBHOOK_SECRET_FILE,
    remedy: 'remove it, and `treasury webhooks rotate` every webhook',
    random,
    mounted: settings.secretFile ?? null,
  });
  const reachOf = (allowPrivate: boolean) => ({ allowPrivate: allowPrivate || settings.allowPrivate });
  return {
    checkUrl: (url, { allowPrivate }) => Promise.resolve(readDestination(url, reachOf(allowPrivate)).href),
    makeSecret: async () => {
      const salt = Buffer.from(random(SALT_BYTES)).toString('hex');
      const secret = deriveSecret(await read(), salt);
      return { salt, secret, check: checkOf(secret) };
    },
    secretsOf: async (made) => {
      const master = await read();
      return made.map(({ salt, check }) => {
        const secret = deriveSecret(master, salt);
        return checkOf(secret) === check ? secret : null;
      });
    },
    sendSigned: async (message) => {
      const reach = reachOf(message.allowPrivate);
      const url = readDestination(message.url, reach);
      const limit = AbortSignal.timeout(limitMilliseconds);
      const signal = message.signal === undefined ? limit : AbortSignal.any([limit, message.signal]);
      const begun = performance.now();
      const result = await sendOnce({ ...message, ...reach }, url, signal, outgoing);
      const milliseconds = Math.round(performance.now() - begun);
      if (result.status === null && limit.aborted) {
        const seconds = limitMilliseconds / 1000;
        return { ...failed(`no answer came within ${seconds} seconds`), milliseconds };
      }
      return { ...result, milliseconds };
    },
  };
};
