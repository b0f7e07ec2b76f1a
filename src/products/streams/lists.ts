/** What lists, the activity and the batch runs share: from filters to index look-ups, and who may see what. */
import type { Address } from '../../bch/address.js';
import type { Collection, Query, StoreReader } from '../../operation/ports/store.js';
import { TreasuryError } from '../../errors.js';
import { findVault, roleIn, sightOf, type VaultRecord } from '../vaults/index.js';
import { partiesOf, searchConditions, YES, type Found, type Wanted } from './search-keys.js';

/** Filters as requests have them. */
export type SearchRequest = {
  readonly recipient?: Address | undefined;
  readonly sender?: Address | undefined;
  readonly address?: Address | undefined;
  readonly vaultId?: string | undefined;
  readonly contextSource?: string | undefined;
  readonly treasury?: boolean | undefined;
  /** A status or an event type. */
  readonly facet?: string | undefined;
};

/** A collection with the indexes of a search, and what its records say of themselves. */
type Searched<R> = {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collection: Collection<any>;
  readonly describe: (record: R) => Found;
};

/** The vault that a filter names; null when there is none, which then matches nothing. */
const namedVault = async (store: StoreReader, vaultId: string | undefined): Promise<VaultRecord | null> => {
  if (vaultId === undefined) return null;
  try {
    return await findVault(store, vaultId);
  } catch (error) {
    if (error instanceof TreasuryError && error.code === 'vault_not_found') return null;
    throw error;
  }
};

/** True when everything that matches belongs to the caller anyway: their own records, or those of their vault. */
const isCallersOwn = (wanted: Wanted, vault: VaultRecord | null, caller: Address | null): boolean =>
  caller !== null &&
  ([wanted.address, wanted.sender, wanted.recipient].includes(caller.text) ||
    (vault !== null && roleIn(vault, caller.text) !== null));

/**
 * The query of a search. Only where private records exist and not all that matches is the caller's own, what was found
 * is looked through; everything else is a look-up.
 */
export const searchQuery = async <R>(
  { collection, describe }: Searched<R>,
  request: SearchRequest,
  { store, caller }: { readonly store: StoreReader; readonly caller: Address | null },
): Promise<Pick<Query<R>, 'filter'> & { readonly where: Record<string, string> }> => {
  const vault = await namedVault(store, request.vaultId);
  const wanted: Wanted = {
    recipient: request.recipient?.text,
    sender: request.sender?.text,
    address: request.address?.text,
    vault: vault?.id ?? request.vaultId,
    context: request.contextSource,
    treasury: request.treasury,
  };
  const where = searchConditions(wanted, request.facet);
  const hidden = (await store.find(collection, { where: { hidden: YES }, limit: 0 })).total;
  if (hidden === 0 || isCallersOwn(wanted, vault, caller)) return { where };
  const isSeen = await sightOf(store, caller);
  return {
    where,
    filter: (record) => {
      const found = describe(record);
      const { isPrivate, vaultId, parties = partiesOf(found) } = found;
      return !isPrivate || isSeen({ vaultId, parties });
    },
  };
};
