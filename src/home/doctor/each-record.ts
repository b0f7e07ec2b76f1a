/** Every covenant record of the store, with the product that knows it. */
import type { CovenantRecord, Deployable } from '../../record/deployable.js';
import type { StoreReader } from '../../operation/ports/store.js';

export type KnownRecord = { readonly deployable: Deployable; readonly record: CovenantRecord };

const EVERY = Number.MAX_SAFE_INTEGER;

/** All of them, product by product, newest first. */
export const eachRecord = async (
  deployables: readonly Deployable[],
  store: StoreReader,
): Promise<readonly KnownRecord[]> =>
  (
    await Promise.all(
      deployables.map(async (deployable) =>
        (await store.find(deployable.collection, { limit: EVERY })).items.map((record) => ({
          deployable,
          record: record as CovenantRecord,
        })),
      ),
    )
  ).flat();
