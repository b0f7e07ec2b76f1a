/** Campaigns and distributions as answers show them. */
import { z } from 'zod';
import { showAmounts } from '../../bch/amount.js';
import { ThreadPointer } from '../../covenant/thread.js';
import { DamagedReply } from '../../record/damaged.js';
import { latestEvent, LatestEventReply } from '../../offer/read-record.js';
import type { StoreReader } from '../../operation/ports/store.js';
import type { CampaignRecord, DistributionRecord } from './campaign.js';

const amount = z.number().describe('Display units');
const amountOnChain = z.string().describe('Smallest unit');

/** A campaign. Source: specification, Resources; design, api.md (Rewards). */
export const CampaignReply = z.object({
  id: z.string(),
  campaign_id: z.string(),
  on_chain_campaign_id: z.string(),
  creator: z.string(),
  title: z.string(),
  description: z.string(),
  reward_category: z.string(),
  token_type: z.string(),
  token_category: z.string().nullable(),
  decimals: z.number(),
  total_pool: amount,
  total_poolOnChain: amountOnChain,
  max_reward_amount: amount,
  max_reward_amountOnChain: amountOnChain,
  distributed_count: z.number(),
  distributed_total: amount,
  distributed_totalOnChain: amountOnChain,
  start_date: z.number(),
  end_date: z.number().nullable(),
  vault_id: z.string().nullable(),
  refund_address: z.string(),
  status: z.string(),
  damaged: DamagedReply,
  contract_address: z.string(),
  constructor_params: z.array(z.string()),
  authority_pubkey: z.string(),
  tx_hash: z.string().nullable(),
  thread: ThreadPointer.nullable(),
  deprecated: z.boolean(),
  created_at: z.number(),
  updated_at: z.number(),
  latest_event: LatestEventReply,
});

/** For the schema, see {@link CampaignReply}. */
export const showCampaign = async (
  campaign: CampaignRecord,
  store: StoreReader,
): Promise<z.output<typeof CampaignReply>> => {
  const { decimals, total_pool, max_reward_amount, distributed_total } = campaign;
  return {
    ...campaign,
    ...showAmounts({ total_pool, max_reward_amount, distributed_total }, decimals),
    latest_event: await latestEvent(store, campaign.id),
  };
};

/** A distribution. Source: specification, Resources. */
export const DistributionReply = z.object({
  id: z.string(),
  reward_id: z.string(),
  recipient: z.string(),
  amount,
  amountOnChain,
  tx_hash: z.string(),
  distributed_at: z.number().describe('Unix seconds'),
});

/** For the schema, see {@link DistributionReply}. */
export const showDistribution = ({ amount: units, decimals, ...distribution }: DistributionRecord) => ({
  ...distribution,
  ...showAmounts({ amount: units }, decimals),
});
