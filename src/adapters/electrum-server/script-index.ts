/** From script hashes, which clients name, to locking bytecodes, which the chain knows. */
import { scriptHashOf } from '../electrum/replies.js';
import type { LocalChain } from '../local-chain/local-chain.js';

export type ScriptIndex = {
  /** The locking bytecode (hex) behind a script hash, or null when the chain has never seen it. */
  readonly find: (scriptHash: string) => Promise<string | null>;
  readonly add: (lockingBytecodes: Iterable<string>) => void;
};

const outputScripts = async (chain: LocalChain, txids: readonly string[]): Promise<string[]> => {
  const found = await Promise.all(txids.map((txid) => chain.transaction(txid)));
  return found.flatMap((known) => known?.transaction.outputs.map((output) => output.lockingBytecode) ?? []);
};

/** Scripts of the blocks, from the genesis block on. */
const blockScripts = async (chain: LocalChain): Promise<Set<string>> => {
  const scripts = new Set<string>();
  for (let height = 0; ; height += 1) {
    const txids = await chain.blockTxids(height);
    if (txids === null) return scripts;
    for (const script of await outputScripts(chain, txids)) scripts.add(script);
  }
};

/** Adds the scripts of the mempool: what is in it spends a coin that is known, and so is in a known script's history. */
const addMempoolScripts = async (chain: LocalChain, scripts: Set<string>): Promise<void> => {
  // A set is walked in order of insertion, those that are added on the way included.
  for (const script of scripts) {
    const history = await chain.history(script);
    const waiting = history.filter(({ height }) => height === null).map(({ txid }) => txid);
    for (const found of await outputScripts(chain, waiting)) scripts.add(found);
  }
};

/** An index that knows nothing yet. */
export const createScriptIndex = (chain: LocalChain): ScriptIndex => {
  const byHash = new Map<string, string>();
  return {
    add: (lockingBytecodes) => {
      for (const script of lockingBytecodes) byHash.set(scriptHashOf(script), script);
    },
    find: async (scriptHash) => {
      const known = byHash.get(scriptHash);
      if (known !== undefined) return known;
      // Another process may have paid it this moment: any look at the chain takes that in and tells the listeners.
      await chain.header(0);
      return byHash.get(scriptHash) ?? null;
    },
  };
};

/** Every script that the chain knows now. Those that come later are told to the chain's listeners. */
export const readScripts = async (chain: LocalChain): Promise<ReadonlySet<string>> => {
  const scripts = await blockScripts(chain);
  const { mempool } = await chain.status();
  if (mempool > 0) await addMempoolScripts(chain, scripts);
  return scripts;
};
