/** The covenant records of a store, whatever their product. */
import type { StoreReader } from '../operation/ports/store.js';
import type { CovenantRecord, Deployable } from './deployable.js';

/** A covenant record and the product that knows it. */
export type KnownRecord = { readonly deployable: Deployable; readonly record: CovenantRecord };

/** All of them, product by product. */
export const eachRecord = async (
  deployables: readonly Deployable[],
  store: StoreReader,
  order: 'newest' | 'oldest' = 'newest',
): Promise<readonly KnownRecord[]> => {
  const found = deployables.map(async (deployable) =>
    (await store.find(deployable.collection, { order })).items.map((record: CovenantRecord) => ({
      deployable,
      record,
    })),
  );
  return (await Promise.all(found)).flat();
};

/** The one whose contract has this cash address, or null. */
export const recordAt = async (
  deployables: readonly Deployable[],
  store: StoreReader,
  contract: string,
): Promise<KnownRecord | null> => {
  for (const deployable of deployables) {
    const { items } = await store.find(deployable.collection, { where: { contract }, limit: 1 });
    const [record] = items as readonly CovenantRecord[];
    if (record !== undefined) return { deployable, record };
  }
  return null;
};
