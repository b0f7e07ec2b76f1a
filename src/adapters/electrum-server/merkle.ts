/** Merkle branches: that a transaction is in a block, that a header is in a chain. Pure. */
import { binToHex, flattenBinArray, hash256 } from '@bitauth/libauth';
import { reverseHex } from '../../bch/block-header.js';

const showHash = (hash: Uint8Array): string => binToHex(hash.slice().reverse());

/** The way from one leaf up. Hashes are 64 hex digits, as they are shown. */
export type MerkleProof = {
  /** What the leaf is paired with, deepest first. */
  readonly branch: readonly string[];
  readonly root: string;
};

/** The proof of the leaf at `position`. Source: Bitcoin block format; an odd row pairs its last hash with itself. */
export const proveMerkle = (leaves: readonly string[], position: number): MerkleProof => {
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
