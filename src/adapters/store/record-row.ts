/** A record in its two forms: as it stands on disk and as the program sees it. */
import { z } from 'zod';
import type { Collection } from '../../operation/ports/store.js';

/** A record as it stands on disk: what the collection's schema encodes to. */
export type RawRecord = { readonly id: string } & Readonly<Record<string, unknown>>;

export type Row = {
  /** The encoded side, plain JSON. */
  readonly raw: RawRecord;
  /** The decoded side, deeply frozen. */
  readonly record: { readonly id: string };
  /** Under which values of each index it stands. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
};

/** Freezes what can be frozen: the elements of a typed array cannot. */
const freezeDeep = (value: unknown): void => {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value))
    return;
  Object.freeze(value);
  for (const child of Object.values(value)) freezeDeep(child);
};

const keysOf = (collection: Collection, record: { readonly id: string }): Row['keys'] =>
  Object.fromEntries(
    Object.entries(collection.indexes).map(([name, valuesOf]) => {
      const values = valuesOf(record) ?? [];
      return [name, typeof values === 'string' ? [values] : [...new Set(values)]];
    }),
  );

/**
 * The row of a record found on disk. Without a collection (this version does not know it) it is kept as it is.
 * @throws ZodError when the record does not validate
 */
export const rowFromDisk = (collection: Collection | null, raw: RawRecord): Row => {
  if (collection === null) return { raw, record: raw, keys: {} };
  const record = z.decode(collection.schema, raw);
  freezeDeep(record);
  return { raw, record, keys: keysOf(collection, record) };
};

/** What is wrong with a record, in one line: `totalAmount: Invalid input: expected bigint`. */
export const describeProblem = (error: unknown): string => {
  if (error instanceof z.ZodError) {
    return error.issues
      .map(({ path, message }) => `${path.join('.') || 'the record'}: ${message}`)
      .join('; ');
  }
  return error instanceof Error ? error.message : String(error);
};

/**
 * The row of a record to be put: encoded, written as JSON and read back, so that memory holds exactly what a
 * reload would give, and nothing that the caller can still change.
 * @throws Error naming collection, id and issue when the record does not validate: a defect of the caller
 */
export const rowToPut = (collection: Collection, record: { readonly id: string }): Row => {
  try {
    const encoded: unknown = z.encode(collection.schema, record);
    return rowFromDisk(collection, JSON.parse(JSON.stringify(encoded)) as RawRecord);
  } catch (error) {
    throw new Error(`${collection.name} "${record.id}" cannot be stored: ${describeProblem(error)}`, {
      cause: error,
    });
  }
};
