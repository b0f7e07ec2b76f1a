/** Who is told about changes of the chain, and how changes made by other processes are noticed. */
import type { WatchTarget } from '../../operation/ports/chain.js';
import type { Changes } from './chain-state.js';

/** Told what has changed: `headers` when the tip did, and the locking bytecodes (hex) whose history did. */
export type ChainListener = (changes: {
  readonly headers: boolean;
  readonly lockingBytecodes: ReadonlySet<string>;
}) => void;

export type Watchers = {
  /** Returns how to stop. */
  readonly subscribe: (listener: ChainListener) => () => void;
  /** Tells everybody, after the current call has ended; nobody when nothing changed. */
  readonly tell: (changes: Changes) => void;
  readonly close: () => void;
};

/** How often a watcher's chain is looked at for what other processes did. One fstat when they did nothing. */
const POLL_MS = 500;

/** Keeps the listeners of a chain. `look` takes in what others have done; it is polled only while somebody listens. */
export const createWatchers = (look: () => void): Watchers => {
  const listeners = new Set<ChainListener>();
  let timer: NodeJS.Timeout | null = null;

  const poll = (): void => {
    try {
      look();
    } catch {
      // A poll answers nobody: the next call meets the same failure and throws it to its caller.
    }
  };
  const stopIfUnused = (): void => {
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };

  return {
    subscribe: (listener) => {
      // A subscription of its own, so that the same function can be subscribed twice.
      const subscription: ChainListener = (changes) => {
        listener(changes);
      };
      listeners.add(subscription);
      timer ??= setInterval(poll, POLL_MS).unref();
      return () => {
        listeners.delete(subscription);
        stopIfUnused();
      };
    },
    tell: (changes) => {
      if (!changes.headers && changes.lockingBytecodes.size === 0) return;
      for (const listener of listeners) {
        queueMicrotask(() => {
          if (listeners.has(listener)) listener(changes);
        });
      }
    },
    close: () => {
      listeners.clear();
      stopIfUnused();
    },
  };
};

/** A listener that calls back when one of the targets changes. */
export const listenerFor = (target: WatchTarget, onChange: () => void): ChainListener =>
  'headers' in target
    ? ({ headers }) => {
        if (headers) onChange();
      }
    : ({ lockingBytecodes }) => {
        if (target.lockingBytecodes.some((script) => lockingBytecodes.has(script))) onChange();
      };
