/** A chain that says more than it knows: transactions that a test makes up stand in it as if they had been taken. */
import type { LocalChain } from '../../../src/adapters/local-chain/local-chain.js';
import type { ChainListener } from '../../../src/adapters/local-chain/shared-state.js';
import { outpointText, type Outpoint, type Output } from '../../../src/bch/coins.js';
import { coinAt, decodeTransaction, type ChainTransaction } from '../../../src/bch/transaction.js';

export type LyingChain = LocalChain & {
  /** Shows a transaction (raw hex) that nobody took: in the mempool, or in a block. Returns its id. */
  readonly show: (raw: string, height?: number | null) => Promise<string>;
  /** Says that a transaction which the chain has never was. */
  readonly hide: (txid: string) => void;
};

type MadeUp = ChainTransaction & { readonly raw: string };

export const lyingChain = (chain: LocalChain): LyingChain => {
  const madeUp = new Map<string, MadeUp>();
  const hidden = new Set<string>();
  const listeners = new Set<ChainListener>();
  const transaction: LocalChain['transaction'] = async (txid) =>
    hidden.has(txid) ? null : (madeUp.get(txid) ?? chain.transaction(txid));
  const outputAt = async ({ txid, vout }: Outpoint): Promise<Output | null> =>
    (await transaction(txid))?.transaction.outputs[vout] ?? null;
  const scriptsOf = async ({ transaction: { inputs, outputs } }: ChainTransaction): Promise<string[]> => {
    const spent = await Promise.all(inputs.map(outputAt));
    return [...outputs, ...spent].flatMap((output) => output?.lockingBytecode ?? []);
  };
  const unspent: LocalChain['unspent'] = async (lock) => {
    const all = [...madeUp.values()];
    const spent = new Set(all.flatMap(({ transaction: { inputs } }) => inputs.map(outpointText)));
    const own = all.flatMap((found) =>
      found.transaction.outputs.flatMap((_, vout) => coinAt(found, vout) ?? []),
    );
    return [...(await chain.unspent(lock)), ...own].filter(
      (coin) => coin.lockingBytecode === lock && !spent.has(outpointText(coin)) && !hidden.has(coin.txid),
    );
  };
  return {
    ...chain,
    transaction,
    unspent,
    coins: unspent,
    rawTransaction: async (txid) =>
      hidden.has(txid) ? null : (madeUp.get(txid)?.raw ?? chain.rawTransaction(txid)),
    history: async (lock) => {
      const entries = (await chain.history(lock)).filter(({ txid }) => !hidden.has(txid));
      for (const found of madeUp.values())
        if ((await scriptsOf(found)).includes(lock))
          entries.push({ txid: found.transaction.txid, height: found.height });
      return entries;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      const stop = chain.subscribe(listener);
      return () => {
        listeners.delete(listener);
        stop();
      };
    },
    show: async (raw, height = null) => {
      const block = height === null ? null : await chain.block(height);
      const found = { transaction: decodeTransaction(raw), height, blockTime: block?.time ?? null, raw };
      madeUp.set(found.transaction.txid, found);
      const lockingBytecodes = new Set(await scriptsOf(found));
      for (const listener of listeners) listener({ headers: false, lockingBytecodes });
      return found.transaction.txid;
    },
    hide: (txid) => {
      hidden.add(txid);
    },
  };
};
