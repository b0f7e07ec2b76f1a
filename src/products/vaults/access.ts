/** Who may see what is scoped to a vault. Other products ask here. */
import type { Address } from '../../bch/address.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { findVault } from './records.js';
import { checkVaultReader, roleIn } from './rules.js';
import { vaultCollection, type VaultRecord } from './vault.js';

/** What a record says of the vault it belongs to. */
type Scope = {
  /** The vault's id; null: it belongs to none. */
  readonly vaultId: string | null;
  /** Addresses of its parties: creator, sender, recipient, controller. */
  readonly parties: readonly string[];
};

const isOpenTo = (vault: VaultRecord, caller: Address | null): boolean =>
  vault.is_public || (caller !== null && roleIn(vault, caller.text) !== null);

const isPartyOf = (parties: readonly string[], caller: Address | null): boolean =>
  caller !== null && parties.includes(caller.text);

/**
 * True when a list may show a record to the caller: it belongs to no vault or to a public one, or the caller is a
 * member of the vault or a party of the record.
 *
 * @throws vault_not_found when the record names a vault that is not there
 */
export const canSee = async (
  store: StoreReader,
  { vaultId, parties }: Scope,
  caller: Address | null,
): Promise<boolean> => {
  if (vaultId === null) return true;
  return isOpenTo(await findVault(store, vaultId), caller) || isPartyOf(parties, caller);
};

/** What a caller may see, for what asks of many records. */
export type Sight = (scope: Scope) => boolean;

/** {@link canSee} for many records: what it is asked afterwards needs the store no more. */
export const sightOf = async (store: StoreReader, caller: Address | null): Promise<Sight> => {
  const { items } = await store.find(vaultCollection, { filter: (vault) => isOpenTo(vault, caller) });
  const open = new Set(items.map(({ id }) => id));
  return ({ vaultId, parties }) => vaultId === null || open.has(vaultId) || isPartyOf(parties, caller);
};

/**
 * Checks that somebody may read a record, by the same rule.
 *
 * @throws private_vault, and vault_not_found when the record names a vault that is not there
 */
const checkScope = async (store: StoreReader, scope: Scope, caller: Address | null): Promise<void> => {
  if (scope.vaultId !== null && !(await canSee(store, scope, caller))) {
    checkVaultReader(await findVault(store, scope.vaultId), caller);
  }
};

/** Who may read the records of a product: anyone, but of a private vault its members and the parties. */
export const vaultReaders = <R>(
  scopeOf: (record: R) => Scope,
): {
  /** @throws private_vault */
  readonly checkReader: (record: R, caller: Address | null, store: StoreReader) => Promise<void>;
  readonly readable: (caller: Address | null, store: StoreReader) => Promise<(record: R) => boolean>;
} => ({
  checkReader: (record, caller, store) => checkScope(store, scopeOf(record), caller),
  readable: async (caller, store) => {
    const isSeen = await sightOf(store, caller);
    return (record) => isSeen(scopeOf(record));
  },
});
