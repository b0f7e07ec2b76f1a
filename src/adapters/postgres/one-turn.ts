/** What is asked for in one turn of the program is answered together. */

/**
 * Gathers batches by key, and hands all of a turn over once. What is asked for later in time comes with the next.
 *
 * @returns the batch of a key, made where it is the first of its turn
 */
export const inOneTurn = <Key, Batch>(answer: (batches: ReadonlyMap<Key, Batch>) => void) => {
  let waiting = new Map<Key, Batch>();
  const send = (): void => {
    const batches = waiting;
    waiting = new Map();
    answer(batches);
  };
  return (key: Key, create: () => Batch): Batch => {
    // After all that goes on from the same answers has asked too.
    if (waiting.size === 0) process.nextTick(send);
    const batch = waiting.get(key) ?? create();
    waiting.set(key, batch);
    return batch;
  };
};
