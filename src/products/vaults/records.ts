/** Where vaults and spends are kept, and how the moves of a vault's thread are followed. */
import { TreasuryError } from '../../errors.js';
import type { Move } from '../../covenant/follow.js';
import type { Context } from '../../operation/context.js';
import type { Following } from '../../record/follow.js';
import { normaliseLabel } from '../../record/labels.js';
import type { StoreReader, StoreWriter } from '../../operation/ports/store.js';
import { BCH_DECIMALS } from '../../bch/amount.js';
import { vaultContract } from './contract.js';
import { Spent } from './movements.js';
import { followedVault } from './observe.js';
import { statusBySignatures } from './rules.js';
import { spendCollection, type SpendRecord } from './spend.js';
import { vaultCollection, type VaultRecord } from './vault.js';

/**
 * A vault by its id or its on-chain id (64 hex digits).
 *
 * @throws vault_not_found
 */
export const findVault = async (store: StoreReader, id: string): Promise<VaultRecord> => {
  const wanted = id.trim().toLowerCase();
  const found =
    (await store.get(vaultCollection, wanted)) ??
    (await store.find(vaultCollection, { where: { on_chain_id: wanted }, limit: 1 })).items[0];
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
  const found =
    (await store.get(spendCollection, id)) ??
    (await store.find(spendCollection, { where: { label: normaliseLabel(id) }, limit: 1 })).items[0];
  if (found === undefined || (vaultId !== undefined && found.vault_id !== vaultId)) {
    throw new TreasuryError('spend_not_found', { id });
  }
  return found;
};

/** The open spends of a vault, newest first. */
export const openSpends = async (store: StoreReader, vaultId: string): Promise<readonly SpendRecord[]> =>
  (await store.find(spendCollection, { where: { open: vaultId } })).items;

/** Marks the spend that a transaction on chain is, also when it was cancelled here: the chain has the last word. */
const settleSpend = async (writer: StoreWriter, { txHash, details }: Move, now: number): Promise<void> => {
  const { unsigned_txid: unsigned } = Spent.parse(details);
  for (const spend of (await writer.find(spendCollection, { where: { unsigned } })).items) {
    writer.put(spendCollection, { ...spend, status: 'SPENT', tx_hash: txHash, gone: null, updated_at: now });
  }
};

/** Takes a settlement back, since its transaction left the chain. */
const reopenSpend = async (writer: StoreWriter, transaction: string): Promise<void> => {
  for (const spend of (await writer.find(spendCollection, { where: { transaction } })).items) {
    writer.put(spendCollection, { ...spend, status: statusBySignatures(spend), tx_hash: null });
  }
};

/** How the thread of a vault is followed. For its other coins, see `follow-vault.ts`. */
export const vaultFollowing = (context: Context): Following<VaultRecord> => ({
  collection: vaultCollection,
  entityType: 'vault',
  followed: followedVault(context.network),
  contract: (vault) => vaultContract(vault, context.network),
  decimals: () => BCH_DECIMALS,
  label: (vault) => vault.name,
  writeRow: async (writer, _vault, event, move) => {
    if (move.type === 'spent') await settleSpend(writer, move, event.created_at);
  },
  retimeRow: async (writer, { tx_hash: transaction, event_type, created_at: updated_at }) => {
    if (event_type !== 'spent' || transaction === null) return;
    for (const spend of (await writer.find(spendCollection, { where: { transaction } })).items)
      writer.put(spendCollection, { ...spend, updated_at });
  },
  removeRow: async (writer, event) => {
    if (event.event_type === 'spent' && event.tx_hash !== null) await reopenSpend(writer, event.tx_hash);
  },
  // Deposits from anybody have events too: `follow-vault.ts` removes those that the chain took back.
  hasOtherEvents: true,
});
