/**
 * Addresses: parsed once at the edge, then carried as values.
 *
 * `z` is `q` and `r` is `p` (token-aware forms of one hash), while `q` and `p` are never one party.
 * Source: CashAddr specification; CashTokens CHIP (token-aware types 2 and 3).
 *
 * This module is light: of libauth it takes what needs none of its WebAssembly.
 */
import { decodeCashAddress, encodeCashAddress, hexToBin } from '@bitauth/libauth';
import { TreasuryError } from '../errors.js';
import { hexOf } from './hex.js';
import { NETWORKS, type AddressPrefix, type Network } from './network.js';
import { remembered } from './remembered.js';

/** A party or a contract. Two addresses are the same party exactly when `lockingBytecode` is the same. */
export type Address = {
  /** The `q` or `p` form with its prefix. */
  readonly text: string;
  /** The `z` or `r` form: give this one wherever tokens are to be sent. */
  readonly tokenText: string;
  readonly prefix: AddressPrefix;
  readonly kind: 'p2pkh' | 'p2sh';
  /** Lower-case hex of the hash: 20 bytes, or 32 for P2SH32. */
  readonly hash: string;
  /** Lower-case hex of the locking bytecode. */
  readonly lockingBytecode: string;
};

const prefixes: readonly string[] = [...new Set(Object.values(NETWORKS).map(({ prefix }) => prefix))];

/** The patterns that have addresses, by the length of the hash in bytes. Source: BIP13, BIP16, CHIP-2022-05 P2SH32. */
const lockOf = (kind: Address['kind'], hash: string): string => {
  if (kind === 'p2pkh') return `76a914${hash}88ac`;
  return hash.length === 64 ? `aa20${hash}87` : `a914${hash}87`;
};
const lockPattern =
  /^(?:76a914(?<p2pkh>[0-9a-f]{40})88ac|a914(?<p2sh20>[0-9a-f]{40})87|aa20(?<p2sh32>[0-9a-f]{64})87)$/;

/** Libauth puts a text together letter by letter; kept like that, it takes the memory of an object for each. */
const inOnePiece = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');

const fromPayload = (prefix: AddressPrefix, kind: Address['kind'], payload: Uint8Array): Address => {
  const text = encodeCashAddress({ prefix, type: kind, payload }).address;
  const withTokens = kind === 'p2pkh' ? 'p2pkhWithTokens' : 'p2shWithTokens';
  const hash = hexOf(payload);
  return {
    text: inOnePiece(text),
    tokenText: inOnePiece(encodeCashAddress({ prefix, type: withTokens, payload }).address),
    prefix,
    kind,
    hash,
    lockingBytecode: lockOf(kind, hash),
  };
};

/** What is wrong with a text that looks like an address; nothing for any other. */
const faultOf = (text: string, allowed: readonly string[]): string => {
  const [, prefix] = /^\s*(\w+):/.exec(text.toLowerCase()) ?? [];
  if (prefix === undefined || !prefixes.includes(prefix)) return '';
  return allowed.includes(prefix)
    ? '; a letter of this one is wrong, missing or too many'
    : `; this one is of another network: ${prefix}:`;
};

/** Addresses that are kept parsed. */
const KEPT_ADDRESSES = 5_000;

/** The address that a trimmed text spells, in any of its forms; null when it is none. */
const readAddress = remembered(KEPT_ADDRESSES, (trimmed): Address | null => {
  // Libauth lowers everything; the specification has no mixed case.
  if (trimmed !== trimmed.toLowerCase() && trimmed !== trimmed.toUpperCase()) return null;
  const decoded = decodeCashAddress(trimmed.toLowerCase());
  if (typeof decoded === 'string' || !prefixes.includes(decoded.prefix)) return null;
  const { prefix, type, payload } = decoded;
  const kind = type.startsWith('p2pkh') ? 'p2pkh' : 'p2sh';
  if (payload.length !== 20 && !(kind === 'p2sh' && payload.length === 32)) return null;
  return Object.freeze(fromPayload(prefix, kind, payload));
});

/**
 * The address that `text` spells, in any of its forms.
 *
 * @throws invalid_address when it is none, or belongs to another network's prefix (when `network` is given)
 * @example
 * parseAddress(alice.address.tokenText, 'local').text; // alice.address.text
 * parseAddress('bitcoincash:nobody'); // throws invalid_address
 */
export const parseAddress = (text: string, network?: Network, field = 'address'): Address => {
  const address = readAddress(text.trim());
  if (address !== null && (network === undefined || address.prefix === NETWORKS[network].prefix))
    return address;
  const allowed = network === undefined ? prefixes : [NETWORKS[network].prefix];
  const expected = `a cash address that starts with ${allowed.map((prefix) => `${prefix}:`).join(', ')}`;
  throw new TreasuryError('invalid_address', {
    field,
    value: text,
    expected: `${expected}${faultOf(text, allowed)}`,
  });
};

/**
 * The locking bytecode (hex) of an address that was written by this program; null for what is none.
 *
 * @example
 * lockOfAddress(alice.address.text) === alice.address.lockingBytecode; // true
 * lockOfAddress('nowhere'); // null
 */
export const lockOfAddress = (text: string): string | null => {
  try {
    return parseAddress(text).lockingBytecode;
  } catch {
    return null;
  }
};

/**
 * The address a locking bytecode (lower-case hex) pays, or null when it is no address.
 *
 * @example
 * addressOf(`76a914${alice.address.hash}88ac`, 'local'); // alice.address
 * addressOf('6a', 'local'); // null
 */
export const addressOf = (lockingBytecode: string, network: Network): Address | null => {
  const { p2pkh, p2sh20, p2sh32 } = lockPattern.exec(lockingBytecode)?.groups ?? {};
  const hash = p2pkh ?? p2sh20 ?? p2sh32;
  if (hash === undefined) return null;
  return fromPayload(NETWORKS[network].prefix, p2pkh === undefined ? 'p2sh' : 'p2pkh', hexToBin(hash));
};

/**
 * The P2PKH address of a 20-byte public key hash.
 *
 * @example
 * addressOfHash(new Uint8Array(20), 'mainnet').text; // 'bitcoincash:qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqfnhks603'
 */
export const addressOfHash = (hash: Uint8Array, network: Network): Address =>
  fromPayload(NETWORKS[network].prefix, 'p2pkh', hash);
