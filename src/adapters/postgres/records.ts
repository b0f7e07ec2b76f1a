/** All records of a collection as they are kept, page by page. */
import type { AnyCollection } from '../../operation/ports/store.js';
import type { Connections, DatabaseRow } from './connections.js';
import type { IndexColumn, Namespace } from './layout.js';
import { textOf } from './reader.js';

/** Records that are read in one go. */
export const RECORDS_AT_ONCE = 500;

/** Pages of rows, in order: `id`, `position`, `doc` as text, and the columns that are asked for by their names. */
export async function* rowsOf(
  connections: Pick<Connections, 'read'>,
  space: Namespace,
  collection: AnyCollection,
  columns: readonly IndexColumn[] = [],
): AsyncGenerator<readonly DatabaseRow[]> {
  const { table } = space.tableOf(collection);
  const names = ['id', 'position', 'doc::text as doc', ...columns.map(({ column }) => column)].join(', ');
  for (let after = ''; ;) {
    const page = await connections.read({
      text: `select ${names} from ${table} where position > $1 order by position limit ${RECORDS_AT_ONCE}`,
      values: [after],
    });
    if (page.length > 0) yield page;
    if (page.length < RECORDS_AT_ONCE) return;
    after = textOf(page.at(-1), 'position');
  }
}
