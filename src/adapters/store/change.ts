/** Reading the store, and running one change on it. */
import type { Query, StoreReader, StoreWriter } from '../../operation/ports/store.js';
import { counterStep, declaredTable, doStep, putStep, removeStep, undoSteps, type Memory, type Step } from './memory.js';
import { rowToPut } from './record-row.js';
import { findInTable } from './table.js';

/** What a change came to. One that threw has no steps left: they were undone. */
export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T; readonly steps: readonly Step[] }
  | { readonly kind: 'thrown'; readonly error: unknown };

/** Reads of what `memory` gives at the time of each call. */
export const readerOf = (memory: () => Memory): StoreReader => ({
  // The port promises each collection's own type; the tables hold what that collection's schema decoded.
  get: (collection, id) =>
    (declaredTable(memory(), collection).slots.get(id)?.row.record ?? null) as never,
  find: (collection, query = {}) =>
    findInTable(declaredTable(memory(), collection), query as Query<unknown>) as never,
});

const writerOf = (memory: Memory, take: (step: Step) => void): StoreWriter => ({
  ...readerOf(() => memory),
  put: (collection, record) => {
    const table = declaredTable(memory, collection);
    take(putStep(memory, table, rowToPut(table.collection, record)));
  },
  remove: (collection, id) => {
    const step = removeStep(declaredTable(memory, collection), id);
    if (step !== null) take(step);
  },
  next: (counter, least = 1) => {
    const number = Math.max((memory.counters.get(counter) ?? 0) + 1, least);
    take(counterStep(memory, counter, number));
    return number;
  },
});

const refusePromise = (value: unknown): void => {
  if (!(value instanceof Promise)) return;
  value.catch(() => undefined);
  throw new TypeError('a change of the store must be synchronous: it returned a promise');
};

/** Runs a change on memory. What it did is left standing for the changes after it; when it throws, it is undone. */
export const runChange = <T>(memory: Memory, change: (writer: StoreWriter) => T): Outcome<T> => {
  const steps: Step[] = [];
  let isOver = false;
  const writer = writerOf(memory, (step) => {
    if (isOver) throw new Error('this change of the store is over: write inside the function only');
    steps.push(step);
    doStep(memory, step);
  });
  try {
    const value = change(writer);
    refusePromise(value);
    return { kind: 'done', value, steps };
  } catch (error) {
    undoSteps(memory, steps);
    return { kind: 'thrown', error };
  } finally {
    isOver = true;
  }
};
