/** Keys and envelopes of WalletConnect v2, type 0. */
import { createHash, randomBytes } from 'node:crypto';
import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { x25519 } from '@noble/curves/ed25519.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';

const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const fromHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

/** The topic on which a symmetric key is talked with. */
export const topicOf = (symKey: Uint8Array): string => createHash('sha256').update(symKey).digest('hex');

export const publicKeyOf = (privateKey: Uint8Array): Uint8Array => x25519.getPublicKey(privateKey);

/** The symmetric key that two X25519 keys share. */
export const sharedKey = (privateKey: Uint8Array, peerKey: Uint8Array): Uint8Array =>
  hkdf(sha256, x25519.getSharedSecret(privateKey, peerKey), undefined, undefined, 32);

/** Text to envelope, base64. */
export const seal = (
  symKey: Uint8Array,
  text: string,
  nonce: Uint8Array = new Uint8Array(randomBytes(NONCE_LENGTH)),
): string => {
  const sealed = chacha20poly1305(symKey, nonce).encrypt(new TextEncoder().encode(text));
  return Buffer.concat([Uint8Array.of(0), nonce, sealed]).toString('base64');
};

/** @throws Error when it is no envelope of type 0, or not under this key */
export const open = (symKey: Uint8Array, envelope: string): string => {
  const bytes = new Uint8Array(Buffer.from(envelope, 'base64'));
  if (Buffer.from(bytes).toString('base64') !== envelope) throw new Error('not padded base64');
  if (bytes[0] !== 0) throw new Error(`an envelope of type ${bytes[0]}`);
  if (bytes.length < 1 + NONCE_LENGTH + TAG_LENGTH) throw new Error('too short an envelope');
  const nonce = bytes.subarray(1, 1 + NONCE_LENGTH);
  return new TextDecoder('utf-8', { fatal: true }).decode(
    chacha20poly1305(symKey, nonce).decrypt(bytes.subarray(1 + NONCE_LENGTH)),
  );
};

/** What a `wc:` URI says. */
export type PairingUri = { readonly topic: string; readonly symKey: Uint8Array; readonly expiry: number };

/** @throws Error with what is wrong with it */
export const readPairingUri = (uri: string): PairingUri => {
  const [, topic, version, query] = /^wc:([0-9a-f]{64})@(\d+)\?(.*)$/.exec(uri) ?? [];
  if (topic === undefined || version !== '2') throw new Error(`not a wc: URI of version 2: ${uri}`);
  const fields = new URLSearchParams(query);
  if (fields.get('relay-protocol') !== 'irn') throw new Error('relay-protocol is not irn');
  const hex = fields.get('symKey') ?? '';
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new Error('symKey is not 32 bytes as hex');
  const symKey = fromHex(hex);
  if (topicOf(symKey) !== topic) throw new Error('topic is not the hash of symKey');
  const expiry = Number(fields.get('expiryTimestamp'));
  if (!Number.isInteger(expiry) || expiry <= Date.now() / 1000) throw new Error(`expired at ${expiry}`);
  return { topic, symKey, expiry };
};
