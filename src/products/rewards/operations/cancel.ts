/** Cancelling a campaign: what remains goes to the address that the contract fixed, and the thread is burned. */
import { z } from 'zod';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, OFFER_ERRORS } from '../../../operation/define.js';
import { handOut } from '../../../offer/hand-out.js';
import { confirmCreatorMove } from '../confirm-move.js';
import { CampaignId } from '../fields.js';
import { findCampaign, followCampaign } from '../records.js';
import { checkCreator, checkStatus, remainingPool } from '../rules.js';
import { spendOf } from '../spend-of.js';
import { buildCancel } from '../transactions.js';

const build = defineOperation({
  id: 'rewards.cancel',
  summary: 'Build the transaction that cancels a campaign and refunds what remains',
  http: { method: 'POST', path: '/api/rewards/:id/cancel' },
  cli: { ending: true },
  auth: 'bearer',
  input: z.object({ id: CampaignId }),
  output: z.object({
    label: z.string(),
    nextStatus: z.literal('CANCELLED'),
    cancelReturnAddress: z.string(),
    authorityReturnAddress: z.string(),
    signerMatchesReturn: z.boolean(),
    remainingPool: z.string().describe('Smallest unit'),
    wcTransaction: WalletTransactionField,
    warning: z.string().optional(),
  }),
  errors: ['reward_not_found', 'not_creator', 'wrong_state', ...OFFER_ERRORS],
  run: async ({ id }, context) => {
    // Check: creator, status.
    const campaign = await followCampaign(id, context);
    checkCreator(campaign, context.caller.text);
    checkStatus(campaign, 'cancel');

    // Build: the refund goes where the contract says, whoever signs.
    const unsigned = buildCancel(await spendOf(campaign, context));
    const { refund_address: refundAddress, campaign_id: label } = campaign;
    const signerMatchesReturn = refundAddress === context.caller.text;
    const warning = `What remains goes to ${refundAddress}, which the contract fixed, and not to you (${context.caller.text})`;
    return {
      label,
      nextStatus: 'CANCELLED' as const,
      cancelReturnAddress: refundAddress,
      authorityReturnAddress: refundAddress,
      signerMatchesReturn,
      remainingPool: remainingPool(campaign).toString(),
      wcTransaction: await handOut(
        unsigned,
        context.caller,
        `Cancel ${label}, refund to ${refundAddress}`,
        context,
      ),
      ...(signerMatchesReturn ? {} : { warning }),
    };
  },
});

const confirm = defineOperation({
  id: 'rewards.confirm-cancel',
  summary: 'Confirm a cancellation on chain',
  http: { method: 'POST', path: '/api/rewards/:id/confirm-cancel' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'bearer',
  input: z.object({ id: CampaignId, txHash: TxHash }),
  output: ConfirmReply,
  errors: ['reward_not_found', 'not_creator', ...CONFIRM_ERRORS],
  run: ({ id, txHash }, context) =>
    confirmCreatorMove({ id, txHash, type: 'cancelled', expected: 'a cancellation' }, context),
  view: viewConfirmed,
});

export const cancel = defineAction({
  build,
  confirm,
  record: findCampaign,
  verb: 'cancel',
  summary: 'End a campaign and refund what remains',
});
