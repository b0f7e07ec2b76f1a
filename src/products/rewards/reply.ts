/** Campaigns and distributions as answers show them. */
import { z } from 'zod';
import { displayNumber } from '../../bch/amount.js';
import { ThreadPointer } from '../../covenant/thread.js';
import { DamagedReply } from '../../record/damaged.js';
import { eventsOf } from '../../record/events.js';
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
  latest_event: z.object({ event_type: z.string(), actor: z.string(), amount }).nullable(),
});

/** For the schema, see {@link CampaignReply}. */
export const showCampaign = async (
  campaign: CampaignRecord,
  store: StoreReader,
): Promise<z.output<typeof CampaignReply>> => {
  const { decimals } = campaign;
  const [latest] = await eventsOf(store, campaign.id, 1);
  return {
    ...campaign,
    total_pool: displayNumber(campaign.total_pool, decimals),
    total_poolOnChain: campaign.total_pool.toString(),
    max_reward_amount: displayNumber(campaign.max_reward_amount, decimals),
    max_reward_amountOnChain: campaign.max_reward_amount.toString(),
    distributed_total: displayNumber(campaign.distributed_total, decimals),
    distributed_totalOnChain: campaign.distributed_total.toString(),
    latest_event:
      latest === undefined
        ? null
        : {
            event_type: latest.event_type,
            actor: latest.actor,
            amount: displayNumber(latest.amount, latest.decimals),
          },
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
export const showDistribution = (distribution: DistributionRecord): z.output<typeof DistributionReply> => ({
  ...distribution,
  amount: displayNumber(distribution.amount, distribution.decimals),
  amountOnChain: distribution.amount.toString(),
});
