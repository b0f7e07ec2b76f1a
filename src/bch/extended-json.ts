/**
 * Extended JSON: how bytes and bigints travel in JSON between dapps and wallets.
 *
 * `Uint8Array` is `"<Uint8Array: 0x..>"` and bigint is `"<bigint: 1n>"`. Libauth writes it (`stringify`);
 * the reader is ours. Source: wc2-bch-bcr, signTransaction.
 */
import { hexToBin, stringify } from '@bitauth/libauth';

const bytesText = /^<Uint8Array: 0x((?:[0-9a-f]{2})*)>$/;
const bigintText = /^<bigint: (-?\d+)n>$/;

/**
 * A value as a tree that JSON can hold. Properties that are undefined are left out, as in JSON.
 * For the reverse, see {@link decodeExtended}.
 */
export const encodeExtended = (value: unknown): unknown => JSON.parse(stringify(value));

const decodeText = (text: string): unknown => {
  const bytes = bytesText.exec(text)?.[1];
  if (bytes !== undefined) return hexToBin(bytes);
  const digits = bigintText.exec(text)?.[1];
  return digits === undefined ? text : BigInt(digits);
};

/**
 * The value a tree of extended JSON stands for; what is not marked stays as it is.
 * Text that happens to look like a mark is read as one: the format has no escape.
 */
export const decodeExtended = (tree: unknown): unknown => {
  if (typeof tree === 'string') return decodeText(tree);
  if (Array.isArray(tree)) return tree.map(decodeExtended);
  if (tree === null || typeof tree !== 'object' || tree instanceof Uint8Array) return tree;
  return Object.fromEntries(Object.entries(tree).map(([key, item]) => [key, decodeExtended(item)]));
};
