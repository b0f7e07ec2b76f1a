/** Reading records: by their id, and by what they are found by. */
import { TreasuryError } from '../../errors.js';
import type { AnyCollection, Page, Query, StoreReader } from '../../operation/ports/store.js';
import { describeProblem, type ReadRow } from '../store/record-row.js';
import type { DatabaseRow } from './connections.js';
import type { Rows } from './kept-rows.js';
import { countOf, type Totals } from './totals.js';
import type { Namespace } from './layout.js';
import {
  countStatement,
  getStatement,
  pageStatement,
  selectionOf,
  type Part,
  type Selection,
  type Statement,
} from './statements.js';
import { fromStoredJson } from './stored-text.js';

/** What reading stands on. */
export type Reading = {
  readonly space: Namespace;
  readonly rows: Rows;
  readonly run: (statement: Statement) => Promise<readonly DatabaseRow[]>;
  readonly totals: Totals;
  /** For people: the database without its password. */
  readonly shown: string;
};

/** A column as text; empty where there is none. */
export const textOf = (row: DatabaseRow | undefined, name: string): string => {
  const value = row?.[name];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
};

/** The record of a row with its `id` and `doc`. @throws store_damaged */
export const readDocument = (
  { rows, shown }: Pick<Reading, 'rows' | 'shown'>,
  collection: AnyCollection,
  row: DatabaseRow,
  isOneOfMany = true,
): ReadRow => {
  const text = fromStoredJson(textOf(row, 'doc'));
  try {
    return rows.read(collection, { id: textOf(row, 'id'), text, isOneOfMany });
  } catch (error) {
    const { id } = JSON.parse(text) as { readonly id: string };
    const where = `${collection.name} "${id}" (${describeProblem(error)})`;
    const remedy = 'run `treasury database check`, or put the database back from a backup';
    throw new TreasuryError('store_damaged', { file: shown, where, remedy }, { cause: error });
  }
};

/** A record that is there, and where. */
export type Found = { readonly row: ReadRow; readonly position: string };

/** A record by its id; null when there is none. @throws store_damaged */
export const getFound = async (
  reading: Reading,
  collection: AnyCollection,
  id: string,
): Promise<Found | null> => {
  const [found] = await reading.run(getStatement(reading.space.tableOf(collection), id));
  if (found === undefined) return null;
  return { row: readDocument(reading, collection, found), position: textOf(found, 'position') };
};

/** Records that are read in one go where a filter looks at all. */
const CHUNK = 500;

/** Every row of a selection, in order. */
async function* walk(
  reading: Reading,
  collection: AnyCollection,
  { selection, isNewest }: Sought,
): AsyncGenerator<ReadRow> {
  const layout = reading.space.tableOf(collection);
  for (let after: string | undefined; ;) {
    const part: Part = { isNewest, offset: 0, limit: CHUNK, ...(after === undefined ? {} : { after }) };
    const found = await reading.run(pageStatement(layout, selection, part));
    for (const row of found) yield readDocument(reading, collection, row);
    const last = found.at(-1);
    if (last === undefined || found.length < CHUNK) return;
    after = textOf(last, 'position');
  }
}

type Sought = { readonly selection: Selection; readonly isNewest: boolean };
type Asked = { readonly offset: number; readonly limit: number; readonly isCounted: boolean };

const filtered = async (
  rows: AsyncGenerator<ReadRow>,
  filter: (record: unknown) => boolean,
  { offset, limit }: Asked,
): Promise<Page<unknown>> => {
  const items: unknown[] = [];
  let total = 0;
  for await (const { record } of rows) {
    if (!filter(record)) continue;
    if (total >= offset && items.length < limit) items.push(record);
    total += 1;
  }
  return { items, total };
};

const paged = async (
  reading: Reading,
  collection: AnyCollection,
  { selection, isNewest }: Sought,
  { offset, limit, isCounted }: Asked,
): Promise<Page<unknown>> => {
  const { totals, run } = reading;
  if (!isCounted) {
    const part = { isNewest, offset, limit };
    const found = await run(pageStatement(reading.space.tableOf(collection), selection, part));
    const items = found.map((row) => readDocument(reading, collection, row).record);
    return { items, total: offset + items.length };
  }
  const countAll = () => run(countStatement(selection, null));
  const kept = totals.kept(selection, countAll);
  // It may fail while the page is read.
  kept?.catch(() => undefined);
  const totalOf = (rows: readonly DatabaseRow[]) => kept ?? totals.of(selection, countOf(rows), countAll);
  if (limit === 0)
    return { items: [], total: await (kept ?? totalOf(await run(countStatement(selection, totals.most)))) };
  const part = {
    isNewest,
    offset,
    limit,
    ...(kept === null && limit < Infinity ? { counted: totals.most } : {}),
  };
  const found = await run(pageStatement(reading.space.tableOf(collection), selection, part));
  const items = found.map((row) => readDocument(reading, collection, row).record);
  // A page that is not full is the last one.
  if (found.length < limit && (found.length > 0 || offset === 0))
    return { items, total: offset + found.length };
  const counted = found.length > 0 ? found : await run(countStatement(selection, totals.most));
  return { items, total: await totalOf(counted) };
};

const findRecords = (
  reading: Reading,
  collection: AnyCollection,
  { where, filter, order = 'newest', offset = 0, limit = Infinity, isCounted = true }: Query<unknown>,
): Promise<Page<unknown>> => {
  const sought: Sought = {
    selection: selectionOf(reading.space.tableOf(collection), collection, where),
    isNewest: order === 'newest',
  };
  return filter === undefined
    ? paged(reading, collection, sought, { offset, limit, isCounted })
    : filtered(walk(reading, collection, sought), filter, { offset, limit, isCounted });
};

/** Reads of whatever `reading` runs statements on. */
export const recordReader = (reading: Reading): Pick<StoreReader, 'find'> => ({
  // The port promises each collection's own type: that is what the collection's schema decodes.
  find: async (collection, query = {}) =>
    (await findRecords(reading, collection, query as Query<unknown>)) as never,
});
