/** Paying a recipient out of the pool: co-signed by the authority, signed and sent by the creator. */
import { z } from 'zod';
import { displayNumber, formatUnits, showAmounts, toPositiveUnits } from '../../../bch/amount.js';
import { AddressField, AmountField } from '../../../bch/fields.js';
import { TreasuryError } from '../../../errors.js';
import { AUTHORITY_ERRORS } from '../../../operation/define.js';
import { defineMove } from '../../../offer/move.js';
import { checkPayable } from '../../../offer/payees.js';
import type { SheetKind } from '../../../operation/sheet-kind.js';
import { Distributed, distributionCollection } from '../campaign.js';
import { campaigns } from '../product.js';
import { checkDistribution, remainingPool } from '../rules.js';
import { buildDistribution } from '../transactions.js';

/** A distribution in words: no two read alike. */
const describe = (amount: bigint, recipient: string, decimals: number): string =>
  `a distribution of ${formatUnits(amount, decimals)} to ${recipient}`;

/** The table of a list: a row for each who is paid. */
const LIST_SHEET: SheetKind = {
  columns: [
    { name: 'recipient', field: 'recipientAddress', kind: 'address', about: 'who is paid', needed: 'yes' },
    {
      name: 'amount',
      field: 'amount',
      kind: 'amount',
      about: 'at most the maximum of the campaign',
      needed: 'yes',
    },
  ],
  required: [['recipient'], ['amount']],
  examples: [{ recipient: '@somebody', amount: '0.005' }],
};

const aliases = { recipient: 'recipientAddress', rewardAmount: 'amount' };

export const distribute = defineMove(campaigns, 'distribute', {
  summary: 'Build the transaction that pays a recipient out of the pool',
  cli: {
    example: 'rewards distribute REWARD-0001 --recipient-address <address> --amount 0.1',
    hidden: ['signerAddress'],
    sheet: { kind: LIST_SHEET, entries: null },
  },
  step: 'Pay a recipient out of the pool',
  auth: 'bearer',
  input: {
    recipientAddress: AddressField,
    amount: AmountField.describe('Display units; above 0 and at most what one recipient gets'),
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
    checkDistribution(campaign, amount, locktime, spend.unit);

    // Build: with the authority's signature in place.
    const authority = await context.keys.authority(campaign.authority_pubkey);
    return {
      ...buildDistribution(spend, { recipient, amount, authority }),
      prompt: `Pay ${formatUnits(amount, campaign.decimals)} ${spend.unit} of ${campaign.campaign_id} to ${recipient.text}`,
      told: showAmounts({ rewardAmount: amount }, campaign.decimals),
    };
  },
  confirm: {
    event: 'distribution',
    expected: 'a distribution',
    auth: 'bearer',
    byAnybody: true,
    input: { recipientAddress: AddressField, amount: AmountField },
    aliases,
    errors: ['invalid_amount'],
    claims: ({ decimals }, { recipientAddress, amount }) => {
      const claimed = describe(toPositiveUnits(amount, decimals, 'amount'), recipientAddress.text, decimals);
      return {
        expected: claimed,
        difference: (event) => {
          const made = describe(event.amount, Distributed.parse(event.details).recipient, decimals);
          return made === claimed ? null : made;
        },
      };
    },
    message: ({ event, amount }) => {
      const { recipient } = Distributed.parse(event.details);
      return `${amount} was paid to ${recipient}`;
    },
    fields: { distributedTotal: z.number(), distributedCount: z.number() },
    answer: ({ record: { distributed_total: total, distributed_count: distributedCount, decimals } }) => ({
      distributedTotal: displayNumber(total, decimals),
      distributedCount,
    }),
  },
  rebuilds: true,
  rows: async (store, { id }) => {
    const campaign = await campaigns.find(store, String(id));
    const { items } = await store.find(distributionCollection, { where: { reward: campaign.id } });
    const { token_category: category, decimals } = campaign;
    const available = remainingPool(campaign);
    return {
      to: 'recipientAddress',
      amount: 'amount',
      category,
      decimals,
      available,
      tooMuch: (sum) =>
        `its rows come to ${formatUnits(sum, decimals)}, and ${formatUnits(available, decimals)} are left in ${campaign.campaign_id}`,
      paid: items.map(({ recipient, amount: units }) => ({ to: recipient, units })),
    };
  },
});
