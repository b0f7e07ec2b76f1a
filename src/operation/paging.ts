/** Paging: the same two parameters and the same figures on every list. */
import { z } from 'zod';
import type { View } from './define.js';
import type { Collection, Query, RecordSchema, StoreReader } from './ports/store.js';

export const MAXIMUM_LIMIT = 100;

/** Input fields of a list that gives everything within the maximum by default. */
export const PageFields = {
  page: z.int().min(1).default(1).describe('From 1'),
  limit: z.int().min(1).max(MAXIMUM_LIMIT).default(MAXIMUM_LIMIT).describe('At most 100'),
};

/** {@link PageFields} with the default of 20. Source: docs/design/api.md. */
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

/** The figures of {@link PageReply}. */
export const figuresOf = (
  total: number,
  { page, limit }: Paging,
): z.output<z.ZodObject<typeof PageReply>> => {
  const totalPages = Math.ceil(total / limit);
  return { total, page, limit, totalPages, hasNextPage: page < totalPages, hasPreviousPage: page > 1 };
};

/** One page of a collection, with the figures of {@link PageReply}. */
export const pageOf = async <Schema extends RecordSchema, Index extends string>(
  store: StoreReader,
  collection: Collection<Schema, Index>,
  query: Omit<Query<z.output<Schema>, NoInfer<Index>>, 'offset' | 'limit'>,
  paging: Paging,
) => {
  const { page, limit } = paging;
  const { items, total } = await store.find(collection, { ...query, offset: (page - 1) * limit, limit });
  return { items, ...figuresOf(total, paging) };
};
