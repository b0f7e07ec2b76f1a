/** The record of a reward campaign, its statuses and its moves. */
import { z } from 'zod';
import { Hex32, TokenType, Units } from '../../bch/fields.js';
import { defineCollection } from '../../operation/ports/store.js';
import type { MoveRule } from '../../record/move-checks.js';
import { PoolFields, poolIndexes } from '../../record/pool-record.js';

export const REWARD_CATEGORIES = ['ACHIEVEMENT', 'REFERRAL', 'LOYALTY', 'CUSTOM'] as const;
export const CAMPAIGN_STATUSES = ['PENDING', 'ACTIVE', 'PAUSED', 'CANCELLED'] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

/** Who makes a move, and from which statuses. There is no way back from PAUSED but to cancel and deploy again. */
export const CAMPAIGN_MOVES = {
  fund: { by: 'creator', from: ['PENDING'] },
  distribute: { by: 'creator', from: ['ACTIVE'] },
  pause: { by: 'creator', from: ['ACTIVE'] },
  cancel: { by: 'creator', from: ['ACTIVE', 'PAUSED'] },
  remove: { by: 'creator', from: ['PENDING', 'CANCELLED'] },
} as const satisfies Record<string, MoveRule & { readonly from: readonly CampaignStatus[] }>;
export type CampaignMove = keyof typeof CAMPAIGN_MOVES;

/** Amounts are in the smallest unit; times in unix seconds; addresses in their `q`/`p` form. */
export const CampaignRecord = z.object({
  id: z.string(),
  /** Label, `#REWARD-0001`. */
  campaign_id: z.string(),
  /** The 32 bytes that make this deployment distinct. */
  on_chain_campaign_id: Hex32,
  creator: z.string(),
  title: z.string(),
  description: z.string(),
  reward_category: z.enum(REWARD_CATEGORIES),
  token_type: TokenType,
  token_category: Hex32.nullable(),
  total_pool: Units,
  max_reward_amount: Units,
  start_date: z.int(),
  /** Null: open-ended. Enforced by the authority's refusal, not by the covenant. */
  end_date: z.int().nullable(),
  vault_id: z.string().nullable(),
  refund_address: z.string(),
  deprecated: z.boolean(),

  /** From here on: the fold of the chain. */
  status: z.enum(CAMPAIGN_STATUSES),
  distributed_count: z.int(),
  distributed_total: Units,
  ...PoolFields,
});
export type CampaignRecord = z.output<typeof CampaignRecord>;

export const campaignCollection = defineCollection({
  name: 'rewards',
  schema: CampaignRecord,
  indexes: {
    label: (campaign) => campaign.campaign_id,
    creator: (campaign) => campaign.creator,
    /** Those of a creator that the list shows. */
    shown: (campaign) => (campaign.deprecated ? null : campaign.creator),
    ...poolIndexes,
    contract: (campaign) => campaign.contract_address,
    vault: (campaign) => campaign.vault_id,
    status: (campaign) => campaign.status,
  },
  unique: ['label'],
});

/** One confirmed payout of a campaign. */
export const DistributionRecord = z.object({
  id: z.string(),
  reward_id: z.string(),
  recipient: z.string(),
  amount: Units,
  decimals: z.int(),
  tx_hash: Hex32,
  distributed_at: z.int().describe('Unix seconds'),
});
export type DistributionRecord = z.output<typeof DistributionRecord>;

export const distributionCollection = defineCollection({
  name: 'reward_distributions',
  schema: DistributionRecord,
  indexes: { reward: (distribution) => distribution.reward_id },
});

/** What the event of a distribution tells beside its amount. */
export const Distributed = z.object({ recipient: z.string() });
