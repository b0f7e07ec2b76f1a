/** Ports in the place of what could not be opened: every question is answered with why. */
import type { ChainPort } from '../../operation/ports/chain.js';
import type { StorePort } from '../../operation/ports/store.js';

/** What was opened, or what stands in for it and why. */
export type Attempt<T> = { readonly opened: T; readonly failure: unknown };

/** Opens, and gives the stand-in when that throws. */
export const attempt = async <T>(
  open: () => Promise<T>,
  standIn: (failure: unknown) => T,
): Promise<Attempt<T>> => {
  try {
    return { opened: await open(), failure: null };
  } catch (failure) {
    return { opened: standIn(failure), failure };
  }
};

const refusing = (failure: unknown) => {
  // eslint-disable-next-line @typescript-eslint/require-await -- it rejects, as the port's method would
  return async (): Promise<never> => {
    throw failure;
  };
};

/** A store that throws what opening it threw. */
export const storeStandIn = (failure: unknown): StorePort => {
  const reject = refusing(failure);
  return {
    get: reject,
    find: reject,
    transaction: reject,
    probe: reject,
    refresh: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
};

/** A chain that throws what opening it threw. */
export const chainStandIn = (failure: unknown): ChainPort => {
  const reject = refusing(failure);
  return {
    coins: reject,
    transaction: reject,
    history: reject,
    faultOf: reject,
    broadcast: reject,
    tip: reject,
    askNode: reject,
    block: reject,
    watch: reject,
    close: () => Promise.resolve(),
  };
};
