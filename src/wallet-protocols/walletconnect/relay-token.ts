/** The token that says to a relay whose mailbox is asked for: a JWT signed with the Ed25519 key of a seed. */
import { concat, hexText, toBase64Url, utf8 } from '../bytes.js';
import { ed25519 } from './curves.js';

const DAY_SECONDS = 86_400;
/** Multicodec of an Ed25519 public key. */
const ED25519_KEY = Uint8Array.of(0xed, 0x01);
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Base58 as Bitcoin writes it. */
const base58 = (bytes: Uint8Array): string => {
  let rest = BigInt(`0x0${hexText(bytes)}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = `${BASE58[Number(rest % 58n)] ?? ''}${text}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text;
};

const part = (value: unknown): string => toBase64Url(utf8(JSON.stringify(value)));

export type TokenSettings = {
  /** 32 bytes: who the mailbox belongs to. */
  readonly seed: Uint8Array;
  /** Without its query. */
  readonly relayUrl: string;
  /** 32 random bytes as hex. */
  readonly subject: string;
  /** Unix seconds. */
  readonly now: number;
};

/** The token for one connection; it holds for a day. */
export const relayToken = ({ seed, relayUrl, subject, now }: TokenSettings): string => {
  const key = concat(ED25519_KEY, ed25519.getPublicKey(seed));
  const signed = [
    part({ alg: 'EdDSA', typ: 'JWT' }),
    part({
      iss: `did:key:z${base58(key)}`,
      sub: subject,
      aud: relayUrl,
      iat: now,
      exp: now + DAY_SECONDS,
    }),
  ].join('.');
  const signature = ed25519.sign(utf8(signed), seed);
  return `${signed}.${toBase64Url(signature)}`;
};
