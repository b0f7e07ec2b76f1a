/**
 * Signatures of webhooks: an HMAC over id, time and body, under a secret that sender and receiver share.
 * Source: Standard Webhooks 1.0, Signature scheme.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidField } from '../errors.js';

const PREFIX = 'whsec_';
const LEAST_BYTES = 24;
const MOST_BYTES = 64;
const VERSION = 'v1';

/** How far apart the clocks of sender and receiver may be, seconds. */
export const TOLERANCE_SECONDS = 300;

/** A secret as it is written: `whsec_` and base64. */
export const writeSecret = (key: Uint8Array): string => `${PREFIX}${Buffer.from(key).toString('base64')}`;

/**
 * The key of a secret.
 *
 * @throws invalid_input, which does not repeat the secret
 */
export const readSecret = (secret: string, field = 'secret'): Uint8Array => {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = Buffer.from(text, 'base64');
  const isWhole = text !== '' && key.toString('base64') === text;
  if (isWhole && key.length >= LEAST_BYTES && key.length <= MOST_BYTES) return key;
  throw invalidField(
    field,
    `is no secret of a webhook: expected ${PREFIX} and the base64 of ${LEAST_BYTES} to ${MOST_BYTES} bytes`,
  );
};

/** What is signed. */
export type Signed = {
  /** The same for every try. */
  readonly id: string;
  /** Of the try, unix seconds. */
  readonly timestamp: number;
  readonly body: string;
};

/** The names of the headers. */
export const HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

const signatureOf = ({ id, timestamp, body }: Signed, secret: string): string =>
  createHmac('sha256', readSecret(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');

/**
 * The headers of a message: one signature for each secret.
 *
 * @throws invalid_input for an id that no header can hold, or a secret that is none
 */
export const signedHeaders = (
  message: Signed,
  secrets: readonly string[],
): Readonly<Record<(typeof HEADERS)[keyof typeof HEADERS], string>> => {
  if (!/^[\w-]{1,100}$/.test(message.id))
    throw invalidField('id', 'is no id of a message: expected 1 to 100 letters, digits, _ and -');
  if (secrets.length === 0) throw invalidField('secrets', 'are none: a message is signed with one at least');
  return {
    [HEADERS.id]: message.id,
    [HEADERS.timestamp]: String(message.timestamp),
    [HEADERS.signature]: secrets.map((secret) => `${VERSION},${signatureOf(message, secret)}`).join(' '),
  };
};

const isSame = (left: string, right: string): boolean => {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/**
 * True for a message that one of the secrets signed, and whose time is within five minutes of `now` (unix seconds).
 * Headers are those of Node: in lower case.
 */
export const isSignedBy = (
  secrets: readonly string[],
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: string,
  now: number,
): boolean => {
  const { [HEADERS.id]: id, [HEADERS.timestamp]: time, [HEADERS.signature]: signatures } = headers;
  if (typeof id !== 'string' || typeof time !== 'string' || typeof signatures !== 'string') return false;
  if (!/^\d{1,12}$/.test(time) || Math.abs(now - Number(time)) > TOLERANCE_SECONDS) return false;
  const given = signatures.split(' ').filter((part) => part.startsWith(`${VERSION},`));
  return secrets.some((secret) => {
    const expected = `${VERSION},${signatureOf({ id, timestamp: Number(time), body }, secret)}`;
    return given.some((signature) => isSame(signature, expected));
  });
};
