/** Block headers, and the way from a transaction to the header of its block. Pure. */
import { binToHex, binToNumberUint32LE, flattenBinArray, hash256, hexToBin } from '@bitauth/libauth';

/** What a header says. Hashes are 64 hex digits, in the order in which they are shown. */
export type HeaderFields = {
  readonly parent: string;
  readonly merkleRoot: string;
  /** Unix seconds. */
  readonly time: number;
  /** Compact target. */
  readonly bits: number;
};

/**
 * Reverses the bytes of hex: hashes are shown in the reverse of the order in which they are hashed.
 *
 * @example
 * reverseHex('0102'); // Uint8Array.of(2, 1)
 */
export const reverseHex = (hex: string): Uint8Array => hexToBin(hex).reverse();

/**
 * Hash of an 80-byte header (hex), in the order in which hashes are shown.
 *
 * @example
 * hashHeader('00'.repeat(80)); // '14508459b221041eab257d2baaa7459775ba748246c8403609eb708f0e57e74b'
 */
export const hashHeader = (header: string): string => binToHex(hash256(hexToBin(header)).reverse());

const shownHash = (bytes: Uint8Array, at: number): string => binToHex(bytes.slice(at, at + 32).reverse());
const numberAt = (bytes: Uint8Array, at: number): number => binToNumberUint32LE(bytes.subarray(at, at + 4));

/**
 * The fields of an 80-byte header (hex). Source: Bitcoin block format.
 *
 * @example
 * readFields('00'.repeat(80)).bits; // 0
 * readFields(`${'00'.repeat(68)}29ab5f49ffff001d${'00'.repeat(4)}`).time; // 1_231_006_505
 */
export const readFields = (header: string): HeaderFields => {
  const bytes = hexToBin(header);
  return {
    parent: shownHash(bytes, 4),
    merkleRoot: shownHash(bytes, 36),
    time: numberAt(bytes, 68),
    bits: numberAt(bytes, 72),
  };
};

/** How a transaction hangs on the root of its block. Hashes are 64 hex digits, in the order in which they are shown. */
export type MerkleBranch = {
  /** What it is paired with, deepest first. */
  readonly branch: readonly string[];
  /** Its place in the block. */
  readonly position: number;
};

/** Rows of a block's tree: far more transactions than fit in a block. */
const MOST_ROWS = 40;

/**
 * The root that a branch leads to; null when there is no such place. Source: Bitcoin block format.
 *
 * @example
 * rootOf(coin.txid, { branch: [], position: 0 }); // coin.txid
 * rootOf(coin.txid, { branch: [], position: 1 }); // null
 */
export const rootOf = (txid: string, { branch, position }: MerkleBranch): string | null => {
  if (branch.length > MOST_ROWS) return null;
  let hash = reverseHex(txid);
  let place = position;
  for (const sibling of branch.map(reverseHex)) {
    hash = hash256(flattenBinArray(place % 2 === 0 ? [hash, sibling] : [sibling, hash]));
    place = Math.floor(place / 2);
  }
  return place === 0 ? binToHex(hash.reverse()) : null;
};

const showHash = (hash: Uint8Array): string => binToHex(hash.slice().reverse());

/**
 * The way from the leaf at `position` up, deepest pair first, and the root it leads to. Hashes as they are shown.
 * Source: Bitcoin block format; an odd row pairs its last hash with itself.
 *
 * @example
 * const { branch, root } = proveMerkle([coin.txid, tokenCoin.txid], 1);
 * branch; // [coin.txid]
 * rootOf(tokenCoin.txid, { branch, position: 1 }); // root
 */
export const proveMerkle = (leaves: readonly string[], position: number) => {
  const branch: string[] = [];
  let row = leaves.map(reverseHex);
  let index = position;
  while (row.length > 1) {
    const last = row.at(-1);
    if (row.length % 2 === 1 && last !== undefined) row.push(last);
    const sibling = row[index % 2 === 0 ? index + 1 : index - 1];
    if (sibling !== undefined) branch.push(showHash(sibling));
    row = Array.from({ length: row.length / 2 }, (_, pair) =>
      hash256(flattenBinArray(row.slice(2 * pair, 2 * pair + 2))),
    );
    index = Math.floor(index / 2);
  }
  return { branch, root: showHash(row[0] ?? new Uint8Array(32)) };
};
