/** What the registry, the audit and the monitor need to know of campaigns. */
import { defineDeployable } from '../../record/deployable.js';
import { defineFeed } from '../../record/order-by-time.js';
import { poolMovements } from '../../record/movement.js';
import { vaultCollection } from '../vaults/index.js';
import type { CampaignRecord, DistributionRecord } from './campaign.js';
import { campaignContract, checkCampaignTerms } from './contract.js';
import { campaignCollection, campaignFollowing, distributionCollection } from './records.js';
import { remainingPool } from './rules.js';
import { campaignGenesis } from './transactions.js';
import { campaignStrays } from './strays.js';
import { paidByCampaign } from './paid.js';

const pool = {
  tokenCategory: (campaign: CampaignRecord) => campaign.token_category,
  parties: (campaign: CampaignRecord) => ({ creator: campaign.creator, refund: campaign.refund_address }),
};

export const deployable = defineDeployable<CampaignRecord>({
  contractType: () => 'RewardCampaign',
  module: 'rewards',
  entityType: 'reward',
  strays: campaignStrays,
  collection: campaignCollection,
  label: (campaign) => campaign.campaign_id,
  contract: campaignContract,
  checkTerms: checkCampaignTerms,
  genesis: (campaign, { network }) => [campaignGenesis(campaign, network)],
  remaining: (campaign) => (campaign.thread === null ? null : remainingPool(campaign)),
  ...pool,
  movements: poolMovements({ ...pool, paid: paidByCampaign }),
  following: campaignFollowing,
  needs: ({ vault_id }) => (vault_id === null ? [] : [{ collection: vaultCollection, id: vault_id }]),
  feeds: [
    defineFeed<DistributionRecord>({
      collection: distributionCollection,
      timeOf: ({ distributed_at }) => distributed_at,
    }),
  ],
});
