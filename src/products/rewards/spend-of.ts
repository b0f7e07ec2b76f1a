/** What a spend of a campaign starts from. */
import { parseAddress } from '../../bch/address.js';
import type { Context } from '../../operation/context.js';
import { gatherSpend } from '../../offer/gather-spend.js';
import type { CampaignRecord } from './campaign.js';
import { remainingPool } from './rules.js';
import type { CampaignSpend } from './transactions.js';

/**
 * The pinned thread, its reserve and the creator's coins, as they are now.
 *
 * @throws store_conflict when the thread moved while this was read, chain_unavailable
 */
export const spendOf = async (campaign: CampaignRecord, context: Context): Promise<CampaignSpend> => ({
  campaign,
  network: context.network,
  ...(await gatherSpend(
    {
      label: campaign.campaign_id,
      lockingBytecode: parseAddress(campaign.contract_address).lockingBytecode,
      thread: campaign.thread,
      tokenCategory: campaign.token_category,
      reserved: remainingPool(campaign),
      payer: parseAddress(campaign.creator),
    },
    context,
  )),
});
