/** What signals do to a daemon: the first one stops it in good order, the second one at once. */
import type { Log } from '../operation/context.js';

/** The part of `process` that this needs. */
export type SignalSource = {
  on: (signal: 'SIGINT' | 'SIGTERM', listener: () => void) => unknown;
  off: (signal: 'SIGINT' | 'SIGTERM', listener: () => void) => unknown;
  exit: (code: number) => void;
};

/** 128 and the signal's number, as shells count. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Calls `stop` at the first SIGINT or SIGTERM and ends the process at the second.
 *
 * @returns how to stop listening
 */
export const listenForSignals = (source: SignalSource, stop: () => unknown, log: Log): (() => void) => {
  let isStopping = false;
  const listeners = (['SIGINT', 'SIGTERM'] as const).map((signal) => {
    const listener = (): void => {
      if (isStopping) {
        log.warn({ signal }, 'a second signal: ending at once');
        source.exit(exitCodes[signal]);
        return;
      }
      isStopping = true;
      log.info({ signal }, 'stopping');
      stop();
    };
    source.on(signal, listener);
    return [signal, listener] as const;
  });
  return () => {
    for (const [signal, listener] of listeners) source.off(signal, listener);
  };
};
