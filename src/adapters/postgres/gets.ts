/** Records that are asked for by their ids in one turn of the program: one statement asks for all of a collection. */
import type { AnyCollection } from '../../operation/ports/store.js';
import type { ReadRow } from '../store/record-row.js';
import type { DatabaseRow } from './connections.js';
import { getFound, readDocument, textOf, type Reading } from './reader.js';
import { getManyStatement } from './statements.js';
import { toKey } from './stored-text.js';

type Asked = {
  readonly found: Promise<ReadRow | null>;
  readonly settle: (row: ReadRow | null) => void;
  readonly fail: (error: unknown) => void;
};

const ask = (): Asked => {
  let settle: Asked['settle'] = () => undefined;
  let fail: Asked['fail'] = () => undefined;
  const found = new Promise<ReadRow | null>((resolve, reject) => {
    [settle, fail] = [resolve, reject];
  });
  return { found, settle, fail };
};

type Batch = Map<string, Asked>;

const answerAll = async (reading: Reading, collection: AnyCollection, batch: Batch): Promise<void> => {
  const [first] = batch;
  if (first !== undefined && batch.size === 1) {
    const [id, { settle }] = first;
    settle((await getFound(reading, collection, id))?.row ?? null);
    return;
  }
  const rows = await reading.run(getManyStatement(reading.space.tableOf(collection), [...batch.keys()]));
  const found = new Map<string, DatabaseRow>(rows.map((row) => [textOf(row, 'id'), row]));
  for (const [id, { settle, fail }] of batch) {
    const row = found.get(toKey(id));
    try {
      settle(row === undefined ? null : readDocument(reading, collection, row));
    } catch (error) {
      // One that is damaged is no fault of the others.
      fail(error);
    }
  }
};

/** Reads by id outside of changes. What is asked for later in time is never answered by an earlier statement. */
export const createGets = (reading: Reading) => {
  let waiting = new Map<AnyCollection, Batch>();
  const send = (): void => {
    const batches = waiting;
    waiting = new Map();
    for (const [collection, batch] of batches)
      answerAll(reading, collection, batch).catch((error: unknown) => {
        for (const { fail } of batch.values()) fail(error);
      });
  };
  return (collection: AnyCollection, id: string): Promise<ReadRow | null> => {
    // After all that goes on from the same answers has asked too.
    if (waiting.size === 0) process.nextTick(send);
    const batch = waiting.get(collection) ?? (new Map() as Batch);
    waiting.set(collection, batch);
    const asked = batch.get(id) ?? ask();
    batch.set(id, asked);
    return asked.found;
  };
};
