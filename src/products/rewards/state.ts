/** The commitment of a campaign's thread. Source: contracts/rewards/reward-campaign.cash. */
import { commitment } from '../../bch/commitment.js';

/** `status u8 | distributed u64 | count u32`, 13 bytes. */
export const campaignState = commitment({ status: 'u8', distributed: 'u64', count: 'u32' });

export type CampaignState = {
  readonly status: number;
  /** Smallest unit. */
  readonly distributed: bigint;
  readonly count: number;
};

/** The values of `status`. */
export const CHAIN_STATUS = { active: 0, paused: 1 } as const;

/** The state that funding mints. */
export const initialState: CampaignState = { status: CHAIN_STATUS.active, distributed: 0n, count: 0 };

/**
 * The state that a thread carries.
 *
 * @throws Error when it is not one of ours, which the covenant and the genesis audit rule out
 */
export const readState = (hex: string): CampaignState => {
  const state = campaignState.decode(hex);
  if (state === null) throw new Error(`${hex} is not the state of a campaign`);
  return state;
};
