/** Reading the store, and running one change on it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { TreasuryError } from '../../errors.js';
import type { Awaitable, Query, StoreReader, StoreWriter } from '../../operation/ports/store.js';
import {
  changeOf,
  counterStep,
  declaredTable,
  doStep,
  getRow,
  putStep,
  readIn,
  removeStep,
  undoSteps,
  type Memory,
  type Step,
} from './memory.js';
import { appendSteps, readLogIn } from './log-memory.js';
import { rowToPut, storedName, type Source } from './record-row.js';
import { findInTable, takenIndex } from './table.js';

/** What a change came to. One that threw has no steps left: they were undone. */
export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T; readonly steps: readonly Step[] }
  | { readonly kind: 'thrown'; readonly error: unknown };

/** A read as a promise: it throws into that. */
const answering = <T>(read: () => T): Promise<T> =>
  new Promise((resolve) => {
    resolve(read());
  });

/** Reads of what `memory` gives at the time of each call. */
export const readerOf = (memory: () => Memory): StoreReader => ({
  // The port promises each collection's own type: that is what the collection's schema decodes.
  get: (collection, id) => answering(() => (getRow(memory(), collection, id)?.record ?? null) as never),
  find: (collection, query = {}) =>
    answering(() => {
      const held = memory();
      const read = (source: Source) => readIn(held, collection, source, true);
      const table = declaredTable(held, collection);
      const { items, total } = findInTable(table, collection, query as Query<unknown>, read);
      return { items: items.map(({ record }) => record), total } as never;
    }),
  readLog: (log, range) => answering(() => readLogIn(memory(), log, range) as never),
});

/** What a change waits for beside the store: a turn of the program for everybody else. */
type Rest = { until: Promise<void> | null };

const writerOf = (memory: Memory, take: (step: Step) => void, resting: Rest): StoreWriter => ({
  ...readerOf(() => memory),
  rest: () =>
    (resting.until = nextTurn().then(() => {
      resting.until = null;
    })),
  put: (collection, record) => {
    const row = rowToPut(memory.rows, collection, record);
    const held = getRow(memory, collection, row.id);
    const table = declaredTable(memory, collection);
    const taken = takenIndex(table, collection, row, held);
    if (taken !== null) {
      const label = `${collection.name} ${taken} "${row.keys[storedName(collection, taken)]?.join() ?? ''}"`;
      throw new TreasuryError('store_conflict', { label });
    }
    take(putStep(memory, table, row, held));
  },
  remove: (collection, id) => {
    const held = getRow(memory, collection, id);
    if (held !== null) take(removeStep(declaredTable(memory, collection), held));
  },
  next: (counter, least = 1) =>
    answering(() => {
      const number = Math.max((memory.counters.get(counter) ?? 0) + 1, least);
      take(counterStep(memory, counter, number));
      return number;
    }),
  append: (log, entry) => {
    for (const step of appendSteps(memory, log, entry)) take(step);
  },
});

/**
 * What a change comes to. Every read of this store is answered at once, so a change that is not over when nothing of
 * this turn of the program is left to do, and does not rest, awaits something else.
 */
const withoutWaiting = <T>(running: Awaitable<T>, resting: Rest): Awaitable<T> => {
  if (!(running instanceof Promise)) return running;
  return new Promise((resolve, reject) => {
    running.then(resolve, reject);
    const look = (): void => {
      // A tick that a microtask asks for comes when no microtask is left.
      queueMicrotask(() => {
        process.nextTick(() => {
          if (resting.until !== null) resting.until.then(look, reject);
          else reject(new Error('a change of the store awaits something else than the store'));
        });
      });
    };
    look();
  });
};

/** Runs a change on memory. What it did is left standing for the changes after it; when it throws, it is undone. */
export const runChange = async <T>(
  memory: Memory,
  change: (writer: StoreWriter) => Awaitable<T>,
): Promise<Outcome<T>> => {
  const steps: Step[] = [];
  const { lastOrder } = memory;
  let isOver = false;
  const resting: Rest = { until: null };
  const take = (step: Step): void => {
    if (isOver) throw new Error('this change of the store is over: write inside the function only');
    steps.push(step);
    doStep(memory, step);
  };
  try {
    const value = await withoutWaiting(change(writerOf(memory, take, resting)), resting);
    return { kind: 'done', value, steps };
  } catch (error) {
    undoSteps(memory, steps);
    memory.lastOrder = lastOrder;
    return { kind: 'thrown', error };
  } finally {
    isOver = true;
  }
};

/**
 * {@link runChange} twice, for tests: what the first run did is undone, and the second must write the same. So a change
 * that is no function of what it reads is found.
 */
export const runChangeTwice = async <T>(
  memory: Memory,
  change: (writer: StoreWriter) => Awaitable<T>,
): Promise<Outcome<T>> => {
  const { lastOrder } = memory;
  const first = await runChange(memory, change);
  if (first.kind === 'done') undoSteps(memory, first.steps);
  memory.lastOrder = lastOrder;
  const second = await runChange(memory, change);
  const written = [first, second].map((run) => (run.kind === 'done' ? run.steps.map(changeOf) : null));
  if (isDeepStrictEqual(written[0], written[1])) return second;
  if (second.kind === 'done') undoSteps(memory, second.steps);
  memory.lastOrder = lastOrder;
  const error = new Error(
    `a change of the store wrote something else when it was run again: ${JSON.stringify(written)}`,
  );
  return { kind: 'thrown', error };
};
