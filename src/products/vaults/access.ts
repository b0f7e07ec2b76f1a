/** Who may see what is scoped to a vault. Other products ask here. */
import type { Address } from '../../bch/address.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { findVault } from './records.js';
import { checkVaultReader, roleIn } from './rules.js';

/** What a record says of the vault it belongs to. */
export type Scope = {
  /** The vault's id; null: it belongs to none. */
  readonly vaultId: string | null;
  /** Addresses of its parties: creator, sender, recipient, controller. */
  readonly parties: readonly string[];
};

/**
 * True when a list may show a record to the caller: it belongs to no vault or to a public one, or the caller is a
 * member of the vault or a party of the record.
 *
 * @throws vault_not_found when the record names a vault that is not there
 */
export const canSee = (store: StoreReader, { vaultId, parties }: Scope, caller: Address | null): boolean => {
  if (vaultId === null) return true;
  const vault = findVault(store, vaultId);
  if (vault.is_public) return true;
  if (caller === null) return false;
  return parties.includes(caller.text) || roleIn(vault, caller.text) !== null;
};

/**
 * Checks that somebody may read a record, by the same rule.
 *
 * @throws private_vault, and vault_not_found when the record names a vault that is not there
 */
export const checkScope = (store: StoreReader, scope: Scope, caller: Address | null): void => {
  if (scope.vaultId !== null && !canSee(store, scope, caller)) {
    checkVaultReader(findVault(store, scope.vaultId), caller);
  }
};

type Asked<R, Answer> = (record: R, caller: Address | null, store: StoreReader) => Answer;

/** Who may read the records of a product: anyone, but of a private vault its members and the parties. */
export const vaultReaders = <R>(
  scopeOf: (record: R) => Scope,
): {
  /** @throws private_vault */
  readonly checkReader: Asked<R, void>;
  readonly mayRead: Asked<R, boolean>;
} => ({
  checkReader: (record, caller, store) => {
    checkScope(store, scopeOf(record), caller);
  },
  mayRead: (record, caller, store) => canSee(store, scopeOf(record), caller),
});
