/** The commit that makes what a request asks for, with the answer to that request. */
import type { Context } from './context.js';
import type { Awaitable, StoreReader, StoreWriter } from './ports/store.js';

/**
 * Makes something, and in the same commit keeps the answer where a repetition of the request may ask for it: whatever
 * ends the program, both are there or neither is. Everything that an operation with `creates` makes is made here.
 *
 * @param make - what is written; a change of the store
 * @param answer - the whole reply of the operation, of what was made
 * @throws as `transaction` of the store
 */
export const commitAnswer = <Made, Answer extends Readonly<Record<string, unknown>>>(
  { store, keepAnswer }: Pick<Context, 'store' | 'keepAnswer'>,
  make: (writer: StoreWriter) => Awaitable<Made>,
  answer: (made: Made, writer: StoreReader & Pick<StoreWriter, 'rest'>) => Awaitable<Answer>,
): Promise<Answer> =>
  store.transaction(async (writer) => {
    const reply = await answer(await make(writer), writer);
    await keepAnswer?.(writer, reply);
    return reply;
  });
