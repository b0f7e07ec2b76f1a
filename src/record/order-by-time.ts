/** The order of time among records that tell what happened: those that were found late are put where they belong. */
import type { Awaitable, Collection, StorePort, StoreReader, StoreWriter } from '../operation/ports/store.js';

/** Records that are told newest first. */
export type Feed<R extends { readonly id: string } = { readonly id: string }> = {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collection: Collection<any>;
  /** When that happened, unix seconds. */
  readonly timeOf: (record: R, store: StoreReader) => Awaitable<number>;
};

/** Declares a feed and forgets its record's type. */
export const defineFeed = <R extends { readonly id: string }>(feed: Feed<R>): Feed => feed as unknown as Feed;

/** Moves records behind all others, in the order given. */
export const putAnew = (
  writer: StoreWriter,
  collection: Feed['collection'],
  records: readonly { readonly id: string }[],
): void => {
  for (const record of records) {
    writer.remove(collection, record.id);
    writer.put(collection, record);
  }
};

type Timed = { readonly record: { readonly id: string }; readonly time: number };

/** The records of a feed from the first on that does not stand where its time belongs. */
const misplaced = async (
  store: StoreReader,
  { collection, timeOf }: Feed,
): Promise<readonly Timed['record'][]> => {
  const { items } = await store.find(collection, { order: 'oldest' });
  const written: Timed[] = [];
  for (const record of items as readonly Timed['record'][])
    written.push({ record, time: await timeOf(record, store) });
  const sorted = written.toSorted((a, b) => a.time - b.time);
  const from = sorted.findIndex((one, index) => one !== written[index]);
  return from === -1 ? [] : sorted.slice(from).map(({ record }) => record);
};

/** Puts feeds in the order of time. Records of one time stay as they stand. */
export const orderByTime = async (store: StorePort, feeds: readonly Feed[]): Promise<void> => {
  for (const feed of feeds) {
    if ((await misplaced(store, feed)).length === 0) continue;
    await store.transaction(async (writer) => {
      putAnew(writer, feed.collection, await misplaced(writer, feed));
    });
  }
};
