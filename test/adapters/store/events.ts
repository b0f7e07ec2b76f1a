/** A log for the tests of the store. */
import { z } from 'zod';
import { defineLog, type StorePort } from '../../../src/operation/ports/store.js';

const Amount = z.codec(z.string().regex(/^\d+$/), z.bigint(), { decode: BigInt, encode: String });

export const events = defineLog({
  name: 'events',
  schema: z.object({ id: z.string(), amount: Amount.optional() }),
});

/** Appends entries in one commit. */
export const append = (store: StorePort, ...ids: readonly string[]): Promise<void> =>
  store.transaction((writer) => {
    for (const id of ids) writer.append(events, { id });
  });

/** Entries as `<sequence> <id>`. */
export const entriesOf = async (store: StorePort, after = 0, limit = Infinity): Promise<string[]> =>
  (await store.readLog(events, { after, limit })).entries.map(({ id, sequence }) => `${sequence} ${id}`);

/** `<number> e<number>`, from one to another. */
export const numbered = (from: number, to: number): string[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => `${from + index} e${from + index}`);
