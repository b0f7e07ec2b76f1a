/** Short lists by one value each that are asked for in one turn of the program: one statement asks for all of a kind. */
import type { AnyCollection, Page, Query } from '../../operation/ports/store.js';
import type { DatabaseRow } from './connections.js';
import type { Getting } from './gets.js';
import { inOneTurn } from './one-turn.js';
import { readDocument } from './reader.js';
import { pagesStatement, type Pages } from './statements.js';
import { toKey } from './stored-text.js';

type Kind = Pages & { readonly collection: AnyCollection };
type Asked = {
  readonly key: string;
  readonly settle: (page: Page<unknown>) => void;
  readonly fail: (error: unknown) => void;
};
type Batch = { readonly kind: Kind; readonly asked: Asked[] };

/** Which page of which kind a query asks for; null for one that is asked for alone. */
const kindOf = (
  { space }: Getting,
  collection: AnyCollection,
  { where = {}, filter, order = 'newest', offset = 0, limit = Infinity, isCounted }: Query<unknown>,
): { readonly kind: Kind; readonly key: string } | null => {
  const [first, ...others] = Object.entries(where).filter(([, value]) => value !== undefined);
  if (isCounted !== false || filter !== undefined || offset > 0 || limit === Infinity) return null;
  if (first === undefined || others.length > 0) return null;
  const [index, value = ''] = first;
  const column = space.tableOf(collection).columns.find((one) => one.index === index)?.column;
  if (column === undefined) return null;
  return { kind: { collection, column, isNewest: order === 'newest', limit }, key: toKey(value) };
};

const answerAll = async (getting: Getting, { kind, asked }: Batch): Promise<void> => {
  const { collection } = kind;
  const keys = asked.map(({ key }) => key);
  const rows = await getting.run(pagesStatement(getting.space.tableOf(collection), kind, keys));
  const byAsked = asked.map((): DatabaseRow[] => []);
  for (const row of rows) byAsked[Number(row['at']) - 1]?.push(row);
  for (const [at, { settle, fail }] of asked.entries()) {
    try {
      const items = (byAsked[at] ?? []).map((row) => readDocument(getting, collection, row).record);
      settle({ items, total: items.length });
    } catch (error) {
      // One that is damaged is no fault of the others.
      fail(getting.explain(error));
    }
  }
};

/** @returns what answers a query together with others of its turn; null where it is to be asked for alone */
export const createPages = (getting: Getting) => {
  const batchOf = inOneTurn<string, Batch>((batches) => {
    for (const batch of batches.values())
      answerAll(getting, batch).catch((error: unknown) => {
        const explained = getting.explain(error);
        for (const { fail } of batch.asked) fail(explained);
      });
  });
  return (collection: AnyCollection, query: Query<unknown>): Promise<Page<unknown>> | null => {
    const found = kindOf(getting, collection, query);
    if (found === null) return null;
    const { kind, key } = found;
    const name = [collection.name, kind.column, kind.isNewest, kind.limit].join(' ');
    const batch = batchOf(name, () => ({ kind, asked: [] }));
    return new Promise((settle, fail) => {
      batch.asked.push({ key, settle, fail });
    });
  };
};
