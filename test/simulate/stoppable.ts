/** A chain that stands still when it is told to. */
import type { LocalChain } from '../../src/adapters/local-chain/local-chain.js';
import type { ChainListener } from '../../src/adapters/local-chain/shared-state.js';

/** A chain that can stand still for a while: what it shows then is what there was. */
export const stoppable = (live: LocalChain) => {
  const listeners = new Set<ChainListener>();
  const touched = new Set<string>();
  let still: LocalChain | null = null;
  live.subscribe((changes) => {
    for (const script of changes.lockingBytecodes) touched.add(script);
    if (still !== null) return;
    for (const listener of [...listeners]) listener(changes);
    touched.clear();
  });
  const of = (): LocalChain => still ?? live;
  const chain: LocalChain = {
    ...live,
    coins: (lock) => of().coins(lock),
    unspent: (lock) => of().unspent(lock),
    transaction: (txid) => of().transaction(txid),
    history: (lock) => of().history(lock),
    rawTransaction: (txid) => of().rawTransaction(txid),
    header: (height) => of().header(height),
    blockTxids: (height) => of().blockTxids(height),
    block: (height) => of().block(height),
    tip: () => of().tip(),
    status: () => of().status(),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
  return {
    chain,
    stop: () => {
      still ??= live.behind(1e12);
    },
    goOn: () => {
      if (still === null) return;
      void still.close();
      still = null;
      const changes = { headers: true, lockingBytecodes: new Set(touched) };
      touched.clear();
      for (const listener of [...listeners]) listener(changes);
    },
  };
};
