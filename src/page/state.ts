/** A value that several parts of the page show: whoever shows it is drawn anew when it changes. */
import { useEffect, useState } from 'preact/hooks';

export type Cell<T> = {
  readonly get: () => T;
  readonly set: (value: T) => void;
  /** @returns how to hear no more */
  readonly hear: (listener: () => void) => () => void;
};

/** A cell with its first value. */
export const cell = <T>(first: T): Cell<T> => {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (next === value) return;
      value = next;
      for (const listener of listeners) listener();
    },
    hear: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
};

/** The value of a cell, as it changes. */
export const useCell = <T>(one: Cell<T>): T => {
  const value = one.get();
  const [, draw] = useState<T>(value);
  useEffect(() => {
    const look = (): void => {
      draw(() => one.get());
    };
    // It may have changed since it was drawn, when nobody heard yet.
    look();
    return one.hear(look);
  }, [one]);
  return value;
};
