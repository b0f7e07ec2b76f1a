/** Tables, columns and indexes, as the declarations of collections and logs ask for them. */
import type { AnyCollection, Log } from '../../operation/ports/store.js';

/** The version of the layout that this program writes. Raised whenever a test says that the layout is another. */
export const DATABASE_VERSION = 1;
/** The least version whose programs may write into a database of {@link DATABASE_VERSION}. */
export const OLDEST_WRITER = 1;

/** An index under at most one value of which a record stands: a column. */
export type IndexColumn = { readonly index: string; readonly column: string; readonly isUnique: boolean };
/** An index under whose many values a record may stand: a table of (value, position, id). */
export type SideTable = {
  readonly index: string;
  readonly table: string;
  readonly name: string;
  readonly isUnique: boolean;
};

/** Where a collection is kept. Names of tables are quoted and have their schema. */
export type TableLayout = {
  readonly table: string;
  readonly name: string;
  readonly columns: readonly IndexColumn[];
  readonly sides: readonly SideTable[];
};

/** Where everything of one network is kept. */
export type Namespace = {
  readonly name: string;
  readonly meta: string;
  readonly parts: string;
  readonly counters: string;
  readonly commits: string;
  readonly logs: string;
  readonly tableOf: (collection: AnyCollection) => TableLayout;
  readonly logTable: (log: Pick<Log, 'name'>) => string;
};

/** A name in quotes. Names come from declarations, not from people. @throws Error for one that is none */
export const quoted = (name: string): string => {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name)) throw new Error(`"${name}" is no name for a table or a column`);
  return `"${name}"`;
};

/** How an index is called in tables: one of another revision is another. */
const revised = (index: string, { revision = 1 }: AnyCollection): string =>
  revision === 1 ? index : `${index}_r${revision}`;

const layoutOf = (schema: string, collection: AnyCollection): TableLayout => {
  const { name, many = [], unique = [] } = collection;
  const indexes = Object.keys(collection.indexes);
  const at = (table: string): string => `${quoted(schema)}.${quoted(table)}`;
  return {
    table: at(name),
    name,
    columns: indexes
      .filter((index) => !many.includes(index))
      .map((index) => ({
        index,
        column: quoted(`i_${revised(index, collection)}`),
        isUnique: unique.includes(index),
      })),
    sides: many.map((index) => ({
      index,
      name: `${name}__${revised(index, collection)}`,
      table: at(`${name}__${revised(index, collection)}`),
      isUnique: unique.includes(index),
    })),
  };
};

/** The tables of a schema. */
export const namespaceOf = (schema: string): Namespace => {
  const layouts = new WeakMap<AnyCollection, TableLayout>();
  const at = (table: string): string => `${quoted(schema)}.${quoted(table)}`;
  return {
    name: schema,
    meta: at('treasury_schema'),
    parts: at('treasury_parts'),
    counters: at('treasury_counters'),
    commits: at('treasury_commits'),
    logs: at('treasury_logs'),
    tableOf: (collection) => {
      const known = layouts.get(collection) ?? layoutOf(schema, collection);
      layouts.set(collection, known);
      return known;
    },
    logTable: ({ name }) => at(`${name}_log`),
  };
};

/** The index that a broken constraint is of; null when it is none of the collection's. */
export const indexOfConstraint = (
  { name, columns, sides }: TableLayout,
  constraint: string,
): string | null => {
  const column = columns.find(({ column }) => constraint === uniqueName(name, column));
  return (column ?? sides.find((side) => constraint === `${side.name}_unique`))?.index ?? null;
};

/** The name of the constraint that a unique column has. */
const uniqueName = (table: string, column: string): string => `${table}_unique_${column.slice(1, -1)}`;

const KEY = 'text collate "C"';

/** A piece of a layout: its name, what makes it, and the index that is to be worked out for what is there already. */
export type Part = { readonly name: string; readonly make: readonly string[]; readonly fills: string | null };

/** What the whole schema has, beside collections and logs. */
export const basis = (space: Namespace): readonly string[] => [
  `create schema if not exists ${quoted(space.name)}`,
  `create table if not exists ${space.meta} (one integer primary key check (one = 1), version integer not null, oldest_writer integer not null)`,
  `create table if not exists ${space.parts} (name text primary key)`,
  `create table if not exists ${space.counters} (name ${KEY} primary key, value bigint not null)`,
  `create table if not exists ${space.commits} (id ${KEY} primary key, at timestamptz not null default now())`,
  `create index if not exists treasury_commits_by_at on ${space.commits} (at)`,
  `create table if not exists ${space.logs} (name text primary key, last bigint not null)`,
];

/** The parts of a collection. */
export const partsOf = (space: Namespace, collection: AnyCollection): readonly Part[] => {
  const { table, name, columns, sides } = space.tableOf(collection);
  return [
    {
      name,
      make: [
        `create table if not exists ${table} (id ${KEY} primary key, position ${KEY} not null unique, version integer not null default 1, doc jsonb not null)`,
      ],
      fills: null,
    },
    ...columns.map(({ index, column, isUnique }) => ({
      name: `${name}.${column.slice(1, -1)}`,
      make: [
        `alter table ${table} add column if not exists ${column} ${KEY}`,
        isUnique
          ? `create unique index if not exists ${quoted(uniqueName(name, column))} on ${table} (${column})`
          : `create index if not exists ${quoted(`${name}_by_${column.slice(1, -1)}`)} on ${table} (${column}, position)`,
      ],
      fills: index,
    })),
    ...sides.map((side) => ({
      name: side.name,
      make: [
        `create table if not exists ${side.table} (value ${KEY} not null, position ${KEY} not null, id ${KEY} not null, primary key (value, position))`,
        `create index if not exists ${quoted(`${side.name}_by_id`)} on ${side.table} (id)`,
        ...(side.isUnique
          ? [`create unique index if not exists ${quoted(`${side.name}_unique`)} on ${side.table} (value)`]
          : []),
      ],
      fills: side.index,
    })),
  ];
};

/** The part of a log. Entries of a commit have no sequence until somebody numbers them. */
export const partOfLog = (space: Namespace, log: Pick<Log, 'name'>): Part => ({
  name: `${log.name}_log`,
  make: [
    `create table if not exists ${space.logTable(log)} (position ${KEY} primary key, sequence bigint unique, entry jsonb not null)`,
    `create index if not exists ${quoted(`${log.name}_log_unnumbered`)} on ${space.logTable(log)} (position) where sequence is null`,
    `insert into ${space.logs} (name, last) values ('${log.name}', 0) on conflict do nothing`,
  ],
  fills: null,
});
