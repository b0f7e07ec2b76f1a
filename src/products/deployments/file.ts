/** The file of `deployments export`: what the chain alone cannot give, so that anybody can verify without this store. */
import { z } from 'zod';
import { networkNames, type Network } from '../../bch/network.js';
import { TreasuryError, type Issue } from '../../errors.js';
import type { AnyCollection, Query, StorePort, StoreReader } from '../../operation/ports/store.js';
import type { Registered } from './deployments.js';

/** Records as they stand in JSON, each under the name of its collection. */
export const DeploymentsFile = z.object({
  format: z.literal('treasury-deployments'),
  version: z.literal(1),
  network: z.enum(networkNames),
  records: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
});
export type DeploymentsFile = z.output<typeof DeploymentsFile>;

/** A record of whatever kind. */
export type AnyRecord = { readonly id: string };

/** A kind of record that a file keeps, and how: covenant records as they stand, since the audit compares them. */
type Kept = { readonly collection: AnyCollection; readonly pack: (record: AnyRecord) => AnyRecord | null };

const keptBy = ({ deployables, keptRecords }: Registered): readonly Kept[] => [
  ...deployables.map(({ collection }) => ({ collection, pack: (record: AnyRecord) => record })),
  ...keptRecords,
];

/** The deployments of a store as a file. */
export const writeFile = async (
  registered: Registered,
  store: StoreReader,
  network: Network,
): Promise<DeploymentsFile> => ({
  format: 'treasury-deployments',
  version: 1,
  network,
  records: Object.fromEntries(
    await Promise.all(
      keptBy(registered).map(async ({ collection, pack }) => {
        const { items } = await store.find(collection, { order: 'oldest' });
        const packed = items.flatMap((record) => pack(record as AnyRecord) ?? []);
        const encode = (record: AnyRecord) => z.encode(collection.schema as z.ZodType, record);
        return [collection.name, packed.map((one) => encode(one) as Record<string, unknown>)] as const;
      }),
    ),
  ),
});

/** `invalid_file` for a file of deployments. */
export const badFile = (reason: string, issues: readonly Issue[] = []): TreasuryError =>
  new TreasuryError('invalid_file', { file: 'the file of deployments', reason, issues });

/** The records of one kind in a file, in its order. @throws invalid_file when one is none of its kind */
export const readRecords = (file: DeploymentsFile, collection: AnyCollection): readonly AnyRecord[] =>
  (file.records[collection.name] ?? []).map((record, index) => {
    const decoded = z.safeDecode(collection.schema as z.ZodType, record);
    if (decoded.success) return decoded.data as AnyRecord;
    const [issue] = decoded.error.issues;
    throw badFile(`${collection.name}.${index}.${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  });

const matches = (collection: AnyCollection, record: AnyRecord, where: Query<never>['where']): boolean =>
  Object.entries(where ?? {}).every(([index, value = '']) =>
    [collection.indexes[index]?.(record) ?? []].flat().includes(value),
  );

/** Records by the names of their collections, in the order in which they were put, as a store reads them. */
export const readerOfRecords = (records: ReadonlyMap<string, readonly AnyRecord[]>): StoreReader => {
  const find = (collection: AnyCollection, query: Query<AnyRecord> = {}) => {
    const { where, filter, order = 'newest', offset = 0, limit = Infinity } = query;
    const found = (records.get(collection.name) ?? []).filter(
      (record) => matches(collection, record, where) && (filter?.(record) ?? true),
    );
    const ordered = order === 'newest' ? [...found].reverse() : found;
    return Promise.resolve({ items: ordered.slice(offset, offset + limit), total: found.length });
  };
  const byId = new Map(
    [...records].map(([name, list]) => [name, new Map(list.map((record) => [record.id, record]))]),
  );
  const get = (collection: AnyCollection, id: string) =>
    Promise.resolve(byId.get(collection.name)?.get(id) ?? null);
  const readLog = () => Promise.resolve({ entries: [], last: 0 });
  return { get, find, readLog } as unknown as StoreReader;
};

const refuse = () => Promise.reject(new Error('a file of deployments cannot be written to'));

/**
 * The records of a file as a store that can only be read.
 *
 * @throws invalid_file when a record is none of its kind
 */
export const storeOfFile = (file: DeploymentsFile, registered: Registered): StorePort => {
  const records = new Map(
    keptBy(registered).map(({ collection }) => [collection.name, readRecords(file, collection)]),
  );
  const reader = readerOfRecords(records);
  const done = () => Promise.resolve();
  const time = () => Promise.resolve(0);
  return { ...reader, time, isShared: false, refresh: done, transaction: refuse, probe: refuse, close: done };
};

/** @throws network_mismatch */
export const checkNetwork = ({ network: found }: DeploymentsFile, expected: Network): void => {
  if (found !== expected) throw new TreasuryError('network_mismatch', { found, expected });
};
