/** The commitment of a campaign's thread. Source: contracts/rewards/reward-campaign.cash. */
import { commitment, type CommitmentState } from '../../bch/commitment.js';

/** `status u8 | distributed u64 | count u32`, 13 bytes. */
export const campaignState = commitment({ status: 'u8', distributed: 'u64', count: 'u32' });

export type CampaignState = CommitmentState<typeof campaignState.layout>;

/** The values of `status`. */
export const CHAIN_STATUS = { active: 0, paused: 1 } as const;

/** The state that funding mints. */
export const initialState: CampaignState = { status: CHAIN_STATUS.active, distributed: 0n, count: 0 };

/** The state that a thread carries. */
export const { read: readState } = campaignState;
