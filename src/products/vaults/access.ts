/** Who may see what is scoped to a vault. Other products ask here. */
import type { Address } from '../../bch/address.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { findVault } from './records.js';
import { checkVaultReader, mayRead } from './rules.js';
import { vaultCollection, type VaultRecord } from './vault.js';

/** What a record says of the vault it belongs to. */
type Scope = {
  /** The vault's id; null: it belongs to none. */
  readonly vaultId: string | null;
  /** Addresses of its parties: creator, sender, recipient, controller. */
  readonly parties: readonly string[];
};

/** What a caller may see, for what asks of many records. */
export type Sight = (scope: Scope) => boolean;

const isParty = ({ parties }: Scope, caller: Address | null): boolean =>
  caller !== null && parties.includes(caller.text);

/**
 * What lists may show a caller: what belongs to no vault or to a public one, and that of which the caller is a party or
 * a member of its vault. What it is asked needs the store no more.
 */
export const sightOf = async (store: StoreReader, caller: Address | null): Promise<Sight> => {
  // Of a thousand organisations most vaults are private, and of no matter to whoever asks: none of these is read.
  const own = caller === null ? [] : (['creator', 'signer', 'viewer'] as const);
  const found = await Promise.all([
    store.find(vaultCollection, { where: { visibility: 'public' } }),
    ...own.map((index) => store.find(vaultCollection, { where: { [index]: caller?.text } })),
  ]);
  const readable = found.flatMap(({ items }) => items).filter((vault) => mayRead(vault, caller));
  const open = new Set(readable.map(({ id }) => id));
  return (scope) => scope.vaultId === null || open.has(scope.vaultId) || isParty(scope, caller);
};

/** Who may read the records of a product: anyone, but of a private vault its members and the parties. */
export const vaultReaders = <R>(scopeOf: (record: R) => Scope) => ({
  /** @throws private_vault, and vault_not_found when the record names a vault that is not there */
  checkReader: async (record: R, caller: Address | null, store: StoreReader): Promise<void> => {
    const scope = scopeOf(record);
    if (scope.vaultId === null) return;
    const vault = await findVault(store, scope.vaultId);
    if (!isParty(scope, caller)) checkVaultReader(vault, caller);
  },
  readable: async (caller: Address | null, store: StoreReader) => {
    const isSeen = await sightOf(store, caller);
    return (record: R) => isSeen(scopeOf(record));
  },
});

/** A vault that the caller may read: anyone a public one, a private one its members. @throws vault_not_found, private_vault */
export const readableVault = async (
  id: string,
  { store, caller }: { readonly store: StoreReader; readonly caller: Address | null },
): Promise<VaultRecord> => {
  const vault = await findVault(store, id);
  checkVaultReader(vault, caller);
  return vault;
};
