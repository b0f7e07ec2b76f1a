/** The rules of campaigns: pure, with time and amounts as arguments. */
import { formatUnits } from '../../bch/amount.js';
import { TreasuryError } from '../../errors.js';
import { checkPayoutDust } from '../../covenant/checks.js';
import type { CampaignRecord } from './campaign.js';

type Pool = Pick<CampaignRecord, 'total_pool' | 'distributed_total'>;

/** What the pool still holds, smallest unit. */
export const remainingPool = ({ total_pool, distributed_total }: Pool): bigint =>
  total_pool - distributed_total;

/**
 * Checks a distribution, in the order of the specification: cap, pool; then dust and dates. Its status was checked.
 *
 * @param now chain now, unix seconds
 * @param asset what amounts are called
 * @throws amount_exceeds_max_reward, pool_exhausted, amount_below_dust, campaign_not_started, campaign_ended
 */
export const checkDistribution = (
  campaign: CampaignRecord,
  amount: bigint,
  now: number,
  asset = campaign.token_type === 'BCH' ? 'BCH' : 'tokens',
): void => {
  const show = (units: bigint) => formatUnits(units, campaign.decimals);
  if (amount > campaign.max_reward_amount) {
    throw new TreasuryError('amount_exceeds_max_reward', {
      amount: show(amount),
      asset,
      maxRewardAmount: show(campaign.max_reward_amount),
    });
  }
  if (amount > remainingPool(campaign)) {
    throw new TreasuryError('pool_exhausted', {
      amount: show(amount),
      asset,
      remaining: show(remainingPool(campaign)),
    });
  }
  checkPayoutDust(campaign.token_type, amount, 'amount');
  const label = campaign.campaign_id;
  if (now < campaign.start_date) {
    throw new TreasuryError('campaign_not_started', {
      label,
      startDate: campaign.start_date,
      chainTime: now,
    });
  }
  if (campaign.end_date !== null && now > campaign.end_date) {
    throw new TreasuryError('campaign_ended', { label, endDate: campaign.end_date, chainTime: now });
  }
};
