/** The deployments of the store: every covenant record of every product, whatever its kind. */
import type { Address } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { KeptRecord } from '../../record/kept-record.js';
import type { CovenantRecord, Deployable } from '../../record/deployable.js';
import type { StoreReader } from '../../operation/ports/store.js';
import type { Sight } from '../vaults/index.js';

/** What the registry is made for: the covenant products, and what else of their records the chain cannot give. */
export type Registered = {
  readonly deployables: readonly Deployable[];
  readonly keptRecords: readonly KeptRecord[];
};

/** A covenant record and the product that knows it. */
export type Deployment = { readonly deployable: Deployable; readonly record: CovenantRecord };

const EVERY = Number.MAX_SAFE_INTEGER;

/** Every deployment, newest first. */
export const allDeployments = async (
  deployables: readonly Deployable[],
  store: StoreReader,
): Promise<readonly Deployment[]> =>
  (
    await Promise.all(
      deployables.map(async (deployable) =>
        (await store.find(deployable.collection, { limit: EVERY })).items.map((record) => ({
          deployable,
          record: record as CovenantRecord,
        })),
      ),
    )
  )
    .flat()
    .sort((a, b) => b.record.created_at - a.record.created_at);

/** The deployment at an address, or null. */
export const findDeployment = async (
  deployables: readonly Deployable[],
  store: StoreReader,
  { text }: Address,
): Promise<Deployment | null> => {
  for (const deployable of deployables) {
    const { items } = await store.find(deployable.collection, { where: { contract: text }, limit: 1 });
    const [record] = items as readonly CovenantRecord[];
    if (record !== undefined) return { deployable, record };
  }
  return null;
};

/** The vault that a record belongs to, or is. */
const vaultOf = ({ deployable, record }: Deployment): string | null => {
  if (deployable.module === 'vaults') return record.id;
  const { vault_id: vaultId } = record as { readonly vault_id?: unknown };
  return typeof vaultId === 'string' ? vaultId : null;
};

/** True when a caller may see a deployment: what is scoped to a private vault is for its members and parties. */
export const isVisible = (deployment: Deployment, isSeen: Sight): boolean => {
  const { deployable, record } = deployment;
  const parties = Object.values(deployable.parties(record));
  return isSeen({ vaultId: vaultOf(deployment), parties });
};

/** How the address of the record compares with the one that its parameters give. */
export type Derivation = {
  readonly expectedAddress: string | null;
  readonly artifactMatch: 'match' | 'mismatch' | 'unknown';
};

// A record of the store is frozen and replaced when it changes, so what was derived from it holds as long as it lives.
const derived = new WeakMap<CovenantRecord, Derivation>();

const derive = ({ deployable, record }: Deployment, network: Network): Derivation => {
  try {
    const { address, constructorParams } = deployable.contract(record, network);
    const isSame =
      address.text === record.contract_address &&
      constructorParams.join() === record.constructor_params.join();
    return { expectedAddress: address.text, artifactMatch: isSame ? 'match' : 'mismatch' };
  } catch {
    // Parameters of which no contract can be made.
    return { expectedAddress: null, artifactMatch: 'unknown' };
  }
};

/** The address that a record's parameters give, derived anew from the artifact. */
export const deriveAddress = (deployment: Deployment, network: Network): Derivation => {
  const known = derived.get(deployment.record);
  if (known !== undefined) return known;
  const derivation = derive(deployment, network);
  derived.set(deployment.record, derivation);
  return derivation;
};
