/** Pausing a campaign: no further distributions, and no way back but to cancel. */
import { z } from 'zod';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, OFFER_ERRORS } from '../../../operation/define.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { handOut } from '../../../offer/hand-out.js';
import { confirmCreatorMove } from '../confirm-move.js';
import { CampaignId } from '../fields.js';
import { findCampaign, followCampaign } from '../records.js';
import { checkCreator, checkStatus } from '../rules.js';
import { spendOf } from '../spend-of.js';
import { buildPause } from '../transactions.js';

const build = defineOperation({
  id: 'rewards.pause',
  summary: 'Build the transaction that pauses a campaign',
  http: { method: 'POST', path: '/api/rewards/:id/pause' },
  auth: 'bearer',
  input: z.object({ id: CampaignId }),
  output: z.object({
    label: z.string(),
    nextStatus: z.literal('PAUSED'),
    wcTransaction: WalletTransactionField,
  }),
  errors: ['reward_not_found', 'not_creator', 'wrong_state', ...OFFER_ERRORS],
  run: async ({ id }, context) => {
    // Check: creator, status.
    const campaign = await followCampaign(id, context);
    checkCreator(campaign, context.caller.text);
    checkStatus(campaign, 'pause');

    // Build: only the state changes.
    const unsigned = buildPause(await spendOf(campaign, context));
    return {
      label: campaign.campaign_id,
      nextStatus: 'PAUSED' as const,
      wcTransaction: await handOut(unsigned, context.caller, `Pause ${campaign.campaign_id}`, context),
    };
  },
});

const confirm = defineOperation({
  id: 'rewards.confirm-pause',
  summary: 'Confirm a pause on chain',
  http: { method: 'POST', path: '/api/rewards/:id/confirm-pause' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'bearer',
  input: z.object({ id: CampaignId, txHash: TxHash }),
  output: ConfirmReply,
  errors: ['reward_not_found', 'not_creator', ...CONFIRM_ERRORS],
  run: ({ id, txHash }, context) =>
    confirmCreatorMove({ id, txHash, type: 'paused', expected: 'a pause' }, context),
  view: viewConfirmed,
});

export const pause = defineAction({
  build,
  confirm,
  record: findCampaign,
  verb: 'pause',
  summary: 'Stop all further distributions',
});
