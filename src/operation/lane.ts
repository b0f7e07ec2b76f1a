/** Long work of many askers, one part after another: between two parts the program has its turn, however many ask. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Does one part of some work, once those before it are done. What it throws is for whoever asked for it. */
export type Lane = <T>(work: () => Promise<T>) => Promise<T>;

/** Parts are done in the order in which they are asked for. */
export const createLane = (): Lane => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(() => nextTurn()).then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
};
