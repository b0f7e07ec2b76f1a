/** What lists, the activity and the batch runs share: from filters to index look-ups, and who may see what. */
import type { z } from 'zod';
import { TreasuryError } from '../../errors.js';
import type { RunContext } from '../../operation/define.js';
import type { AnyCollection, Query, StoreReader } from '../../operation/ports/store.js';
import type { PoolProduct } from '../../record/covenant-product.js';
import { findVault, roleIn, type VaultRecord } from '../vaults/index.js';
import type { ListFields } from './fields.js';
import { searchConditions, YES } from './search-keys.js';

/** Filters as requests have them; `facet` is a status or an event type. */
type SearchRequest = Partial<z.output<z.ZodObject<typeof ListFields>>> & {
  readonly facet?: string | undefined;
};

/** A collection with the indexes of a search, and who may read its records. */
type Searched<R> = {
  readonly collection: AnyCollection;
  readonly readable: (...caller: Parameters<PoolProduct['readable']>) => Promise<(record: R) => boolean>;
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

/**
 * The query of a search. Only where private records exist and not all that matches is the caller's own (their records,
 * or those of their vault), what was found is looked through; everything else is a look-up.
 */
export const searchQuery = async <R extends { readonly is_private: boolean }>(
  { collection, readable }: Searched<R>,
  { facet, vaultId, contextSource, treasury, ...request }: SearchRequest,
  { store, caller }: Pick<RunContext<'optional'>, 'store' | 'caller'>,
): Promise<Pick<Query<R>, 'filter'> & { readonly where: Record<string, string> }> => {
  const vault = await namedVault(store, vaultId);
  const parties = {
    recipient: request.recipient?.text,
    sender: request.sender?.text,
    address: request.address?.text,
  };
  const scope = {
    vault: vault?.id ?? vaultId,
    context: contextSource,
    treasury: treasury === true ? YES : undefined,
  };
  const where = searchConditions({ ...parties, ...scope }, facet);
  const hidden = (await store.find(collection, { where: { hidden: YES }, limit: 0 })).total;
  const isCallersOwn =
    caller !== null &&
    (Object.values(parties).includes(caller.text) || (vault !== null && roleIn(vault, caller.text) !== null));
  if (hidden === 0 || isCallersOwn) return { where };
  const isSeen = await readable(caller, store);
  return { where, filter: (record) => !record.is_private || isSeen(record) };
};
