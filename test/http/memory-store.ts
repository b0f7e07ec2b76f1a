/** A store that forgets everything: what the HTTP face needs of the port, without files. */
import { z } from 'zod';
import type {
  AnyCollection,
  Log,
  StorePort,
  StoreReader,
  StoreWriter,
} from '../../src/operation/ports/store.js';

type Stored = { readonly id: string };

/** An empty store in memory. A transaction that throws leaves nothing behind, as the port says. */
export const memoryStore = (): StorePort => {
  let collections = new Map<string, Map<string, Stored>>();
  let counters = new Map<string, number>();
  let logs = new Map<string, object[]>();
  let last: Promise<unknown> = Promise.resolve();

  const recordsOf = ({ name }: AnyCollection): Map<string, Stored> => {
    const known = collections.get(name) ?? new Map<string, Stored>();
    collections.set(name, known);
    return known;
  };
  const reader: StoreReader = {
    get: (collection, id) => Promise.resolve(structuredClone(recordsOf(collection).get(id) ?? null) as never),
    find: (collection, { order = 'newest', offset = 0, limit = Infinity, filter } = {}) => {
      const all = [...recordsOf(collection).values()].filter((item) => filter?.(item as never) ?? true);
      if (order === 'newest') all.reverse();
      return Promise.resolve({ items: all.slice(offset, offset + limit) as never[], total: all.length });
    },
    readLog: (log, { after, limit }) => {
      const all = entriesOf(log);
      return Promise.resolve({ entries: all.slice(after, after + limit) as never[], last: all.length });
    },
  };
  const entriesOf = ({ name }: Log): object[] => {
    const known = logs.get(name) ?? [];
    logs.set(name, known);
    return known;
  };
  const writer: StoreWriter = {
    ...reader,
    put: (collection, record) => {
      z.encode(collection.schema, record);
      const kept = structuredClone(record) as Stored;
      recordsOf(collection).set(kept.id, kept);
    },
    remove: (collection, id) => {
      if (!recordsOf(collection).delete(id)) throw new Error(`${collection.name} has no ${id}`);
    },
    rest: () => Promise.resolve(),
    next: (counter, least = 1) => {
      const number = Math.max((counters.get(counter) ?? 0) + 1, least);
      counters.set(counter, number);
      return Promise.resolve(number);
    },
    append: (log, entry) => {
      z.encode(log.schema, entry);
      const entries = entriesOf(log);
      entries.push(structuredClone({ sequence: entries.length + 1, ...entry }));
    },
  };
  return {
    ...reader,
    time: () => Promise.resolve(Date.now()),
    isShared: false,
    refresh: () => Promise.resolve(),
    probe: () => Promise.resolve(),
    transaction: (change) => {
      const run = async () => {
        // A turn of the event loop, as a file would take one: what runs at the same time gets its chance to interfere.
        await new Promise((resolve) => setImmediate(resolve));
        const before = [structuredClone(collections), new Map(counters), structuredClone(logs)] as const;
        try {
          return await change(writer);
        } catch (error) {
          [collections, counters, logs] = [...before];
          throw error;
        }
      };
      // One after the other: a change runs alone.
      const running = last.then(run);
      last = running.catch(() => undefined);
      return running;
    },
    close: () => Promise.resolve(),
  };
};
