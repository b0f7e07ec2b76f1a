/** One question at a time: a wallet shows one, and its session is kept by one. */
import { asFailure, PageFailure } from './failure.js';

/** How long what was left may go on before whoever has left it hears so: it is taken back from the phone meanwhile. */
const LEAVING_MS = 4_000;

export const createTurn = () => {
  let current: { readonly controller: AbortController; readonly over: Promise<unknown> } | null = null;

  const begin = <T>(work: (signal: AbortSignal) => Promise<T>, wallet: string): Promise<T> => {
    const controller = new AbortController();
    const done = work(controller.signal).catch((error: unknown) => {
      throw asFailure(error, wallet);
    });
    const mine = { controller, over: done.catch(() => undefined) };
    current = mine;
    void mine.over.then(() => {
      if (current === mine) current = null;
    });
    const left = new Promise<never>((_, reject) => {
      controller.signal.addEventListener('abort', () => {
        setTimeout(reject, LEAVING_MS, new PageFailure('interrupted'));
      });
    });
    return Promise.race([done, left]);
  };

  return {
    /** @param wallet what the wallet is called. @throws wallet_busy, interrupted, and what the work throws, as a failure of the page */
    take: async <T>(wallet: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
      while (current !== null) {
        if (!current.controller.signal.aborted) throw new PageFailure('wallet_busy', { wallet });
        await current.over;
      }
      return begin(work, wallet);
    },
    cancel: (): void => {
      current?.controller.abort();
    },
  };
};
