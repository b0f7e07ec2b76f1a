/** Where vaults and spends are kept. */
import { TreasuryError } from '../../errors.js';
import { findRecord } from '../../record/find.js';
import { normaliseLabel } from '../../record/labels.js';
import { ensureLabels } from '../../record/local-label.js';
import type { StorePort, StoreReader } from '../../operation/ports/store.js';
import { spendCollection, type SpendRecord } from './spend.js';
import { VAULT_LABEL, vaultCollection, type VaultRecord } from './vault.js';

/** Gives vaults of an earlier version, or of another home, their labels. */
export const labelVaults = (store: StorePort): Promise<void> =>
  ensureLabels(store, vaultCollection, VAULT_LABEL);

/**
 * A vault by its id, its label or its on-chain id (64 hex digits).
 *
 * @throws vault_not_found
 */
export const findVault = async (store: StoreReader, id: string): Promise<VaultRecord> => {
  const wanted = id.trim().toLowerCase();
  const found =
    (await store.get(vaultCollection, wanted)) ??
    (await store.find(vaultCollection, { where: { on_chain_id: wanted }, limit: 1, isCounted: false }))
      .items[0] ??
    (await store.find(vaultCollection, { where: { label: normaliseLabel(id) }, limit: 1, isCounted: false }))
      .items[0];
  if (found === undefined) throw new TreasuryError('vault_not_found', { id });
  return found;
};

/**
 * A spend by its id or its label.
 *
 * @param vaultId the vault it must belong to; left out where its label alone names it
 * @throws spend_not_found
 */
export const findSpend = async (store: StoreReader, id: string, vaultId?: string): Promise<SpendRecord> => {
  const found = await findRecord(store, spendCollection, id, 'spend_not_found');
  if (found.vault_id === (vaultId ?? found.vault_id)) return found;
  throw new TreasuryError('spend_not_found', { id });
};

/** The open spends of a vault, newest first. */
export const openSpends = async (store: StoreReader, vaultId: string): Promise<readonly SpendRecord[]> =>
  (await store.find(spendCollection, { where: { open: vaultId } })).items;
