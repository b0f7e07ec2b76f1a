/**
 * What a change writes. Writes of different tables go as one statement: each statement costs the server a plan, and both
 * sides a message. None touches a table twice, since what it would do to it has no order.
 */
import type { Log } from '../../operation/ports/store.js';
import type { Namespace, SideTable, TableLayout } from './layout.js';
import type { Statement } from './statements.js';

/** Makes a value a parameter; says where it stands. */
type Place = (value: unknown) => string;

/** A write of one table. */
type Write = { readonly table: string; readonly text: (place: Place) => string };

/** Writes that belong into one statement. */
export type Piece = {
  readonly writes: readonly Write[];
  /**
   * The first one puts a record that nobody has looked at: the others, and the answer (its `version`), are about what
   * came of it. These pieces are to be written if it was there already.
   */
  readonly ifThere?: readonly Piece[];
};

/** Pieces as one statement. */
export type Packed = Statement & Required<Pick<Piece, 'ifThere'>>;

/** The name of what the first write of a piece with `ifThere` returns. */
const PUT = 'put';

const claimsOf = ({ writes, ifThere }: Piece): readonly string[] => [
  ...writes.map(({ table }) => table),
  ...(ifThere === undefined ? [] : [PUT]),
];

const packGroup = (pieces: readonly Piece[]): Packed => {
  const values: unknown[] = [];
  const place: Place = (value) => `$${values.push(value)}`;
  const steps = pieces.flatMap(({ writes, ifThere }) =>
    writes.map(({ text }, at) => ({
      name: ifThere !== undefined && at === 0 ? PUT : null,
      text: text(place),
    })),
  );
  const ifThere = pieces.flatMap((piece) => piece.ifThere ?? []);
  const isAsked = steps.some(({ name }) => name === PUT);
  const main = isAsked ? `select version from ${PUT}` : (steps.pop()?.text ?? '');
  const named = steps.map(({ name, text }, at) => `${name ?? `w${at}`} as (${text})`);
  return { text: named.length === 0 ? main : `with ${named.join(', ')} ${main}`, values, ifThere };
};

/** As few statements as there can be without changing the order. */
export const pack = (pieces: readonly Piece[]): readonly Packed[] => {
  const groups: Piece[][] = [];
  let claimed = new Set<string>();
  for (const piece of pieces) {
    const claims = claimsOf(piece);
    const group = groups.at(-1);
    if (group === undefined || claims.some((one) => claimed.has(one))) {
      groups.push([piece]);
      claimed = new Set(claims);
    } else {
      group.push(piece);
      for (const one of claims) claimed.add(one);
    }
  }
  return groups.map(packGroup);
};

/** A piece of a single write. */
export const piece = (table: string, text: Write['text']): Piece => ({ writes: [{ table, text }] });

/** Under which values of each index a record stands, as they are kept. */
export type StoredKeys = ReadonlyMap<string, readonly string[]>;

/** A record to be written. */
export type Written = {
  readonly id: string;
  /** Where it stands, or is to stand when it is not there yet. */
  readonly position: string;
  readonly json: string;
  readonly keys: StoredKeys;
};

const valuesOf = ({ keys }: Pick<Written, 'keys'>, index: string): readonly string[] => keys.get(index) ?? [];

/** Columns to what they say of a record. */
const columnsOf = ({ columns }: TableLayout, written: Pick<Written, 'keys'>) =>
  columns.map(({ index, column }) => ({ column, value: valuesOf(written, index)[0] ?? null }));

const insertText = ({ table }: TableLayout, { id, position, json }: Written) => {
  const fixed = [
    { column: 'id', value: id },
    { column: 'position', value: position },
    { column: 'doc', value: json },
  ];
  return (columns: ReturnType<typeof columnsOf>, place: Place): string => {
    const all = [...fixed, ...columns];
    return `insert into ${table} as t (${all.map(({ column }) => column).join(', ')}) values (${all.map(({ value }) => place(value)).join(', ')})`;
  };
};

/** Puts a record whose position is known under values of one index. */
const addWrite = (
  { table }: SideTable,
  { id, position }: Pick<Written, 'id' | 'position'>,
  values: readonly string[],
): Write => ({
  table,
  text: (place) => {
    const own = `${place(position)}, ${place(id)}`;
    return `insert into ${table} (value, position, id) values ${values.map((value) => `(${place(value)}, ${own})`).join(', ')}`;
  },
});

