/**
 * Bitcoin Signed Message: how a wallet proves that it holds an address, without a transaction.
 *
 * Source: Bitcoin Core `signmessage`; wc2-bch-bcr, signMessage.
 */
import {
  base64ToBin,
  bigIntToCompactUint,
  binToBase64,
  binToHex,
  flattenBinArray,
  hash160,
  hash256,
  secp256k1,
  utf8ToBin,
  type RecoveryId,
} from '@bitauth/libauth';
import type { Address } from './address.js';

/** The length of the rest (24 bytes) stands first. */
const magic = utf8ToBin('\u0018Bitcoin Signed Message:\n');
/** The first byte is 27 plus the recovery id, and 4 more when the public key is compressed. */
const HEADER_BASE = 27;
const HEADER_COMPRESSED = 4;
const SIGNATURE_LENGTH = 65;
const COMPRESSED_LENGTH = 33;

const digestOf = (text: string): Uint8Array => {
  const message = utf8ToBin(text);
  return hash256(flattenBinArray([magic, bigIntToCompactUint(BigInt(message.length)), message]));
};

/**
 * The signature (65 bytes as base64) of a private key with a compressed public key over a text.
 *
 * @example
 * verifyMessage('hello', signMessage('hello', alice.privateKey), alice.address); // true
 */
export const signMessage = (text: string, privateKey: Uint8Array): string => {
  const signed = secp256k1.signMessageHashRecoverableCompact(privateKey, digestOf(text));
  if (typeof signed === 'string') throw new Error(signed);
  const header = HEADER_BASE + HEADER_COMPRESSED + signed.recoveryId;
  return binToBase64(Uint8Array.from([header, ...signed.signature]));
};

/** The public key that made a signature, in the form the signature's header names; null when there is none. */
const recoverPublicKey = (signature: Uint8Array, digest: Uint8Array): Uint8Array | null => {
  const [header = 0] = signature;
  if (header < HEADER_BASE || header >= HEADER_BASE + 2 * HEADER_COMPRESSED) return null;
  const recoveryId = ((header - HEADER_BASE) % HEADER_COMPRESSED) as RecoveryId;
  const isCompressed = header >= HEADER_BASE + HEADER_COMPRESSED;
  const compact = signature.slice(1);
  const publicKey = isCompressed
    ? secp256k1.recoverPublicKeyCompressed(compact, recoveryId, digest)
    : secp256k1.recoverPublicKeyUncompressed(compact, recoveryId, digest);
  return typeof publicKey === 'string' ? null : publicKey;
};

/**
 * The compressed public key (33 bytes) that made a signature (65 bytes, base64) over a text; null when it is no signature,
 * or one of a key that is written in full.
 *
 * @example
 * recoverSigner('hello', signMessage('hello', alice.privateKey)); // alice.publicKey
 * recoverSigner('hello', 'nonsense'); // null
 */
export const recoverSigner = (text: string, signature: string): Uint8Array | null => {
  const bytes = base64ToBin(signature.trim());
  if (typeof bytes === 'string' || bytes.length !== SIGNATURE_LENGTH) return null;
  const publicKey = recoverPublicKey(bytes, digestOf(text));
  return publicKey?.length === COMPRESSED_LENGTH ? publicKey : null;
};

/**
 * True when `signature` (base64) is one of the key of `address` over `text`.
 * False for anything else, including what is no signature and an address that is not P2PKH.
 *
 * @example
 * verifyMessage('hello', signMessage('hello', alice.privateKey), bob.address); // false
 */
export const verifyMessage = (text: string, signature: string, address: Address): boolean => {
  const bytes = base64ToBin(signature.trim());
  if (typeof bytes === 'string' || bytes.length !== SIGNATURE_LENGTH || address.kind !== 'p2pkh')
    return false;
  const publicKey = recoverPublicKey(bytes, digestOf(text));
  return publicKey !== null && binToHex(hash160(publicKey)) === address.hash;
};
