/** SQL, made of the layout of a collection. Values are always parameters. */
import type { AnyCollection, Query } from '../../operation/ports/store.js';
import type { Namespace, SideTable, TableLayout } from './layout.js';
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
    text: `select r.id, r.position, r.doc::text as doc${count} from (select ${position} as position from ${part} order by ${position} ${order} ${bounds}) p join ${table} r on r.position = p.position order by p.position ${order}`,
    values,
  };
};

/** Pages of the same kind: the first records under one value each of a column. */
export type Pages = { readonly column: string; readonly isNewest: boolean; readonly limit: number };

/** The first records under each of some values as they are kept, in order, each with the place of its value as `at`. */
export const pagesStatement = (
  { table }: TableLayout,
  { column, isNewest, limit }: Pages,
  keys: readonly string[],
): Statement => {
  const order = isNewest ? 'desc' : 'asc';
  return {
    text: `select a.at, r.id, r.doc::text as doc from unnest($1::text[]) with ordinality a (value, at) cross join lateral (select t.id, t.position, t.doc from ${table} t where t.${column} = a.value order by t.position ${order} limit $2) r order by a.at, r.position ${order}`,
    values: [keys, limit],
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
  text: `select id, position, doc::text as doc from ${table} where id = $1`,
  values: [toKey(id)],
});

/** Records of some collections by their ids as they are kept, each with the number of its collection as `source`. */
export const getManyStatement = (
  asked: readonly { readonly layout: TableLayout; readonly ids: readonly string[] }[],
): Statement => ({
  text: asked
    .map(
      ({ layout }, at) =>
        `select ${at} as source, id, doc::text as doc from ${layout.table} where id = any($${at + 1}::text[])`,
    )
    .join(' union all '),
  values: asked.map(({ ids }) => ids),
});

/** Puts a record that is there under these values of one index, and under no others. */
export const sideStatements = (
  { table }: TableLayout,
  { table: side }: SideTable,
  { id, values }: { readonly id: string; readonly values: readonly string[] },
): readonly Statement[] => [
  { text: `delete from ${side} where id = $1 and not (value = any($2::text[]))`, values: [id, values] },
  {
    text: `insert into ${side} (value, position, id) select v.value, t.position, t.id from ${table} t cross join unnest($2::text[]) as v (value) where t.id = $1 on conflict (value, position) do nothing`,
    values: [id, values],
  },
];

/** The next number of a counter, taken at once and for good. */
export const counterStatement = ({ counters }: Namespace, counter: string, least: number): Statement => ({
  text: `insert into ${counters} as c (name, value) values ($1, $2) on conflict (name) do update set value = greatest(c.value + 1, $2) returning value`,
  values: [toKey(counter), least],
});
