/** Recovering what lies unexpected at a campaign's address: its creator cancels it, as the campaign itself. */
import { z } from 'zod';
import { formatUnits } from '../../../bch/amount.js';
import type { Network } from '../../../bch/network.js';
import type { StrayThread } from '../../../covenant/stray.js';
import { checkReserve, notRecoverable } from '../../../covenant/stray-terms.js';
import { defineRefund } from '../../../offer/recovery.js';
import { type CampaignRecord } from '../campaign.js';
import { campaigns } from '../product.js';
import { readState } from '../state.js';
import { buildCancel } from '../transactions.js';

/**
 * What cancelling a stray pays the refund address, smallest unit: all that it holds, and at least what its state says.
 *
 * @throws not_recoverable when it holds less, and the difference would be the signer's gift to somebody else
 */
const refundOf = (
  campaign: CampaignRecord,
  stray: StrayThread,
  isTopUp: boolean,
  network: Network,
): bigint => {
  const { campaign_id: label, decimals, refund_address: refund } = campaign;
  const remaining = campaign.total_pool - readState(stray.thread.commitment).distributed;
  if (stray.held >= remaining) return stray.held;
  if (campaign.token_category !== null) checkReserve(stray, { label, decimals }, remaining, network);
  if (refund === campaign.creator || isTopUp) return remaining;
  const [heldText, remainingText] = [stray.held, remaining].map((units) => formatUnits(units, decimals));
  const reason = `the contract pays ${refund} at least ${remainingText}, and this coin holds ${heldText}: you would pay the difference (topUp does)`;
  throw notRecoverable(label, stray, reason);
};

export const recover = defineRefund(campaigns, {
  description:
    'A second funding, one with a wrong sum, or one by somebody else: it is cancelled by its own state and pays the refund address. The campaign itself stays as it is.',
  input: {
    topUp: z
      .boolean()
      .default(false)
      .describe('Pay the refund address what the contract asks for beyond what is there'),
  },
  to: ({ refund_address: refund }) => refund,
  build: (spend, stray, { topUp }) => buildCancel(spend, refundOf(spend.record, stray, topUp, spend.network)),
});
