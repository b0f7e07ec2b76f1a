/** An operation tried without being done: everything is checked as it would be, and nothing is kept. */
import type { Credentials } from './auth.js';
import type { Context } from './context.js';
import type { AnyOperation } from './define.js';
import { execute, type Reply } from './execute.js';
import type { StorePort, StoreWriter } from './ports/store.js';

/** A store whose changes are made, answered and taken back. */
const takingBack = (store: StorePort): StorePort => ({
  ...store,
  transaction: async <T>(change: (writer: StoreWriter) => T | Promise<T>): Promise<T> => {
    const made: T[] = [];
    const takeBack = new Error('tried, not done');
    try {
      await store.transaction(async (writer) => {
        made.splice(0, made.length, await change(writer));
        throw takeBack;
      });
    } catch (error) {
      if (error !== takeBack) throw error;
    }
    return made[0] as T;
  },
});

/**
 * What an operation would answer, whose only effect is what it writes into the store.
 *
 * @throws what the operation throws
 */
export const rehearse = (
  operation: AnyOperation,
  rawInput: Readonly<Record<string, unknown>>,
  context: Context,
  credentials: Credentials,
): Promise<Reply> =>
  execute(operation, rawInput, { ...context, store: takingBack(context.store) }, credentials);
