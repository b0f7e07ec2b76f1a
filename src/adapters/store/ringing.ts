/** A store that tells this process of its own commits. */
import type { Context } from '../../operation/context.js';
import type { StorePort } from '../../operation/ports/store.js';

/** The store, and how to be told. */
export const ringing = (store: StorePort): Required<Pick<Context, 'store' | 'onCommit'>> => {
  const listeners = new Set<() => void>();
  return {
    store: {
      ...store,
      transaction: async (change) => {
        const answer = await store.transaction(change);
        for (const listener of listeners) listener();
        return answer;
      },
    },
    onCommit: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
