/**
 * The digest of a transaction: what people compare before they sign.
 *
 * It covers what a signature of the type ALL | UTXOS covers (version, locktime, every input with its sequence and with
 * the amount, token and script that it spends, every output), and the network, which no signature covers. What unlocks
 * the inputs is no part of it: so it is the same before and after each signature, and for each signer.
 * Source: docs/design/transactions.md.
 */
import {
  binToHex,
  encodeTransaction,
  encodeTransactionOutputs,
  flattenBinArray,
  numberToBinUint32LE,
  sha256,
  utf8ToBin,
  type Output as LibauthOutput,
  type Transaction as LibauthTransaction,
} from '@bitauth/libauth';
import type { Network } from './network.js';

/** Says what is hashed, and how: whoever changes one of both gives it another number. */
const DOMAIN = 'treasury transaction digest, version 1';

/** 160 bits: two transactions of one digest take 2^80 tries, as two keys of one address do. */
const DIGEST_BYTES = 20;

/** Base 32 without I, L, O and U. Source: Crockford. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** The digits of `toString(32)`, in the order of {@link ALPHABET}. */
const DIGITS = '0123456789abcdefghijklmnopqrstuv';
const LETTERS = (DIGEST_BYTES * 8) / 5;
const WRITTEN = new RegExp(`^[${ALPHABET}]{${LETTERS}}$`);
const GROUP = /.{4}(?=.)/g;

const withLength = (bytes: Uint8Array): Uint8Array =>
  flattenBinArray([numberToBinUint32LE(bytes.length), bytes]);

const group = (letters: string): string => letters.replace(GROUP, '$&-');

/** The bytes that are hashed: each part with its length before it, so that no part can be taken for another. */
const serialise = (
  transaction: LibauthTransaction,
  spent: readonly LibauthOutput[],
  network: Network,
): Uint8Array => {
  const bare = {
    ...transaction,
    inputs: transaction.inputs.map((input) => ({ ...input, unlockingBytecode: new Uint8Array() })),
  };
  const parts = [
    utf8ToBin(DOMAIN),
    utf8ToBin(network),
    encodeTransaction(bare),
    encodeTransactionOutputs([...spent]),
  ];
  return flattenBinArray(parts.map(withLength));
};

/**
 * The digest of a transaction on a network: eight groups of four letters and digits.
 *
 * @param resolved a transaction, and what its inputs spend in their order
 * @example
 * const [own] = payment.sourceOutputs;
 * const told = transactionDigest(payment, 'chipnet');
 * told.length; // 39
 * transactionDigest(payment, 'mainnet') === told; // false
 * const more = { ...own, valueSatoshis: own.valueSatoshis + 1n };
 * transactionDigest({ ...payment, sourceOutputs: [more] }, 'chipnet') === told; // false
 */
export const transactionDigest = (
  {
    transaction,
    sourceOutputs,
  }: { readonly transaction: LibauthTransaction; readonly sourceOutputs: readonly LibauthOutput[] },
  network: Network,
): string => {
  const hash = sha256.hash(serialise(transaction, sourceOutputs, network)).slice(0, DIGEST_BYTES);
  const digits = BigInt(`0x${binToHex(hash)}`)
    .toString(DIGITS.length)
    .padStart(LETTERS, '0');
  return group(digits.replace(/./g, (digit) => ALPHABET[DIGITS.indexOf(digit)] ?? ''));
};

/**
 * A digest as somebody reads it out or types it: in any case, with any separators, with O for 0, and I or L for 1.
 *
 * @returns the digest as it is written, or null for what is none
 * @example
 * parseDigest('7rvc 7z5y j3ev j642 7roh ndod zecw w2j9'); // '7RVC-7Z5Y-J3EV-J642-7R0H-ND0D-ZECW-W2J9'
 * parseDigest('7RVC-7Z5Y'); // null
 */
export const parseDigest = (text: string): string | null => {
  const letters = text.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  return WRITTEN.test(letters) ? group(letters) : null;
};
