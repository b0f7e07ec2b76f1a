/** Keys of Nostr, and what they sign and hide: BIP340 signatures, NIP-01 events, NIP-44 texts (version 2). */
import { chacha20 } from '@noble/ciphers/chacha.js';
import { equalBytes } from '@noble/ciphers/utils.js';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { getSharedSecret, hashes, schnorr } from '@noble/secp256k1';
import { concat, fromBase64, hexBytes, hexText, textOf, toBase64, utf8 } from '../bytes.js';

hashes.sha256 = sha256;

/** The public key (32 bytes as hex) of a private one. */
export const nostrKeyOf = (privateKey: Uint8Array): string => hexText(schnorr.getPublicKey(privateKey));

/** What an event says, before it is signed. */
export type Said = {
  readonly pubkey: string;
  /** Unix seconds. */
  readonly created_at: number;
  readonly kind: number;
  readonly tags: readonly (readonly string[])[];
  readonly content: string;
};

export type SignedEvent = Said & { readonly id: string; readonly sig: string };

/** The id of what is said. Source: NIP-01. */
export const idOf = ({ pubkey, created_at, kind, tags, content }: Said): string =>
  hexText(sha256(utf8(JSON.stringify([0, pubkey, created_at, kind, tags, content]))));

/** @param extra 32 random bytes */
export const signEvent = (
  said: Omit<Said, 'pubkey'>,
  privateKey: Uint8Array,
  extra: Uint8Array,
): SignedEvent => {
  const whole = { ...said, pubkey: nostrKeyOf(privateKey) };
  const id = idOf(whole);
  return { ...whole, id, sig: hexText(schnorr.sign(hexBytes(id), privateKey, extra)) };
};

/** True for an event with the id and the signature that it should have. */
export const isSigned = (event: SignedEvent): boolean => {
  try {
    return (
      event.id === idOf(event) &&
      schnorr.verify(hexBytes(event.sig), hexBytes(event.id), hexBytes(event.pubkey))
    );
  } catch {
    return false;
  }
};

const VERSION = 2;
const NONCE_BYTES = 32;
const MAC_BYTES = 32;
const SMALLEST_PADDED = 32;
const LONGEST_TEXT = 65_535;

/** The key that two sides share. @param peer 32 bytes as hex. @throws Error: it is no key */
export const conversationKey = (privateKey: Uint8Array, peer: string): Uint8Array =>
  extract(sha256, getSharedSecret(privateKey, hexBytes(`02${peer}`)).subarray(1, 33), utf8('nip44-v2'));

const messageKeys = (conversation: Uint8Array, nonce: Uint8Array) => {
  const keys = expand(sha256, conversation, nonce, 76);
  return { key: keys.subarray(0, 32), nonce: keys.subarray(32, 44), macKey: keys.subarray(44) };
};

/** How long a text of so many bytes is made. */
export const paddedLength = (length: number): number => {
  if (length <= SMALLEST_PADDED) return SMALLEST_PADDED;
  const power = 2 ** (Math.floor(Math.log2(length - 1)) + 1);
  const step = power <= 256 ? SMALLEST_PADDED : power / 8;
  return step * (Math.floor((length - 1) / step) + 1);
};

/** @param nonce 32 random bytes. @throws Error: it is empty or too long */
export const hideText = (text: string, conversation: Uint8Array, nonce: Uint8Array): string => {
  const bytes = utf8(text);
  if (bytes.length === 0 || bytes.length > LONGEST_TEXT) throw new Error('no text of this length is hidden');
  const padded = new Uint8Array(2 + paddedLength(bytes.length));
  padded.set([bytes.length >> 8, bytes.length & 0xff]);
  padded.set(bytes, 2);
  const keys = messageKeys(conversation, nonce);
  const hidden = chacha20(keys.key, keys.nonce, padded);
  const mac = hmac(sha256, keys.macKey, concat(nonce, hidden));
  return toBase64(concat(Uint8Array.of(VERSION), nonce, hidden, mac));
};

/** @throws Error: it is of another version, under another key, or damaged */
export const showText = (payload: string, conversation: Uint8Array): string => {
  const bytes = fromBase64(payload);
  const least = 1 + NONCE_BYTES + 2 + SMALLEST_PADDED + MAC_BYTES;
  if (bytes[0] !== VERSION || bytes.length < least) throw new Error('no text is hidden there');
  const nonce = bytes.slice(1, 1 + NONCE_BYTES);
  const hidden = bytes.slice(1 + NONCE_BYTES, -MAC_BYTES);
  const keys = messageKeys(conversation, nonce);
  if (!equalBytes(hmac(sha256, keys.macKey, concat(nonce, hidden)), bytes.slice(-MAC_BYTES)))
    throw new Error('it was changed on its way');
  const padded = chacha20(keys.key, keys.nonce, hidden);
  const length = ((padded[0] ?? 0) << 8) | (padded[1] ?? 0);
  if (length === 0 || padded.length !== 2 + paddedLength(length)) throw new Error('its length is wrong');
  return textOf(padded.subarray(2, 2 + length));
};
