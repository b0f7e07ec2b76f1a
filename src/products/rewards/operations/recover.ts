/** Recovering what lies unexpected at a campaign's address: its creator cancels it, as the campaign itself. */
import { z } from 'zod';
import { formatUnits, showAmounts } from '../../../bch/amount.js';
import type { StrayThread } from '../../../covenant/stray.js';
import { confirmRecover } from '../../../offer/recovery.js';
import { defineAction, defineOperation, RECOVER_ERRORS } from '../../../operation/define.js';
import { handOut } from '../../../offer/hand-out.js';
import { chooseStray, RecoverFields, RecoverReply, straySpend } from '../../../offer/recover.js';
import { checkReserve, notRecoverable } from '../../../covenant/stray-terms.js';
import type { Network } from '../../../bch/network.js';
import type { CampaignRecord } from '../campaign.js';
import { CampaignId } from '../fields.js';
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

const build = defineOperation({
  id: 'rewards.recover',
  summary: "Build the transaction that takes unexpected money out of a campaign's address",
  description:
    'A second funding, one with a wrong sum, or one by somebody else: it is cancelled by its own state and pays the refund address. The campaign itself stays as it is.',
  http: { method: 'POST', path: '/api/rewards/:id/recover' },
  cli: { example: 'rewards recover REWARD-0001' },
  auth: 'bearer',
  input: z.object({
    id: CampaignId,
    ...RecoverFields,
    topUp: z
      .boolean()
      .default(false)
      .describe('Pay the refund address what the contract asks for beyond what is there'),
  }),
  output: RecoverReply,
  errors: ['reward_not_found', 'not_creator', ...RECOVER_ERRORS],
  run: async ({ id, txid, vout, topUp }, context) => {
    // Check: the creator, and that something can be taken out.
    const { network, caller } = context;
    const campaign = await campaigns.follow(id, context);
    campaigns.checkRole(campaign, 'creator', caller.text);
    const { campaign_id: label, decimals, refund_address: refund } = campaign;
    const { followed } = campaigns.following(context);
    const rules = { tokenCategory: campaigns.tokenCategory, isState: campaigns.strays.isState };
    const site = { record: campaign, rules, followed, label };
    const stray = await chooseStray(site, { txid, vout }, context);
    const amount = refundOf(campaign, stray, topUp, network);

    // Build: as if the campaign stood on this thread.
    const spend = await straySpend(stray, caller, context);
    const unsigned = buildCancel(
      { record: { ...campaign, thread: stray.thread }, network, ...spend },
      amount,
    );
    const prompt = `Recover what lies unexpected at ${label}, to ${refund}`;
    return {
      label,
      txid: stray.coin.txid,
      vout: stray.coin.vout,
      rule: 'cancel' as const,
      ...showAmounts({ amount: stray.held, recipientAmount: 0n }, decimals),
      wcTransaction: await handOut(unsigned, caller, prompt, context),
    };
  },
});

export const recover = defineAction({
  build,
  confirm: confirmRecover(campaigns, 'creator'),
  record: campaigns.find,
  verb: 'recover',
  summary: 'Take unexpected money out of the address',
});
