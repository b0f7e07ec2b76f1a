/** Streams that ended, many times over: written by the database itself, from some that the program wrote. */
import type pg from 'pg';
import type { Namespace } from '../../src/adapters/postgres/layout.js';
import type { AnyCollection } from '../../src/operation/ports/store.js';
import { activityCollection, streamCollection } from '../../src/products/streams/index.js';
import { eventLog } from '../../src/record/event-log.js';
import { eventCollection } from '../../src/record/events.js';

/** What differs between two streams that ended, and in all that is written of them; the id of its event and of its line. */
const NAMES = ['id', 'label', 'hash', 'event', 'told'] as const;

/** A text of a stream, as it reads of its copy. */
const renamed = (text: string): string =>
  NAMES.reduce((inner, name) => `replace(${inner}, c.${name}, c.new_${name})`, text);

/** Hex digits of the time that a position begins with: the rest of it tells apart what one stream wrote. */
const TIME = 14;
const positionOf = (from: string): string => `c.time || substr(${from}.position, ${TIME + 1})`;

const hex = (number: string, digits: number): string => `lpad(to_hex(${number}), ${digits}, '0')`;

/** Which streams are written: by number; of those that are there, none. */
export type Multiplied = {
  readonly from: number;
  readonly to: number;
  /** Positions begin with it and the number of the stream, microseconds since 1970. */
  readonly began: number;
  /** The sequence of the newest line of the log. */
  readonly last: number;
};

/** The names of each copy, and of its model. */
const tableOfCopies = (space: Namespace, { from, to, began }: Multiplied): string => `
  create temporary table copies as
  with models as (
    select s.id, s.doc->>'stream_id' as label, s.doc->>'tx_hash' as hash, e.id as event,
      e.doc->'told'->0->>'id' as told, row_number() over (order by s.position) - 1 as at
    from ${space.tableOf(streamCollection).table} s
    join ${space.tableOf(eventCollection).table} e on e.doc->>'entity_id' = s.id
    where s.doc->>'status' = 'COMPLETED' and substr(s.id, 1, 8) >= ${hex(String(from), 8)}
  ), numbers as (
    select i from generate_series(${from}, ${to - 1}) i
    where not exists (select 1 from ${space.tableOf(streamCollection).table} s
      where s.id = ${hex('i', 8)} || '-0000-4000-8000-' || ${hex('i::bigint * 7', 12)})
  )
  select i, m.id, m.label, m.hash, m.event, m.told,
    ${hex('i', 8)} || '-0000-4000-8000-' || ${hex('i::bigint * 7', 12)} as new_id,
    '#STREAM-' || lpad((i + 1)::text, greatest(4, length((i + 1)::text)), '0') as new_label,
    ${hex('i', 64)} as new_hash,
    ${hex('i', 8)} || substr(m.event, 9) as new_event,
    substr(m.told, 1, 24) || ${hex('i', 12)} as new_told,
    ${hex(`${began} + i`, TIME)} as time
  from numbers join models m on m.at = (i::bigint * 7919) % (select count(*) from models)
  order by i`;

/** Copies the rows of a collection, and those of the tables beside it. `name`: by which of its names a row is found. */
const copyRows = (
  space: Namespace,
  collection: AnyCollection,
  name: (typeof NAMES)[number],
): readonly string[] => {
  const { table, columns, sides } = space.tableOf(collection);
  const own = columns.map(({ column }) => column);
  return [
    `insert into ${table} (${['id', 'position', 'doc', ...own].join(', ')})
    select c.new_${name}, ${positionOf('t')}, ${renamed('t.doc::text')}::jsonb${own.map((column) => `, ${renamed(`t.${column}`)}`).join('')}
    from copies c join ${table} t on t.id = c.${name} order by c.i`,
    ...sides.map(
      (side) =>
        `insert into ${side.table} (value, position, id) select s.value, ${positionOf('s')}, c.new_${name}
        from copies c join ${side.table} s on s.id = c.${name} order by s.value, c.i`,
    ),
  ];
};

const copyLines = (space: Namespace, { last }: Multiplied): readonly string[] => [
  `insert into ${space.logTable(eventLog)} (position, sequence, entry)
  select ${positionOf('l')}, ${last} + row_number() over (order by c.i), ${renamed('l.entry::text')}::jsonb
  from copies c join ${space.logTable(eventLog)} l on l.entry->>'id' = c.told order by c.i`,
  `update ${space.logs} set last = (select max(sequence) from ${space.logTable(eventLog)}) where name = '${eventLog.name}'`,
];

/**
 * Writes all streams of the numbers that are not there, with an event, a row of the activity feed and a line of the log
 * each, like those that ended and are there. All differ in their ids, labels, hashes and positions, and share parties.
 */
export const multiplyStreams = async (
  client: pg.Client,
  space: Namespace,
  multiplied: Multiplied,
): Promise<void> => {
  const statements = [
    `set work_mem = '256MB'`,
    tableOfCopies(space, multiplied),
    'analyze copies',
    ...copyRows(space, streamCollection, 'id'),
    ...copyRows(space, eventCollection, 'event'),
    ...copyRows(space, activityCollection, 'event'),
    ...copyLines(space, multiplied),
    'drop table copies',
  ];
  for (const text of statements) {
    const from = performance.now();
    await client.query(text);
    if (process.env['BENCH_SAY'] !== undefined)
      console.error(`${Math.round(performance.now() - from)} ms: ${text.trim().slice(0, 60)}`);
  }
};
