/**
 * Cash addresses of keys and contracts, as wallets name them. Source: CashAddr specification; CashTokens CHIP (types 2 and 3).
 *
 * `src/bch/address.ts` has more, and stands on libauth, which a page is not given.
 */
import { hexText } from './bytes.js';

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATORS = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];
const CHECKSUM_DIGITS = 8;

const polymod = (digits: readonly number[]): bigint => {
  let sum = 1n;
  for (const digit of digits) {
    const top = sum >> 35n;
    sum = ((sum & 0x07ffffffffn) << 5n) ^ BigInt(digit);
    for (const [bit, generator] of GENERATORS.entries()) if ((top >> BigInt(bit)) & 1n) sum ^= generator;
  }
  return sum ^ 1n;
};

const prefixDigits = (prefix: string): number[] => [
  ...Array.from(prefix, (letter) => letter.charCodeAt(0) & 31),
  0,
];

/** Digits of one width as those of another; what is left is filled with zeros where `isFilled`. */
const regroup = (digits: Iterable<number>, from: number, to: number, isFilled: boolean): number[] => {
  let [held, bits] = [0, 0];
  const out: number[] = [];
  for (const digit of digits) {
    held = ((held << from) | digit) & 0xffff;
    for (bits += from; bits >= to;) {
      bits -= to;
      out.push((held >> bits) & ((1 << to) - 1));
    }
  }
  if (isFilled && bits > 0) out.push((held << (to - bits)) & ((1 << to) - 1));
  return out;
};

/** A party, as far as its address says it. */
export type CashAddress = {
  /** The `q` or `p` form, with its prefix. */
  readonly text: string;
  /** Lower-case hex. */
  readonly lockingBytecode: string;
};

/** The types of a version byte: of a key, of a contract, and both as they take tokens. */
const KEY = 0;
const SCRIPT = 1;
const WITH_TOKENS = 2;
const HASH_BYTES: readonly number[] = [20, 24, 28, 32, 40, 48, 56, 64];

const write = (prefix: string, type: number, hash: Uint8Array): string => {
  const version = (type << 3) | HASH_BYTES.indexOf(hash.length);
  const payload = regroup([version, ...hash], 8, 5, true);
  const checksum = polymod([...prefixDigits(prefix), ...payload, ...Array<number>(CHECKSUM_DIGITS).fill(0)]);
  const check = Array.from({ length: CHECKSUM_DIGITS }, (_, place) =>
    Number((checksum >> BigInt(5 * (CHECKSUM_DIGITS - 1 - place))) & 31n),
  );
  return `${prefix}:${[...payload, ...check].map((digit) => ALPHABET[digit] ?? '').join('')}`;
};

const lockOf = (type: number, hash: string): string => {
  if (type === KEY) return `76a914${hash}88ac`;
  return hash.length === 64 ? `aa20${hash}87` : `a914${hash}87`;
};

const addressAt = (prefix: string, type: number, hash: Uint8Array): CashAddress => ({
  text: write(prefix, type, hash),
  lockingBytecode: lockOf(type, hexText(hash)),
});

/** The address that a text spells, in any of its forms; null for what is none of that prefix. */
export const readCashAddress = (text: string, prefix: string): CashAddress | null => {
  const lower = text.trim().toLowerCase();
  if (lower !== text.trim() && text.trim() !== text.trim().toUpperCase()) return null;
  const [, found, letters = ''] = /^([a-z]+):([a-z0-9]{8,112})$/.exec(lower) ?? [];
  const digits = Array.from(letters, (letter) => ALPHABET.indexOf(letter));
  if (found !== prefix || digits.includes(-1) || polymod([...prefixDigits(prefix), ...digits]) !== 0n)
    return null;
  const [version = 0, ...payload] = regroup(digits.slice(0, -CHECKSUM_DIGITS), 5, 8, false);
  const type = (version >> 3) & ~WITH_TOKENS;
  const hash = Uint8Array.from(payload);
  const isKnown = version >> 3 <= (SCRIPT | WITH_TOKENS) && hash.length === HASH_BYTES[version & 7];
  if (!isKnown || !(hash.length === 20 || (type === SCRIPT && hash.length === 32))) return null;
  const address = addressAt(prefix, type, hash);
  // One text for one address: nothing beside it, not even in the bits that fill it up.
  const own = version >> 3 === type ? address.text : write(prefix, version >> 3, hash);
  return own === lower ? address : null;
};

/** The address of a key, by the hash of it (20 bytes). */
export const addressOfHash = (hash: Uint8Array, prefix: string): CashAddress => addressAt(prefix, KEY, hash);
