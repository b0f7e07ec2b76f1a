/** What else may lie at a campaign's address, and who takes it out. */
import type { StrayRules } from '../../record/deployable.js';
import type { CampaignRecord } from './campaign.js';
import { campaignState } from './state.js';

export const campaignStrays: StrayRules<CampaignRecord> = {
  noun: 'rewards',
  label: (campaign) => campaign.campaign_id,
  decimals: (campaign) => campaign.decimals,
  tokenCategory: (campaign) => campaign.token_category,
  isState: (_campaign, commitment) => campaignState.decode(commitment) !== null,
  way: ({ refund_address: refund }) => `the creator cancels it, which pays ${refund}`,
};