/** Writes a record that is known not to be there. */
export const insertRecord = (layout: TableLayout, written: Written): Piece => ({
  writes: [
    {
      table: layout.table,
      text: (place) =>
        insertText(layout, written)(
          columnsOf(layout, written).filter(({ value }) => value !== null),
          place,
        ),
    },
    ...layout.sides.flatMap((side) => {
      const values = valuesOf(written, side.index);
      return values.length === 0 ? [] : [addWrite(side, written, values)];
    }),
  ],
});

/** Writes a record that is there, and of its columns and values those that are others than before. */
export const updateRecord = (layout: TableLayout, written: Written, before: StoredKeys): readonly Piece[] => {
  const { table, sides } = layout;
  const earlier = columnsOf(layout, { keys: before });
  const changed = columnsOf(layout, written).filter(({ value }, at) => earlier[at]?.value !== value);
  const differences = sides.map((side) => {
    const [now, then] = [valuesOf(written, side.index), before.get(side.index) ?? []];
    return {
      side,
      gone: then.filter((value) => !now.includes(value)),
      added: now.filter((value) => !then.includes(value)),
    };
  });
  return [
    piece(
      table,
      (place) =>
        `update ${table} set version = version + 1, doc = ${place(written.json)}${changed.map(({ column, value }) => `, ${column} = ${place(value)}`).join('')} where id = ${place(written.id)}`,
    ),
    ...differences.flatMap(({ side, gone }) =>
      gone.length === 0
        ? []
        : [
            piece(
              side.table,
              (place) =>
                `delete from ${side.table} where position = ${place(written.position)} and value = any(${place(gone)}::text[])`,
            ),
          ],
    ),
    ...differences.flatMap(({ side, added }) =>
      added.length === 0 ? [] : [{ writes: [addWrite(side, written, added)] }],
    ),
  ];
};

/**
 * Writes a record that nobody has looked at; it keeps its position where it is there. To look would stand in the way of
 * all that comes beside it: a serialisable transaction that has read what is not there meets whoever writes beside it.
 */
export const upsertRecord = (layout: TableLayout, written: Written): Piece => {
  const { table, sides } = layout;
  const put: Write = {
    table,
    text: (place) => {
      const columns = columnsOf(layout, written);
      const updates = ['doc', ...columns.map(({ column }) => column)].map(
        (name) => `${name} = excluded.${name}`,
      );
      const text = `${insertText(layout, written)(columns, place)} on conflict (id) do update set version = t.version + 1, ${updates.join(', ')}`;
      return sides.length === 0 ? text : `${text} returning id, position, version`;
    },
  };
  if (sides.length === 0) return { writes: [put] };
  const adds = sides.flatMap(({ index, table: side }): Write[] => {
    const values = valuesOf(written, index);
    if (values.length === 0) return [];
    const text = (place: Place): string =>
      `insert into ${side} (value, position, id) select unnest(${place(values)}::text[]), position, id from ${PUT} on conflict (value, position) do nothing`;
    return [{ table: side, text }];
  });
  const ifThere = sides.map(({ index, table: side }) =>
    piece(
      side,
      (place) =>
        `delete from ${side} where id = ${place(written.id)} and not (value = any(${place(valuesOf(written, index))}::text[]))`,
    ),
  );
  return { writes: [put, ...adds], ifThere };
};

export const removeRecord = ({ table, sides }: TableLayout, id: string): readonly Piece[] =>
  [...sides.map((side) => side.table), table].map((from) =>
    piece(from, (place) => `delete from ${from} where id = ${place(id)}`),
  );

/** An entry of a log to be written. */
export type WrittenEntry = { readonly position: string; readonly json: string };

/** Entries that one statement writes. */
const ENTRIES_AT_ONCE = 100;

/** Adds entries to a log, in their order. */
export const appendEntries = (
  space: Namespace,
  log: Pick<Log, 'name'>,
  entries: readonly WrittenEntry[],
): readonly Piece[] => {
  const table = space.logTable(log);
  const chunks = Array.from({ length: Math.ceil(entries.length / ENTRIES_AT_ONCE) }, (_, at) =>
    entries.slice(at * ENTRIES_AT_ONCE, (at + 1) * ENTRIES_AT_ONCE),
  );
  return chunks.map((chunk) =>
    piece(
      table,
      (place) =>
        `insert into ${table} (position, entry) values ${chunk.map(({ position, json }) => `(${place(position)}, ${place(json)})`).join(', ')}`,
    ),
  );
};
