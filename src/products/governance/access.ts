/** Who may propose, vote and read: anyone in a public vault, members only in a private one. */
import type { Address } from '../../bch/address.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { canSee, checkVaultReader, findVault } from '../vaults/index.js';
import type { ProposalRecord } from './proposal.js';

/** Checks that somebody may vote. @throws private_vault */
export const checkVoter = async (
  store: StoreReader,
  { vault_id }: ProposalRecord,
  voter: Address,
): Promise<void> => {
  checkVaultReader(await findVault(store, vault_id), voter);
};

/** True for who may read a proposal: its creator, and whoever may read its vault. */
export const mayRead = (
  store: StoreReader,
  { vault_id: vaultId, creator }: ProposalRecord,
  caller: Address | null,
): Promise<boolean> => canSee(store, { vaultId, parties: [creator] }, caller);

/** Checks that somebody may read a proposal: its creator, and whoever may read its vault. @throws private_vault */
export const checkReader = async (
  store: StoreReader,
  { vault_id, creator }: ProposalRecord,
  caller: Address | null,
): Promise<void> => {
  if (caller?.text === creator) return;
  checkVaultReader(await findVault(store, vault_id), caller);
};
