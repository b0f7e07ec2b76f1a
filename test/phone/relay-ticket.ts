/** The ticket of a client at a relay: a JWT that its Ed25519 key signs for the relay's address. */
import { base58ToBin, binToBase58 } from '@bitauth/libauth';
import { ed25519 } from '@noble/curves/ed25519.js';

const ED25519_KEY = [0xed, 0x01];
const LIFE_SECONDS = 86_400;
/** Clocks differ. */
const LEEWAY_SECONDS = 60;

const toText = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const fromText = (text: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;

/** `did:key` of a public key of 32 bytes. */
export const didOf = (publicKey: Uint8Array): string =>
  `did:key:z${binToBase58(Uint8Array.from([...ED25519_KEY, ...publicKey]))}`;

/** A ticket for `audience`, the address of the relay without its query. `subject` is 64 hex digits. */
export const makeTicket = (
  privateKey: Uint8Array,
  { audience, subject, now }: { readonly audience: string; readonly subject: string; readonly now: number },
): string => {
  const iss = didOf(ed25519.getPublicKey(privateKey));
  const head = toText({ alg: 'EdDSA', typ: 'JWT' });
  const claims = toText({ iss, sub: subject, aud: audience, iat: now, exp: now + LIFE_SECONDS });
  const signed = `${head}.${claims}`;
  return `${signed}.${Buffer.from(ed25519.sign(Buffer.from(signed), privateKey)).toString('base64url')}`;
};

const keyOf = (iss: unknown): Uint8Array => {
  const key = typeof iss === 'string' ? /^did:key:z(.+)$/.exec(iss)?.[1] : undefined;
  if (key === undefined) throw new Error(`iss is not a did:key: ${String(iss)}`);
  const bytes = base58ToBin(key);
  if (
    typeof bytes === 'string' ||
    bytes.length !== 34 ||
    bytes[0] !== ED25519_KEY[0] ||
    bytes[1] !== ED25519_KEY[1]
  )
    throw new Error('iss is no Ed25519 key');
  return bytes.subarray(2);
};

/**
 * Who a ticket is of: its `iss`.
 *
 * @throws Error with what is wrong with it
 */
export const readTicket = (ticket: string, audience: string, now: number): string => {
  const [head, body, signature, ...more] = ticket.split('.');
  if (head === undefined || body === undefined || signature === undefined || more.length > 0)
    throw new Error('not three parts');
  const { alg, typ } = fromText(head);
  if (alg !== 'EdDSA' || typ !== 'JWT') throw new Error('header is not EdDSA and JWT');
  const { iss, sub, aud, iat, exp } = fromText(body);
  const bytes = Buffer.from(signature, 'base64url');
  if (!ed25519.verify(bytes, Buffer.from(`${head}.${body}`), keyOf(iss))) throw new Error('bad signature');
  if (aud !== audience) throw new Error(`aud is ${String(aud)}, not ${audience}`);
  if (typeof sub !== 'string' || !/^[0-9a-f]{64}$/.test(sub)) throw new Error('sub is not 32 bytes as hex');
  if (typeof iat !== 'number' || !Number.isInteger(iat) || iat > now + LEEWAY_SECONDS)
    throw new Error(`iat is ${String(iat)}, and it is ${now}`);
  if (typeof exp !== 'number' || !Number.isInteger(exp) || exp <= now)
    throw new Error(`exp is ${String(exp)}, and it is ${now}`);
  return iss as string;
};
