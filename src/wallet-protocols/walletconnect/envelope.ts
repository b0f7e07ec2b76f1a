/**
 * How messages are hidden from the relay: keys that two sides share, the topic that is named by one, and the envelope.
 *
 * Source: WalletConnect v2, crypto keys and envelopes.
 */
import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concat, fromBase64, hexText, textOf, toBase64, utf8 } from '../bytes.js';
import { x25519 } from './curves.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Sealed with a key that both sides have. The other types are of no message here. */
const TYPE_SHARED = 0;

/** The topic (hex) of a symmetric key. */
export const topicOf = (symKey: Uint8Array): string => hexText(sha256(symKey));

/** The public key of a private one, X25519. */
export const publicKeyOf = (privateKey: Uint8Array): Uint8Array => x25519.getPublicKey(privateKey);

/** The symmetric key that two sides share. @throws Error for a public key that is none */
export const sharedKey = (privateKey: Uint8Array, peerPublicKey: Uint8Array): Uint8Array =>
  hkdf(sha256, x25519.getSharedSecret(privateKey, peerPublicKey), undefined, undefined, 32);

/** A text in an envelope, base64. @param nonce 12 bytes, never twice under a key */
export const sealEnvelope = (symKey: Uint8Array, text: string, nonce: Uint8Array): string => {
  const sealed = chacha20poly1305(symKey, nonce).encrypt(utf8(text));
  return toBase64(concat(Uint8Array.of(TYPE_SHARED), nonce, sealed));
};

/** The text in an envelope; null where it is of another type, under another key, or damaged. */
export const openEnvelope = (symKey: Uint8Array, message: string): string | null => {
  const bytes = fromBase64(message);
  if (bytes[0] !== TYPE_SHARED || bytes.length < 1 + NONCE_BYTES + TAG_BYTES) return null;
  try {
    const plain = chacha20poly1305(symKey, bytes.slice(1, 1 + NONCE_BYTES)).decrypt(
      bytes.slice(1 + NONCE_BYTES),
    );
    return textOf(plain);
  } catch {
    return null;
  }
};

/** What a message is known by, however often it is delivered. */
export const messageName = (message: string): string => hexText(sha256(utf8(message)));

/** What a wallet scans. Its topic and key are lower case, and so it stays. @param expiresAt unix seconds */
export const pairingUri = (symKey: Uint8Array, expiresAt: number): string =>
  `wc:${topicOf(symKey)}@2?relay-protocol=irn&symKey=${hexText(symKey)}&expiryTimestamp=${expiresAt}`;
