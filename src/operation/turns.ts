/** Long work in parts, between which others get their turn: nobody's request holds up everybody's. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** What `work` makes of each item, in their order, so many of them to a turn of the program. */
export const inTurns = async <Item, Result>(
  count: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Result | Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % count === 0) await nextTurn();
    results.push(await work(item, index));
  }
  return results;
};
