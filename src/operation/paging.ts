/** Paging: the same two parameters and the same figures on every list. */
import { z } from 'zod';
import type { View } from './define.js';
import type { Collection, Query, RecordOf, StoreReader } from './ports/store.js';

export const MAXIMUM_LIMIT = 100;

/** Input fields of a list that gives everything within the maximum by default. */
export const PageFields = {
  page: z.int().min(1).default(1).describe('From 1'),
  limit: z.int().min(1).max(MAXIMUM_LIMIT).default(MAXIMUM_LIMIT).describe('At most 100'),
};

/** {@link PageFields} with the default of 20. Source: specification, Limits. */
export const ShortPageFields = { ...PageFields, limit: PageFields.limit.default(20) };

/** Reply fields of a list. */
export const PageReply = {
  total: z.number(),
  page: z.number(),
  limit: z.number(),
  totalPages: z.number(),
  hasNextPage: z.boolean(),
  hasPreviousPage: z.boolean(),
};

export type Paging = { readonly page: number; readonly limit: number };

/** A page of a list says which part it shows; nothing where it shows all. */
export const viewPart = (shown: number, total: number): View =>
  total > shown ? [{ kind: 'text', text: `${shown} of ${total}; --page 2 shows more.` }] : [];

type Where = Readonly<Record<string, string | undefined>>;

/** One page of a collection, with the figures of {@link PageReply}; what `where` leaves undefined is any. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export const pageOf = <C extends Collection<any>>(
  store: StoreReader,
  collection: C,
  {
    where = {},
    ...query
  }: Omit<Query<RecordOf<C>>, 'offset' | 'limit' | 'where'> & { readonly where?: Where },
  { page, limit }: Paging,
) => {
  const given = Object.entries(where).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const part = { where: Object.fromEntries(given), offset: (page - 1) * limit, limit };
  const { items, total } = store.find(collection, { ...query, ...part });
  const totalPages = Math.ceil(total / limit);
  return { items, total, page, limit, totalPages, hasNextPage: page < totalPages, hasPreviousPage: page > 1 };
};
