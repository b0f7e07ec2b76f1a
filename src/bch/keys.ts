/** Keys: from a seed phrase or WIF to a private key, and from there to what can sign. Nothing here keeps a secret. */
import { pbkdf2Sync } from 'node:crypto';
import {
  decodeBip39Mnemonic,
  decodePrivateKeyWif,
  deriveHdPath,
  deriveHdPrivateNodeFromSeed,
  encodeBip39Mnemonic,
  encodePrivateKeyWif,
  hash160,
  secp256k1,
  validateSecp256k1PrivateKey,
} from '@bitauth/libauth';
import { invalidField } from '../errors.js';
import { addressOfHash, type Address } from './address.js';
import { NETWORKS, type Network } from './network.js';

/** The first address of the first Bitcoin Cash account. Source: BIP44, SLIP-0044 (coin type 145). */
export const DEFAULT_PATH = "m/44'/145'/0'/0/0";

/** A key that can sign. */
export type KeySigner = {
  readonly name: string;
  readonly address: Address;
  /** 33 bytes. */
  readonly publicKey: Uint8Array;
  /** 32 bytes. */
  readonly privateKey: Uint8Array;
};

const pathPattern = /^m(?:\/\d{1,10}'?)+$/;

/**
 * The P2PKH address of a compressed public key.
 *
 * @example
 * addressOfPublicKey(alice.publicKey, 'local'); // alice.address
 */
export const addressOfPublicKey = (publicKey: Uint8Array, network: Network): Address =>
  addressOfHash(hash160(publicKey), network);

/**
 * The 33-byte public key of a valid private key.
 *
 * @example
 * publicKeyOf(alice.privateKey); // alice.publicKey
 */
export const publicKeyOf = (privateKey: Uint8Array): Uint8Array => {
  const publicKey = secp256k1.derivePublicKeyCompressed(privateKey);
  if (typeof publicKey === 'string') throw new Error(publicKey);
  return publicKey;
};

/**
 * What a private key signs as on a network.
 *
 * @example
 * signerOf('alice', alice.privateKey, 'local'); // alice
 */
export const signerOf = (name: string, privateKey: Uint8Array, network: Network): KeySigner => {
  const publicKey = publicKeyOf(privateKey);
  return { name, address: addressOfPublicKey(publicKey, network), publicKey, privateKey };
};

/**
 * The English seed phrase of 16, 20, 24, 28 or 32 random bytes: 12 to 24 words. Source: BIP39.
 *
 * @example
 * encodeMnemonic(new Uint8Array(16)); // `${'abandon '.repeat(11)}about`
 */
export const encodeMnemonic = (entropy: Uint8Array): string => {
  const result = encodeBip39Mnemonic(entropy);
  if (typeof result === 'string') throw new Error(result);
  return result.phrase;
};

/**
 * A seed phrase as it is kept: lower case, one space between words.
 *
 * @throws invalid_input when it is not a BIP39 phrase of the English list, or its checksum is wrong
 * @example
 * readMnemonic(` ${'Abandon '.repeat(11)}about`); // `${'abandon '.repeat(11)}about`
 * readMnemonic('abandon'); // throws invalid_input
 */
export const readMnemonic = (text: string): string => {
  const mnemonic = text.normalize('NFKD').trim().toLowerCase().split(/\s+/).join(' ');
  if (typeof decodeBip39Mnemonic(mnemonic) === 'string') {
    throw invalidField('mnemonic', 'expected 12 to 24 words of the English BIP39 list with a right checksum');
  }
  return mnemonic;
};

/**
 * The private key (32 bytes) at a path of a seed phrase, without a BIP39 passphrase. Source: BIP39, BIP32.
 *
 * @throws invalid_input when the phrase or the path is not valid
 * @example
 * derivePrivateKey(encodeMnemonic(new Uint8Array(16))).length; // 32
 * derivePrivateKey(encodeMnemonic(new Uint8Array(16)), 'first'); // throws invalid_input
 */
export const derivePrivateKey = (mnemonic: string, path: string = DEFAULT_PATH): Uint8Array => {
  // What `deriveSeedFromBip39Mnemonic` gives, in a fiftieth of its time: every signature of a wallet begins here.
  const seed = new Uint8Array(pbkdf2Sync(readMnemonic(mnemonic), 'mnemonic', 2_048, 64, 'sha512'));
  const badPath = invalidField('path', `expected a BIP32 path like ${DEFAULT_PATH}, not "${path}"`);
  if (!pathPattern.test(path)) throw badPath;
  const node = deriveHdPath(deriveHdPrivateNodeFromSeed(seed), path, { throwErrors: false });
  if (typeof node === 'string') throw badPath;
  return node.privateKey;
};

/**
 * A private key in wallet import format, compressed. For the reverse, see {@link decodeWif}.
 *
 * @example
 * encodeWif(alice.privateKey, 'mainnet')[0]; // 'K'
 */
export const encodeWif = (privateKey: Uint8Array, network: Network): string =>
  encodePrivateKeyWif(privateKey, NETWORKS[network].isMainnet ? 'mainnet' : 'testnet');

/**
 * The private key (32 bytes) of a WIF text.
 *
 * @throws invalid_input when it is none, belongs to another network, or stands for an uncompressed public key
 * @example
 * decodeWif(encodeWif(alice.privateKey, 'local'), 'local'); // alice.privateKey
 * decodeWif(encodeWif(alice.privateKey, 'local'), 'mainnet'); // throws invalid_input
 */
export const decodeWif = (text: string, network: Network): Uint8Array => {
  const decoded = decodePrivateKeyWif(text.trim());
  if (typeof decoded === 'string')
    throw invalidField('wif', 'expected a private key in wallet import format');
  const expected = NETWORKS[network].isMainnet ? 'mainnet' : 'testnet';
  if (decoded.type === `${expected}Uncompressed`) {
    throw invalidField('wif', 'expected a key with a compressed public key');
  }
  if (decoded.type !== expected)
    throw invalidField('wif', `expected a key for ${network}, not ${decoded.type}`);
  if (!validateSecp256k1PrivateKey(decoded.privateKey)) {
    throw invalidField('wif', 'expected a private key in the range of the curve');
  }
  return decoded.privateKey;
};
