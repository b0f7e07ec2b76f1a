/**
 * Curve 25519, for shared keys and for signatures. The package that has both weighs more in a page than all else that is said here.
 */
import { mod, pow } from '@noble/curves/abstract/modular.js';
import { montgomery } from '@noble/curves/abstract/montgomery.js';
import { getPublicKey, hashes, sign } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';

hashes.sha512 = sha512;

/** Signatures. Source: RFC 8032. */
export const ed25519 = {
  /** @param seed 32 bytes */
  getPublicKey: (seed: Uint8Array): Uint8Array => getPublicKey(seed),
  sign: (message: Uint8Array, seed: Uint8Array): Uint8Array => sign(message, seed),
};

const P = 2n ** 255n - 19n;

/** What two sides share. Source: RFC 7748. */
export const x25519 = montgomery({
  P,
  type: 'x25519',
  powPminus2: (x) => pow(mod(x, P), P - 2n, P),
  adjustScalarBytes: (bytes: Uint8Array) => {
    bytes.set([(bytes[0] ?? 0) & 0b1111_1000], 0);
    bytes.set([((bytes[31] ?? 0) & 0b0111_1111) | 0b0100_0000], 31);
    return bytes;
  },
});
