/** Paying a recipient out of the pool: co-signed by the authority, signed and sent by the creator. */
import { z } from 'zod';
import { displayNumber, toPositiveUnits, formatUnits } from '../../../bch/amount.js';
import { AddressField, AmountField, TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { TreasuryError } from '../../../errors.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { confirmedMove, confirmMove } from '../../../offer/confirm-move.js';
import {
  AUTHORITY_ERRORS,
  CONFIRM_ERRORS,
  defineAction,
  defineOperation,
  OFFER_ERRORS,
} from '../../../operation/define.js';
import { handOut } from '../../../offer/hand-out.js';
import { chainNow } from '../../../operation/chain-now.js';
import { checkPayable } from '../../../offer/payees.js';
import { CampaignId } from '../fields.js';
import { findCampaign, followCampaign } from '../records.js';
import { checkCreator, checkDistribution, checkStatus } from '../rules.js';
import { spendOf } from '../spend-of.js';
import { buildDistribution } from '../transactions.js';

const aliases = { recipient: 'recipientAddress', rewardAmount: 'amount' };

const build = defineOperation({
  id: 'rewards.distribute',
  summary: 'Build the transaction that pays a recipient out of the pool',
  http: { method: 'POST', path: '/api/rewards/:id/distribute' },
  cli: {
    example: 'rewards distribute REWARD-0001 --recipient-address <address> --amount 0.1',
    hidden: ['signerAddress'],
  },
  auth: 'bearer',
  input: z.object({
    id: CampaignId,
    recipientAddress: AddressField,
    amount: AmountField.describe('Display units; above 0 and at most maxRewardAmount'),
    signerAddress: AddressField.optional().describe('Must be the creator when given'),
  }),
  output: z.object({
    label: z.string(),
    rewardAmount: z.number(),
    rewardAmountOnChain: z.string(),
    wcTransaction: WalletTransactionField,
  }),
  errors: [
    'reward_not_found',
    'not_creator',
    'not_signer',
    'wrong_state',
    'not_payable',
    'invalid_amount',
    'amount_exceeds_max_reward',
    'pool_exhausted',
    'amount_below_dust',
    'campaign_not_started',
    'campaign_ended',
    ...AUTHORITY_ERRORS,
    ...OFFER_ERRORS,
  ],
  aliases,
  run: async ({ id, recipientAddress, amount, signerAddress }, context) => {
    // Check: who asks, then the rules, before anything is built.
    const campaign = await followCampaign(id, context);
    checkCreator(campaign, context.caller.text);
    if (signerAddress !== undefined && signerAddress.text !== campaign.creator) {
      throw new TreasuryError('not_signer', { signerAddress: signerAddress.text, creator: campaign.creator });
    }
    checkStatus(campaign, 'distribute');
    await checkPayable(recipientAddress, 'recipientAddress', context);
    const units = toPositiveUnits(amount, campaign.decimals, 'amount');
    checkDistribution(campaign, units, await chainNow(context));

    // Build: with the authority's signature in place.
    const authority = await context.keys.authority(campaign.authority_pubkey);
    const spend = await spendOf(campaign, context);
    const unsigned = buildDistribution(spend, { recipient: recipientAddress, amount: units, authority });
    const reward = formatUnits(units, campaign.decimals);
    const prompt = `Pay ${reward} of ${campaign.campaign_id} to ${recipientAddress.text}`;
    return {
      label: campaign.campaign_id,
      rewardAmount: displayNumber(units, campaign.decimals),
      rewardAmountOnChain: units.toString(),
      wcTransaction: await handOut(unsigned, context.caller, prompt, context),
    };
  },
});

const confirm = defineOperation({
  id: 'rewards.confirm-distribute',
  summary: 'Confirm a distribution on chain',
  http: { method: 'POST', path: '/api/rewards/:id/confirm-distribute' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'bearer',
  input: z.object({
    id: CampaignId,
    recipientAddress: AddressField,
    amount: AmountField,
    txHash: TxHash,
  }),
  output: ConfirmReply.extend({ distributedTotal: z.number(), distributedCount: z.number() }),
  errors: ['reward_not_found', 'invalid_amount', ...CONFIRM_ERRORS],
  aliases,
  run: async ({ id, recipientAddress, amount, txHash }, context) => {
    const { decimals } = await findCampaign(context.store, id);
    const units = toPositiveUnits(amount, decimals, 'amount');
    const show = (value: bigint) => formatUnits(value, decimals);

    // Check: the chain knows the transaction, and the record was moved by it, just so.
    const move = await confirmMove(
      {
        txHash,
        type: 'distribution',
        follow: (transaction) => followCampaign(id, context, [transaction]),
        label: (campaign) => campaign.campaign_id,
        expected: () => `a distribution of ${show(units)} to ${recipientAddress.text}`,
        difference: (_campaign, event) => {
          const recipient = String(event.details['recipient']);
          const isSame = event.amount === units && recipient === recipientAddress.text;
          return isSame ? null : `a distribution of ${show(event.amount)} to ${recipient}`;
        },
      },
      context,
    );
    return {
      ...confirmedMove(`${show(units)} was paid to ${recipientAddress.text}`, txHash, move),
      distributedTotal: displayNumber(move.record.distributed_total, decimals),
      distributedCount: move.record.distributed_count,
    };
  },
  view: viewConfirmed,
});

export const distribute = defineAction({
  build,
  confirm,
  record: findCampaign,
  verb: 'distribute',
  summary: 'Pay a recipient out of the pool',
});
