/** SQL, made of the layout of a collection. Values are always parameters. */
import type { AnyCollection, Query } from '../../operation/ports/store.js';
import type { Namespace, TableLayout } from './layout.js';
import { toKey } from './stored-text.js';

/** A statement and its parameters. */
export type Statement = { readonly text: string; readonly values: readonly unknown[] };

/** The records that a query is about: `from …` with its conditions, and where their positions are read. */
export type Selection = {
  readonly from: string;
  readonly values: readonly unknown[];
  readonly position: string;
};

const placeIn = (values: unknown[], value: unknown): string => `$${values.push(value)}`;

/** What the conditions of a query select. The first index of many values is what is walked. @throws Error for no such index */
export const selectionOf = (
  { table, columns, sides }: TableLayout,
  collection: AnyCollection,
  where: Query<unknown>['where'],
): Selection => {
  const values: unknown[] = [];
  const conditions: string[] = [];
  let walked: string | null = null;
  for (const [index, value] of Object.entries(where ?? {})) {
    if (value === undefined) continue;
    const column = columns.find((one) => one.index === index);
    const side = sides.find((one) => one.index === index);
    if (column === undefined && side === undefined)
      throw new Error(`the collection ${collection.name} has no index "${index}"`);
    const place = placeIn(values, toKey(value));
    if (column !== undefined) conditions.push(`t.${column.column} = ${place}`);
    else if (walked === null) {
      walked = side?.table ?? '';
      conditions.push(`s.value = ${place}`);
    } else
      conditions.push(
        `exists (select 1 from ${side?.table ?? ''} o where o.value = ${place} and o.position = s.position)`,
      );
  }
  const isOfTable = conditions.some((condition) => condition.startsWith('t.'));
  const tables =
    walked === null
      ? `${table} t`
      : `${walked} s${isOfTable ? ` join ${table} t on t.position = s.position` : ''}`;
  return {
    from: `${tables}${conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`}`,
    values,
    position: walked === null ? 't.position' : 's.position',
  };
};

/** Which part of a selection is read. */
export type Part = {
  readonly isNewest: boolean;
  readonly offset: number;
  /** Infinity: all. */
  readonly limit: number;
  /** Only what comes after this position, in the order asked for. */
  readonly after?: string;
  /** The total comes with each row as `count`, counted no further than that (null: all). */
  readonly counted?: number | null;
};

const withCondition = (from: string, condition: string): string =>
  `${from}${from.includes(' where ') ? ' and' : ' where'} ${condition}`;

/** The documents of a part, in order, each with its position. The index alone is walked to where the part begins. */
export const pageStatement = (
  { table }: TableLayout,
  { from, values: selected, position }: Selection,
  { isNewest, offset, limit, after, counted }: Part,
): Statement => {
  const values = [...selected];
  const order = isNewest ? 'desc' : 'asc';
  const part =
    after === undefined
      ? from
      : withCondition(from, `${position} ${isNewest ? '<' : '>'} ${placeIn(values, after)}`);
  const bounds = [
    ...(limit === Infinity ? [] : [`limit ${placeIn(values, limit)}`]),
    ...(offset === 0 ? [] : [`offset ${placeIn(values, offset)}`]),
  ].join(' ');
  const bound = counted === null ? '' : ` limit ${counted === undefined ? '' : placeIn(values, counted)}`;
  const count =
    counted === undefined ? '' : `, (select count(*) from (select 1 from ${from}${bound}) c) as count`;
  return {
    text: `select r.position, r.doc::text as doc${count} from (select ${position} as position from ${part} order by ${position} ${order} ${bounds}) p join ${table} r on r.position = p.position order by p.position ${order}`,
    values,
  };
};

/** How many a selection has; `most`: counted no further than that. */
export const countStatement = ({ from, values }: Selection, most: number | null): Statement =>
  most === null
    ? { text: `select count(*) as count from ${from}`, values }
    : {
        text: `select count(*) as count from (select 1 from ${from} limit $${values.length + 1}) c`,
        values: [...values, most],
      };

export const getStatement = ({ table }: TableLayout, id: string): Statement => ({
  text: `select doc::text as doc from ${table} where id = $1`,
  values: [toKey(id)],
});

export const getManyStatement = ({ table }: TableLayout, ids: readonly string[]): Statement => ({
  text: `select id, doc::text as doc from ${table} where id = any($1::text[])`,
  values: [ids.map(toKey)],
});

/** Under which values of each index a record stands, as they are kept. */
export type StoredKeys = ReadonlyMap<string, readonly string[]>;

/** A record to be written. */
export type Written = {
  readonly id: string;
  /** Where it stands when it is not there yet. */
  readonly position: string;
  readonly json: string;
  readonly keys: StoredKeys;
};

/** Puts a record in the place of the one of its id; it keeps its position. */
const upsertText = (
  { table, columns }: TableLayout,
  { id, position, json, keys }: Written,
  values: unknown[],
) => {
  const names = ['id', 'position', 'doc', ...columns.map(({ column }) => column)];
  const places = [id, position, json, ...columns.map(({ index }) => keys.get(index)?.[0] ?? null)].map(
    (value) => placeIn(values, value),
  );
  const updates = names.slice(2).map((name) => `${name} = excluded.${name}`);
  return `insert into ${table} as t (${names.join(', ')}) values (${places.join(', ')}) on conflict (id) do update set version = t.version + 1, ${updates.join(', ')}`;
};

/**
 * Writes a record and puts it under its values of the indexes that have tables of their own, in one statement. What it
 * stood under before and was not looked at is not looked at here either when the record is a new one: a serialisable
 * transaction would stand in the way of all that comes beside it.
 */
export const putStatement = (
  layout: TableLayout,
  written: Written,
  /** The values that it stood under; null: nobody has looked. */
  before: StoredKeys | null,
): Statement => {
  const values: unknown[] = [];
  const put = upsertText(layout, written, values);
  const steps = layout.sides.flatMap((side, at) => sideSteps(side, { written, before, at }, values));
  if (steps.length === 0) return { text: put, values };
  return {
    text: `with put as (${put} returning id, position, version), ${steps.join(', ')} select 1 from put`,
    values,
  };
};

type SidePut = { readonly written: Written; readonly before: StoredKeys | null; readonly at: number };

/** Steps of {@link putStatement}: what takes a record from under some values of an index, and puts it under others. */
const sideSteps = (
  { index, table: side }: TableLayout['sides'][number],
  { written, before, at }: SidePut,
  values: unknown[],
): readonly string[] => {
  const keys = written.keys.get(index) ?? [];
  const known = before?.get(index) ?? (before === null ? null : []);
  const added = keys.filter((value) => known?.includes(value) !== true);
  const hasGone = known === null || known.some((value) => !keys.includes(value));
  const isOlder = known === null ? ' and (select version from put) > 1' : '';
  return [
    ...(hasGone
      ? [
          `gone_${at} as (delete from ${side} where id = ${placeIn(values, written.id)} and not (value = any(${placeIn(values, keys)}::text[]))${isOlder})`,
        ]
      : []),
    ...(added.length === 0
      ? []
      : [
          `added_${at} as (insert into ${side} (value, position, id) select v.value, put.position, put.id from put cross join unnest(${placeIn(values, added)}::text[]) as v (value) on conflict (value, position) do nothing)`,
        ]),
  ];
};

/** Puts a record under its values of the indexes that have tables of their own. */
export const sideStatements = (
  { table, sides }: TableLayout,
  { id, keys }: Written,
  /** The values that it stood under; null: nobody has looked. */
  before: StoredKeys | null,
): readonly Statement[] =>
  sides.flatMap(({ index, table: side }) => {
    const values = keys.get(index) ?? [];
    const known = before?.get(index) ?? (before === null ? null : []);
    const added = values.filter((value) => known?.includes(value) !== true);
    const hasGone = known === null || known.some((value) => !values.includes(value));
    return [
      ...(hasGone
        ? [
            {
              text: `delete from ${side} where id = $1 and not (value = any($2::text[]))`,
              values: [id, values],
            },
          ]
        : []),
      ...(added.length === 0
        ? []
        : [
            {
              text: `insert into ${side} (value, position, id) select v.value, t.position, t.id from ${table} t cross join unnest($2::text[]) as v (value) where t.id = $1 on conflict (value, position) do nothing`,
              values: [id, added],
            },
          ]),
    ];
  });

export const removeStatements = ({ table, sides }: TableLayout, id: string): readonly Statement[] => [
  ...sides.map(({ table: side }) => ({ text: `delete from ${side} where id = $1`, values: [id] })),
  { text: `delete from ${table} where id = $1`, values: [id] },
];

/** The next number of a counter, taken at once and for good. */
export const counterStatement = ({ counters }: Namespace, counter: string, least: number): Statement => ({
  text: `insert into ${counters} as c (name, value) values ($1, $2) on conflict (name) do update set value = greatest(c.value + 1, $2) returning value`,
  values: [toKey(counter), least],
});
