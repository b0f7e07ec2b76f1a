/** What a run of a change has read and written, and what of it the database does not know yet. */
import type { AnyCollection, Log } from '../../operation/ports/store.js';
import { storedName, type ReadRow, type Row } from '../store/record-row.js';
import type { Namespace } from './layout.js';
import type { Found } from './reader.js';
import { toKey, toStoredJson } from './stored-text.js';
import {
  appendEntries,
  insertRecord,
  removeRecord,
  updateRecord,
  upsertRecord,
  type Piece,
  type StoredKeys,
  type Written,
} from './writes.js';

/** The values of a row as they are kept, by index. */
export const keysOf = (collection: AnyCollection, { keys }: Row): StoredKeys =>
  new Map(
    Object.keys(collection.indexes).map((index) => [
      index,
      (keys[storedName(collection, index)] ?? []).map(toKey),
    ]),
  );

/** A record as it is written. */
export const writtenRecord = (collection: AnyCollection, row: Row, position: string): Written => ({
  id: toKey(row.id),
  position,
  json: toStoredJson(row.text),
  keys: keysOf(collection, row),
});

/** A record that the change has to do with. */
type Held = {
  readonly collection: AnyCollection;
  readonly id: string;
  /** In the database; null: none; undefined: nobody has looked. */
  readonly there: Found | null | undefined;
  /** As the change left it; null: there is none. */
  readonly row: ReadRow | null;
  /** It was removed before it was put: it comes last. */
  readonly isAnew: boolean;
};

type Outcome = { readonly pieces: readonly Piece[]; readonly there: Held['there'] };

const piecesOf = (space: Namespace, held: Held, nextPosition: () => string): Outcome => {
  const { collection, id, row, isAnew } = held;
  const layout = space.tableOf(collection);
  const removes = held.there === null ? [] : removeRecord(layout, toKey(id));
  if (row === null) return { pieces: removes, there: null };
  const written = (position: string) => writtenRecord(collection, row, position);
  if (isAnew || held.there === null) {
    const position = nextPosition();
    const pieces = [...(isAnew ? removes : []), insertRecord(layout, written(position))];
    return { pieces, there: { row, position } };
  }
  if (held.there === undefined)
    return { pieces: [upsertRecord(layout, written(nextPosition()))], there: undefined };
  const { row: before, position } = held.there;
  return {
    pieces: updateRecord(layout, written(position), keysOf(collection, before)),
    there: { row, position },
  };
};

/** Holds what a run has to do with. */
export const createPending = (space: Namespace) => {
  const records = new Map<string, Held>();
  /** Those that are to be written, in their order. */
  const changed = new Set<string>();
  const entries = new Map<Log, string[]>();
  const keyOf = ({ name }: AnyCollection, id: string): string => `${name} ${id}`;
  return {
    /** As the run sees it; undefined: nobody has looked. */
    find: (collection: AnyCollection, id: string): ReadRow | null | undefined =>
      records.get(keyOf(collection, id))?.row,
    /** What was read, unless it was written meanwhile. */
    learn: (collection: AnyCollection, id: string, there: Found | null): void => {
      const key = keyOf(collection, id);
      if (!records.has(key))
        records.set(key, { collection, id, there, row: there?.row ?? null, isAnew: false });
    },
    put: (collection: AnyCollection, row: ReadRow): void => {
      const key = keyOf(collection, row.id);
      const held = records.get(key);
      const isAnew = changed.has(key) && (held?.isAnew === true || held?.row === null);
      if (held?.row === null) changed.delete(key);
      changed.add(key);
      records.set(key, { collection, id: row.id, there: held?.there, row, isAnew });
    },
    remove: (collection: AnyCollection, id: string): void => {
      const key = keyOf(collection, id);
      changed.delete(key);
      changed.add(key);
      records.set(key, { collection, id, there: records.get(key)?.there, row: null, isAnew: false });
    },
    append: (log: Log, json: string): void => {
      const held = entries.get(log) ?? [];
      held.push(json);
      entries.set(log, held);
    },
    isEmpty: () => changed.size === 0 && entries.size === 0,
    /** What writes all of it; nothing is held back then. */
    take: (position: () => string): readonly Piece[] => {
      const pieces = [...entries].flatMap(([log, all]) =>
        appendEntries(
          space,
          log,
          all.map((json) => ({ position: position(), json })),
        ),
      );
      entries.clear();
      for (const key of changed) {
        const held = records.get(key);
        if (held === undefined) continue;
        const written = piecesOf(space, held, position);
        records.set(key, { ...held, there: written.there, isAnew: false });
        pieces.push(...written.pieces);
      }
      changed.clear();
      return pieces;
    },
  };
};
