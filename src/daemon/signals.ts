/** What signals do to a daemon (the first one stops it in good order, the second one at once), and errors that nobody caught. */
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

/** The part of `process` that this needs. */
export type ErrorSource = {
  on: (event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void) => unknown;
  off: (event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void) => unknown;
};

/**
 * Logs what nobody caught, in place of ending the process. Commits are whole or have not happened, so that what goes on
 * afterwards stands on good records; whoever waited for the answer runs into a time limit.
 *
 * @returns how to stop guarding
 */
export const guardProcess = (source: ErrorSource, log: Log): (() => void) => {
  const listener = (error: unknown): void => {
    log.error({ err: error }, 'a defect: an error that nobody caught');
  };
  source.on('uncaughtException', listener);
  source.on('unhandledRejection', listener);
  return () => {
    source.off('uncaughtException', listener);
    source.off('unhandledRejection', listener);
  };
};
