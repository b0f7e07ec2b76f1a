/** Who may read what belongs to a private vault. */
import type { Address } from '../../bch/address.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { checkScope } from '../vaults/index.js';
import type { CampaignRecord } from './campaign.js';

/** Checks that the caller may read a campaign: anyone, but of a private vault its members and the parties. @throws private_vault */
export const checkReader = async (
  { vault_id: vaultId, creator }: CampaignRecord,
  caller: Address | null,
  store: StoreReader,
): Promise<void> => {
  await checkScope(store, { vaultId, parties: [creator] }, caller);
};
