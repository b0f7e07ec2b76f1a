/** The deployments of the store: every covenant record of every product, whatever its kind. */
import type { Network } from '../../bch/network.js';
import { TreasuryError } from '../../errors.js';
import type { KeptRecord } from '../../record/kept-record.js';
import type { CovenantRecord, Deployable } from '../../record/deployable.js';
import { eachRecord, type KnownRecord } from '../../record/known-record.js';
import type { StoreReader } from '../../operation/ports/store.js';
import type { Sight } from '../vaults/index.js';

/** What the registry is made for: the covenant products, and what else of their records the chain cannot give. */
export type Registered = {
  readonly deployables: readonly Deployable[];
  readonly keptRecords: readonly KeptRecord[];
};

/** Every deployment, newest first. */
export const allDeployments = async (
  deployables: readonly Deployable[],
  store: StoreReader,
): Promise<readonly KnownRecord[]> =>
  [...(await eachRecord(deployables, store))].sort((a, b) => b.record.created_at - a.record.created_at);

/** How often each name is there. */
export const countBy = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** The vault that a record belongs to, or is. */
const vaultOf = ({ deployable, record }: KnownRecord): string | null => {
  if (deployable.module === 'vaults') return record.id;
  const { vault_id: vaultId } = record as { readonly vault_id?: unknown };
  return typeof vaultId === 'string' ? vaultId : null;
};

/** True when a caller may see a deployment: what is scoped to a private vault is for its members and parties. */
export const isVisible = (deployment: KnownRecord, isSeen: Sight): boolean => {
  const { deployable, record } = deployment;
  const parties = Object.values(deployable.parties(record));
  return isSeen({ vaultId: vaultOf(deployment), parties });
};

/** How a record compares with the contract that its parameters give. */
export type Derivation = {
  readonly expectedAddress: string | null;
  readonly artifactMatch: 'match' | 'mismatch' | 'unknown';
  /** False when the parameters that the record lists are others. */
  readonly areListed: boolean;
  /** Why there is no address: a version that this program does not have, or parameters that are none. */
  readonly fault: string;
};

// A record of the store is frozen and replaced when it changes, so what was derived from it holds as long as it lives.
const derived = new WeakMap<CovenantRecord, Derivation>();

const derive = ({ deployable, record }: KnownRecord, network: Network): Derivation => {
  try {
    const { address, constructorParams } = deployable.contract(record, network);
    const areListed = constructorParams.join() === record.constructor_params.join();
    const isSame = areListed && address.text === record.contract_address;
    const artifactMatch = isSame ? 'match' : 'mismatch';
    return { expectedAddress: address.text, artifactMatch, areListed, fault: '' };
  } catch (error) {
    const fault = error instanceof TreasuryError ? error.message : 'no contract can be made of these terms';
    return { expectedAddress: null, artifactMatch: 'unknown', areListed: false, fault };
  }
};

/** The contract that a record's parameters give, derived anew from the artifact. */
export const deriveAddress = (deployment: KnownRecord, network: Network): Derivation => {
  const known = derived.get(deployment.record) ?? derive(deployment, network);
  derived.set(deployment.record, known);
  return known;
};
