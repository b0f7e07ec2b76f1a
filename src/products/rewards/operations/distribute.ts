/** Paying a recipient out of the pool: co-signed by the authority, signed and sent by the creator. */
import { z } from 'zod';
import { displayNumber, formatUnits, showAmounts, toPositiveUnits } from '../../../bch/amount.js';
import { AddressField, AmountField, TxHash } from '../../../bch/fields.js';
import { TreasuryError } from '../../../errors.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { confirmedMove, confirmMove } from '../../../offer/confirm-move.js';
import { AUTHORITY_ERRORS, CONFIRM_ERRORS, defineOperation } from '../../../operation/define.js';
import { defineMove } from '../../../offer/move.js';
import { checkPayable } from '../../../offer/payees.js';
import { CampaignId } from '../fields.js';
import { Distributed } from '../campaign.js';
import { campaigns } from '../product.js';
import { checkDistribution } from '../rules.js';
import { buildDistribution } from '../transactions.js';

const aliases = { recipient: 'recipientAddress', rewardAmount: 'amount' };

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
    const { decimals } = await campaigns.find(context.store, id);
    const units = toPositiveUnits(amount, decimals, 'amount');
    const show = (value: bigint) => formatUnits(value, decimals);

    // Check: the chain knows the transaction, and the record was moved by it, just so.
    const move = await confirmMove(
      {
        txHash,
        type: 'distribution',
        follow: (transaction) => campaigns.follow(id, context, [transaction]),
        label: campaigns.label,
        expected: () => `a distribution of ${show(units)} to ${recipientAddress.text}`,
        difference: (_campaign, event) => {
          const { recipient } = Distributed.parse(event.details);
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

export const distribute = defineMove(campaigns, 'distribute', {
  summary: 'Build the transaction that pays a recipient out of the pool',
  cli: {
    example: 'rewards distribute REWARD-0001 --recipient-address <address> --amount 0.1',
    hidden: ['signerAddress'],
  },
  step: 'Pay a recipient out of the pool',
  auth: 'bearer',
  input: {
    recipientAddress: AddressField,
    amount: AmountField.describe('Display units; above 0 and at most maxRewardAmount'),
    signerAddress: AddressField.optional().describe('Must be the creator when given'),
  },
  aliases,
  errors: [
    'not_signer',
    'not_payable',
    'invalid_amount',
    'amount_exceeds_max_reward',
    'pool_exhausted',
    'amount_below_dust',
    'campaign_not_started',
    'campaign_ended',
    ...AUTHORITY_ERRORS,
  ],
  checkSigner: ({ creator }, { signerAddress: signer }) => {
    if (signer !== undefined && signer.text !== creator)
      throw new TreasuryError('not_signer', { signerAddress: signer.text, creator });
  },
  fields: { rewardAmount: z.number(), rewardAmountOnChain: z.string() },
  build: async (spend, { recipientAddress: recipient, amount: asked }, context) => {
    // Check: the rules at chain now, before anything is built.
    const { record: campaign, locktime } = spend;
    await checkPayable(recipient, 'recipientAddress', context);
    const amount = toPositiveUnits(asked, campaign.decimals, 'amount');
    checkDistribution(campaign, amount, locktime);

    // Build: with the authority's signature in place.
    const authority = await context.keys.authority(campaign.authority_pubkey);
    const unsigned = buildDistribution(spend, { recipient, amount, authority });
    const reward = formatUnits(amount, campaign.decimals);
    return { ...unsigned, prompt: `Pay ${reward} of ${campaign.campaign_id} to ${recipient.text}` };
  },
  answer: ({ decimals }, { asked: { amount } }) =>
    showAmounts({ rewardAmount: toPositiveUnits(amount, decimals, 'amount') }, decimals),
  confirm,
});
