import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openJsonStore, type JsonStore } from '../../../src/adapters/store/json-store.js';
import { openPostgresStore } from '../../../src/adapters/postgres/postgres-store.js';
import type { StorePort } from '../../../src/operation/ports/store.js';
import { atLength } from '../../at-length.js';
import { makeSchema, onPostgres } from './each-store.js';
import { entriesOf, events } from './events.js';
import { idsOf, notes, type Note } from './notes.js';

/** What may be done: a commit of some changes and an entry of the log for each (which may throw in the end), and what must change nothing. */
type Move =
  | {
      readonly kind: 'commit';
      readonly store: number;
      readonly changes: readonly Change[];
      readonly throws: boolean;
    }
  | { readonly kind: 'reopen' | 'crash' | 'fold'; readonly store: number };
type Change = { readonly remove: string } | { readonly put: Note };

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const anyNote: fc.Arbitrary<Note> = fc.record({
  id,
  status: fc.constantFrom('OPEN', 'DONE'),
  amount: fc.bigInt({ min: 0n, max: 2n ** 63n }),
  tags: fc.array(fc.constantFrom('red', 'blue'), { maxLength: 3 }),
});
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: anyNote.map((put) => ({ put })) },
  { weight: 1, arbitrary: id.map((remove) => ({ remove })) },
);
const anyMove: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      store: fc.nat({ max: 1 }),
      changes: fc.array(anyChange, { maxLength: 4 }),
      throws: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('reopen', 'crash', 'fold'), store: fc.nat({ max: 1 }) }),
  },
);

/** The model: a Map keeps a key's first place when it is set again, and gives it a new one after it was deleted. */
const changeModel = (model: Map<string, Note>, changes: readonly Change[]): void => {
  for (const change of changes) {
    if ('put' in change) model.set(change.put.id, change.put);
    else model.delete(change.remove);
  }
};

/** Where the stores of a run are. */
type Ground = { readonly open: () => Promise<StorePort>; readonly remove: () => void };

const makeFolderGround = (): Promise<Ground> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'treasury-'));
  return Promise.resolve({
    open: () => openJsonStore({ folder, collections: [notes], foldAfterBytes: 600, segmentBytes: 300 }),
    remove: () => {
      fs.rmSync(folder, { recursive: true });
    },
  });
};

const makeSchemaGround = async (): Promise<Ground> => {
  const { url, schema } = await makeSchema();
  return { open: () => openPostgresStore({ url, schema, connections: 3 }), remove: () => undefined };
};

const commit = async (
  store: StorePort,
  { changes, throws }: Extract<Move, { kind: 'commit' }>,
): Promise<void> => {
  const written = store.transaction((writer) => {
    for (const change of changes) {
      if ('put' in change) writer.put(notes, change.put);
      else writer.remove(notes, change.remove);
      writer.append(events, { id: 'put' in change ? change.put.id : `no ${change.remove}` });
    }
    if (throws) throw new Error('on purpose');
  });
  await written.catch((error: unknown) => {
    if (!throws) throw error;
  });
};

const move = async (
  stores: StorePort[],
  ground: Ground,
  { model, log }: { readonly model: Map<string, Note>; readonly log: string[] },
  step: Move,
): Promise<void> => {
  const store = stores[step.store] as StorePort;
  if (step.kind === 'commit') {
    await commit(store, step);
    if (step.throws) return;
    changeModel(model, step.changes);
    for (const change of step.changes)
      log.push(`${log.length + 1} ${'put' in change ? change.put.id : `no ${change.remove}`}`);
    return;
  }
  if (step.kind === 'fold') return (store as Partial<JsonStore>).fold?.();
  if (step.kind === 'reopen') await store.close();
  // A crash leaves things as they are: the store that is left open writes nothing more.
  stores[step.store] = await ground.open();
};

const title =
  'store › given any commits, folds, reopenings and crashes of two processes › it holds what a Map and a list hold';

const holdsWhatAModelHolds = async (
  t: ExecutionContext,
  makeGround: () => Promise<Ground>,
  numRuns: number,
): Promise<void> => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyMove, { minLength: 1, maxLength: 40 }), async (moves) => {
      const ground = await makeGround();
      const stores = [await ground.open(), await ground.open()];
      const model = new Map<string, Note>();
      const log: string[] = [];
      for (const step of moves) {
        await move(stores, ground, { model, log }, step);
        for (const store of stores) {
          await store.refresh();
          t.deepEqual(await entriesOf(store), log);
          const records = [...model.values()];
          t.deepEqual((await store.find(notes, { order: 'oldest' })).items, records);
          for (const status of ['OPEN', 'DONE'] as const) {
            const expected = records.filter(
              (record) => record.status === status && record.tags.includes('red'),
            );
            const found = idsOf(await store.find(notes, { where: { status, tag: 'red' } }));
            t.deepEqual(found, expected.map((record) => record.id).toReversed());
          }
        }
      }
      await Promise.all(stores.map((store) => store.close()));
      ground.remove();
    }),
    { numRuns },
  );
};

test(`files › ${title}`, (t) => holdsWhatAModelHolds(t, makeFolderGround, 60));
onPostgres(`PostgreSQL › ${title}`, (t) => holdsWhatAModelHolds(t, makeSchemaGround, atLength(60, 8)));
