/** Records that are asked for by their ids in one turn of the program: one statement asks for all of them. */
import type { AnyCollection } from '../../operation/ports/store.js';
import { inOneTurn } from './one-turn.js';
import { readDocument, textOf, type Reading } from './reader.js';
import { getManyStatement } from './statements.js';
import { toKey } from './stored-text.js';

type Asked = {
  readonly found: Promise<unknown>;
  readonly settle: (record: unknown) => void;
  readonly fail: (error: unknown) => void;
};

const ask = (): Asked => {
  let settle: Asked['settle'] = () => undefined;
  let fail: Asked['fail'] = () => undefined;
  const found = new Promise<unknown>((resolve, reject) => {
    [settle, fail] = [resolve, reject];
  });
  return { found, settle, fail };
};

/** By ids as they are kept. */
type Batch = Map<string, Asked>;
type Batches = ReadonlyMap<AnyCollection, Batch>;

/** Reads by id outside of changes, and what is said to people of what fails. */
export type Getting = Reading & { readonly explain: (error: unknown) => unknown };

const answerAll = async (getting: Getting, batches: Batches): Promise<void> => {
  const { run, space, explain } = getting;
  const asked = [...batches].map(([collection, batch]) => ({
    collection,
    batch,
    layout: space.tableOf(collection),
    ids: [...batch.keys()],
  }));
  const [first] = asked;
  const isOneOfMany = asked.length > 1 || (first?.ids.length ?? 0) > 1;
  for (const row of await run(getManyStatement(asked))) {
    const from = asked[Number(row['source'])];
    const one = from?.batch.get(textOf(row, 'id'));
    if (from === undefined || one === undefined) continue;
    try {
      one.settle(readDocument(getting, from.collection, row, isOneOfMany).record);
    } catch (error) {
      // One that is damaged is no fault of the others.
      one.fail(explain(error));
    }
  }
  // Those that are answered already stay so.
  for (const batch of batches.values()) for (const { settle } of batch.values()) settle(null);
};

/** What is asked for later in time is never answered by an earlier statement. */
export const createGets = (getting: Getting) => {
  const batchOf = inOneTurn<AnyCollection, Batch>((batches) => {
    answerAll(getting, batches).catch((error: unknown) => {
      const explained = getting.explain(error);
      for (const batch of batches.values()) for (const { fail } of batch.values()) fail(explained);
    });
  });
  return (collection: AnyCollection, id: string): Promise<unknown> => {
    const batch = batchOf(collection, () => new Map());
    const key = toKey(id);
    const asked = batch.get(key) ?? ask();
    batch.set(key, asked);
    return asked.found;
  };
};
