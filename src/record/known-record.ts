/** The covenant records of a store, whatever their product. */
import { setImmediate as breathe } from 'node:timers/promises';
import { NETWORKS, type Network } from '../bch/network.js';
import type { StoreReader } from '../operation/ports/store.js';
import type { CovenantRecord, Deployable } from './deployable.js';
import { normaliseLabel } from './labels.js';

/** A covenant record and the product that knows it. */
export type KnownRecord = { readonly deployable: Deployable; readonly record: CovenantRecord };

/** Records that are read in one go: between two pages a service answers. */
const PAGE = 500;

/** All records of a product, the oldest first: new ones come behind those that were read. */
const recordsOf = async (
  { collection }: Deployable,
  store: StoreReader,
): Promise<readonly CovenantRecord[]> => {
  const all: CovenantRecord[] = [];
  for (;;) {
    const { items } = await store.find(collection, { order: 'oldest', offset: all.length, limit: PAGE });
    all.push(...(items as readonly CovenantRecord[]));
    if (items.length < PAGE) return all;
    await breathe();
  }
};

/** All of them, product by product. */
export const eachRecord = async (
  deployables: readonly Deployable[],
  store: StoreReader,
  order: 'newest' | 'oldest' = 'newest',
): Promise<readonly KnownRecord[]> => {
  const found = deployables.map(async (deployable) => {
    const all = await recordsOf(deployable, store);
    const known = all.map((record) => ({ deployable, record }));
    return order === 'oldest' ? known : known.reverse();
  });
  return (await Promise.all(found)).flat();
};

/** Those that a name may mean: a label, an id or a contract address, in whatever case. Where it can, it looks them up. */
export const recordsNamed = async (
  name: string,
  deployables: readonly Deployable[],
  { store, network }: { readonly store: StoreReader; readonly network: Network },
): Promise<readonly KnownRecord[]> => {
  const isNamed = ({ deployable, record }: KnownRecord): boolean => {
    const { contract_address: address } = record;
    const labels = [deployable.label(record), ...deployable.otherNames(record)].map((one) =>
      one.toUpperCase(),
    );
    return (
      [name.toUpperCase(), normaliseLabel(name)].some((written) => labels.includes(written)) ||
      record.id === name.toLowerCase() ||
      [address, address.split(':')[1]].includes(name.toLowerCase())
    );
  };
  const candidates = async (deployable: Deployable): Promise<readonly CovenantRecord[]> => {
    const { collection, labelKind } = deployable;
    // What has a name of its own is not found by a number.
    const isCounted = labelKind !== null && Object.hasOwn(collection.indexes, 'label');
    if (!isCounted) return recordsOf(deployable, store);
    const address = name.toLowerCase();
    const wheres = [
      { label: name.toUpperCase() },
      { label: normaliseLabel(name) },
      { contract: address },
      { contract: `${NETWORKS[network].prefix}:${address}` },
    ];
    const pages = await Promise.all(wheres.map((where) => store.find(collection, { where })));
    const byId = (await store.get(collection, address)) as CovenantRecord | null;
    const found = pages.flatMap(({ items }) => items as readonly CovenantRecord[]);
    return [...new Set(byId === null ? found : [...found, byId])];
  };
  const found = deployables.map(async (deployable) =>
    (await candidates(deployable)).map((record) => ({ deployable, record })),
  );
  return (await Promise.all(found)).flat().filter(isNamed);
};

/** The one whose contract has this cash address, or null. */
export const recordAt = async (
  deployables: readonly Deployable[],
  store: StoreReader,
  contract: string,
): Promise<KnownRecord | null> => {
  for (const deployable of deployables) {
    const { items } = await store.find(deployable.collection, {
      where: { contract },
      limit: 1,
      isCounted: false,
    });
    const [record] = items as readonly CovenantRecord[];
    if (record !== undefined) return { deployable, record };
  }
  return null;
};
