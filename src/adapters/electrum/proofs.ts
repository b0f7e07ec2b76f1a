/** What was proven: that a transaction is in a block. It holds for as long as the block is in the chain. */
import type { Transaction } from '../../bch/transaction.js';
import type { HeaderChain } from './header-chain.js';
import type { HomeHeaders } from './home-headers.js';
import { scriptHashOf } from './script-hash.js';

export type Proof = HomeHeaders['proofs'][number];

/** Proofs that are kept. */
const MOST_KEPT = 2_000;
/** Digits of a script hash that tell the scripts of one home apart. */
const SHORT = 16;

const shortHash = (lockingBytecode: string): string => scriptHashOf(lockingBytecode).slice(0, SHORT);

/** The scripts that a transaction pays, as proofs name them. */
const scriptsOf = ({ outputs }: Transaction): string[] => [
  ...new Set(outputs.map(({ lockingBytecode }) => shortHash(lockingBytecode))),
];

/** True while the block of a proof is in the chain. What is buried below the headers that are kept stays. */
export const stands = ({ height, block }: Proof, chain: HeaderChain): boolean =>
  height < chain.start() || chain.at(height)?.hash === block;

/** The proofs of a home. */
export const createProofs = () => {
  const byTxid = new Map<string, Proof>();
  const byScript = new Map<string, Set<string>>();

  const remove = (txid: string): void => {
    for (const script of byTxid.get(txid)?.scripts ?? []) byScript.get(script)?.delete(txid);
    byTxid.delete(txid);
  };
  const add = (proof: Proof): void => {
    remove(proof.txid);
    const [oldest] = byTxid.keys();
    if (byTxid.size >= MOST_KEPT && oldest !== undefined) remove(oldest);
    byTxid.set(proof.txid, proof);
    for (const script of proof.scripts) {
      const txids = byScript.get(script) ?? new Set();
      byScript.set(script, txids.add(proof.txid));
    }
  };
  return {
    add,
    remove,
    get: (txid: string): Proof | null => byTxid.get(txid) ?? null,
    /** Those of transactions that pay a locking bytecode (hex). */
    paying: (lockingBytecode: string): Proof[] =>
      [...(byScript.get(shortHash(lockingBytecode)) ?? [])].flatMap((txid) => byTxid.get(txid) ?? []),
    keep: (): Proof[] => [...byTxid.values()],
    scriptsOf,
  };
};

export type Proofs = ReturnType<typeof createProofs>;
