/** Who may propose, vote and read: anyone in a public vault, members only in a private one. */
import type { Address } from '../../bch/address.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { checkVaultReader, findVault, vaultReaders } from '../vaults/index.js';
import type { ProposalRecord } from './proposal.js';

/** Checks that somebody may vote. @throws private_vault */
export const checkVoter = async (
  store: StoreReader,
  { vault_id }: ProposalRecord,
  voter: Address,
): Promise<void> => {
  checkVaultReader(await findVault(store, vault_id), voter);
};

/** Who may read a proposal: its creator, and whoever may read its vault. */
export const { checkReader, readable } = vaultReaders<ProposalRecord>(({ vault_id: vaultId, creator }) => ({
  vaultId,
  parties: [creator],
}));
