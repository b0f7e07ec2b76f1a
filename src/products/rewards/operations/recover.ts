/** Recovering what lies unexpected at a campaign's address: its creator cancels it, as the campaign itself. */
import { z } from 'zod';
import { displayNumber, formatUnits } from '../../../bch/amount.js';
import { TxHash } from '../../../bch/fields.js';
import type { StrayThread } from '../../../covenant/stray.js';
import { viewConfirmed } from '../../../offer/confirm.js';
import { confirmRecovery, ConfirmRecoverReply } from '../../../offer/confirm-recover.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, RECOVER_ERRORS } from '../../../operation/define.js';
import { handOut } from '../../../offer/hand-out.js';
import { chooseStray, RecoverFields, RecoverReply, straySpend } from '../../../offer/recover.js';
import { checkReserve, notRecoverable } from '../../../covenant/stray-terms.js';
import type { Network } from '../../../bch/network.js';
import type { CampaignRecord } from '../campaign.js';
import { CampaignId } from '../fields.js';
import { campaignFollowing, findCampaign, followCampaign } from '../records.js';
import { checkCreator } from '../rules.js';
import { readState } from '../state.js';
import { campaignStrays } from '../strays.js';
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
    const campaign = await followCampaign(id, context);
    checkCreator(campaign, caller.text);
    const { campaign_id: label, decimals, refund_address: refund } = campaign;
    const { followed } = campaignFollowing(context);
    const site = { record: campaign, rules: campaignStrays, followed, label };
    const stray = await chooseStray(site, { txid, vout }, context);
    const amount = refundOf(campaign, stray, topUp, network);

    // Build: as if the campaign stood on this thread.
    const spend = await straySpend(stray, caller, context);
    const unsigned = buildCancel(
      { campaign: { ...campaign, thread: stray.thread }, network, ...spend },
      amount,
    );
    const prompt = `Recover what lies unexpected at ${label}, to ${refund}`;
    return {
      label,
      txid: stray.coin.txid,
      vout: stray.coin.vout,
      rule: 'cancel' as const,
      amount: displayNumber(stray.held, decimals),
      amountOnChain: stray.held.toString(),
      recipientAmount: 0,
      recipientAmountOnChain: '0',
      wcTransaction: await handOut(unsigned, caller, prompt, context),
    };
  },
});

const confirm = defineOperation({
  id: 'rewards.confirm-recover',
  summary: 'Confirm on chain that unexpected money was recovered',
  http: { method: 'POST', path: '/api/rewards/:id/confirm-recover' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'bearer',
  input: z.object({ id: CampaignId, txHash: TxHash }),
  output: ConfirmRecoverReply,
  errors: ['reward_not_found', 'not_creator', ...CONFIRM_ERRORS],
  run: async ({ id, txHash }, context) => {
    checkCreator(await findCampaign(context.store, id), context.caller.text);
    const campaign = await followCampaign(id, context);
    return confirmRecovery(campaign, campaign.campaign_id, txHash, context);
  },
  view: viewConfirmed,
});

export const recover = defineAction({
  build,
  confirm,
  record: findCampaign,
  verb: 'recover',
  summary: 'Take unexpected money out of the address',
});
