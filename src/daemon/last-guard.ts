/** What is left when an error was caught by nobody: a daemon that others rely on says it and lives on. */
import type { Log } from '../operation/context.js';

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
