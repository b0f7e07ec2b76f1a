/** The rules of campaigns: pure, with time and amounts as arguments. */
import { BCH_DECIMALS, formatUnits } from '../../bch/amount.js';
import { PAYOUT_DUST } from '../../bch/transaction.js';
import { TreasuryError } from '../../errors.js';
import { CAMPAIGN_MOVES, type CampaignMove, type CampaignRecord } from './campaign.js';

type Pool = Pick<CampaignRecord, 'total_pool' | 'distributed_total'>;

/** What the pool still holds, smallest unit. */
export const remainingPool = ({ total_pool, distributed_total }: Pool): bigint =>
  total_pool - distributed_total;

/** Checks that a move may start. @throws wrong_state */
export const checkStatus = (
  campaign: Pick<CampaignRecord, 'campaign_id' | 'status'>,
  move: CampaignMove,
): void => {
  const allowed: readonly string[] = CAMPAIGN_MOVES[move];
  if (allowed.includes(campaign.status)) return;
  throw new TreasuryError('wrong_state', { label: campaign.campaign_id, status: campaign.status, allowed });
};

/** Checks that somebody is the creator. @throws not_creator */
export const checkCreator = ({ creator }: Pick<CampaignRecord, 'creator'>, caller: string): void => {
  if (creator !== caller) throw new TreasuryError('not_creator', { creator, caller });
};

/**
 * Checks that an amount of BCH can be an output of its own.
 *
 * @throws amount_below_dust (covenants rule 13)
 */
export const checkPayoutDust = (
  tokenType: CampaignRecord['token_type'],
  amount: bigint,
  field: string,
): void => {
  if (tokenType !== 'BCH' || amount >= PAYOUT_DUST) return;
  throw new TreasuryError('amount_below_dust', {
    field,
    amount: formatUnits(amount, BCH_DECIMALS),
    minimum: formatUnits(PAYOUT_DUST, BCH_DECIMALS),
  });
};

/**
 * Checks a distribution, in the order of the specification: status, cap, pool; then dust and dates.
 *
 * @param now chain now, unix seconds
 * @throws wrong_state, amount_exceeds_max_reward, pool_exhausted, amount_below_dust, campaign_not_started, campaign_ended
 */
export const checkDistribution = (campaign: CampaignRecord, amount: bigint, now: number): void => {
  const show = (units: bigint) => formatUnits(units, campaign.decimals);
  checkStatus(campaign, 'distribute');
  if (amount > campaign.max_reward_amount) {
    throw new TreasuryError('amount_exceeds_max_reward', {
      amount: show(amount),
      maxRewardAmount: show(campaign.max_reward_amount),
    });
  }
  if (amount > remainingPool(campaign)) {
    throw new TreasuryError('pool_exhausted', {
      amount: show(amount),
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
