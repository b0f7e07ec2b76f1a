/** Finding a record by its id or by its label. */
import type { z } from 'zod';
import { TreasuryError, type ErrorCode, type ErrorDetails } from '../errors.js';
import { normaliseLabel } from './labels.js';
import type { Collection, RecordSchema, StoreReader } from '../operation/ports/store.js';

/** Codes that say only which id was not found. */
export type NotFound = {
  [Code in ErrorCode]: Code extends `${string}_not_found`
    ? { id: string } extends ErrorDetails<Code>
      ? Code
      : never
    : never;
}[ErrorCode];

/**
 * The record of a collection whose id, or whose value in the index `label`, is `id`.
 *
 * @throws the given `_not_found` code
 */
export const findRecord = async <Schema extends RecordSchema>(
  store: StoreReader,
  collection: Collection<Schema, 'label'>,
  id: string,
  notFound: NotFound,
): Promise<z.output<Schema>> => {
  const where = { label: normaliseLabel(id) };
  const found =
    (await store.get(collection, id)) ??
    (await store.find(collection, { where, limit: 1, isCounted: false })).items[0];
  if (found === undefined) throw new TreasuryError(notFound, { id });
  return found;
};
