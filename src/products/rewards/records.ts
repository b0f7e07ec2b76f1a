/** Where campaigns are kept and how they are followed. */
import type { Context } from '../../operation/context.js';
import { followRecord, type Following } from '../../record/follow.js';
import { findRecord } from '../../record/find.js';
import { defineCollection, type StoreReader } from '../../operation/ports/store.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import { CampaignRecord, DistributionRecord } from './campaign.js';
import { campaignContract } from './contract.js';
import { followedCampaign } from './observe.js';

export const campaignCollection = defineCollection({
  name: 'rewards',
  schema: CampaignRecord,
  indexes: {
    label: (campaign) => campaign.campaign_id,
    creator: (campaign) => campaign.creator,
    /** Those of a creator that the list shows. */
    shown: (campaign) => (campaign.deprecated ? null : campaign.creator),
    contract: (campaign) => campaign.contract_address,
    vault: (campaign) => campaign.vault_id,
    status: (campaign) => campaign.status,
  },
  unique: ['label'],
});

export const distributionCollection = defineCollection({
  name: 'reward_distributions',
  schema: DistributionRecord,
  indexes: { reward: (distribution) => distribution.reward_id },
});

/**
 * A campaign by its id or its label.
 *
 * @throws reward_not_found
 */
export const findCampaign = (store: StoreReader, id: string): Promise<CampaignRecord> =>
  findRecord(store, campaignCollection, id, 'reward_not_found');

/** How campaigns are followed. */
export const campaignFollowing = (context: Context): Following<CampaignRecord> => ({
  collection: campaignCollection,
  entityType: 'reward',
  followed: followedCampaign(context.network),
  contract: (campaign) => campaignContract(campaign, context.network),
  decimals: (campaign) => campaign.decimals,
  label: (campaign) => campaign.campaign_id,
  writeRow: (writer, campaign, event, move) => {
    if (move.type !== 'distribution') return;
    writer.put(distributionCollection, {
      id: event.id,
      reward_id: campaign.id,
      recipient: String(move.details['recipient']),
      amount: move.amount,
      decimals: campaign.decimals,
      tx_hash: move.txHash,
      distributed_at: event.created_at,
    });
  },
  retimeRow: async (writer, { id, created_at: distributed_at }) => {
    const row = await writer.get(distributionCollection, id);
    if (row !== null) writer.put(distributionCollection, { ...row, distributed_at });
  },
  removeRow: (writer, event) => {
    if (event.event_type === 'distribution') writer.remove(distributionCollection, event.id);
  },
});

/**
 * A campaign by its id or label, as the chain has it now.
 *
 * @throws reward_not_found, chain_unavailable
 */
export const followCampaign = async (
  id: string,
  context: Context,
  candidates: readonly ChainTransaction[] = [],
): Promise<CampaignRecord> =>
  followRecord((await findCampaign(context.store, id)).id, campaignFollowing(context), context, candidates);
