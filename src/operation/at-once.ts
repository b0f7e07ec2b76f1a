/** Work done side by side, in parts: what is asked of servers in one turn is one request, and requests have a size. */

/** What `work` makes of each item, in their order; so many at the same time. */
export const atOnce = async <Item, Result>(
  count: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += count)
    results.push(...(await Promise.all(items.slice(start, start + count).map((item) => work(item)))));
  return results;
};
