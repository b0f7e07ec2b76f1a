/** Releasing: every milestone that has elapsed, several at once, to the recipient who signs. */
import { z } from 'zod';
import { formatUnits, toUnits, showAmounts } from '../../../bch/amount.js';
import { AddressField, AmountField } from '../../../bch/fields.js';
import { claimedAmount } from '../../../offer/confirm-move.js';
import { defineMove } from '../../../offer/move.js';
import { plans } from '../product.js';
import { checkReleasable } from '../rules.js';
import { buildRelease } from '../transactions.js';

export const release = defineMove(plans, 'release', {
  summary: 'Build the transaction that releases the milestones that have elapsed',
  description:
    'The recipient signs. In BCH the fee comes out of the payout; with tokens the recipient pays it in BCH.',
  cli: { callerFields: ['recipientAddress'] },
  step: 'Take what has fallen due',
  auth: 'optional',
  callerField: 'recipientAddress',
  input: { recipientAddress: AddressField.describe('Must be the recipient') },
  errors: ['nothing_releasable'],
  fields: {
    releasableAmount: z.number(),
    releasableAmountOnChain: z.string(),
    milestonesReleasable: z.number(),
    nextStatus: z.enum(['ACTIVE', 'PAUSED', 'COMPLETED']),
  },
  build: (spend) => {
    // Up to the last milestone that has elapsed at chain time.
    const { record: plan, locktime } = spend;
    const { budget_id: label, decimals } = plan;
    const { upTo, count, amount } = checkReleasable(plan, locktime);
    const milestones = count === 1 ? `milestone ${upTo}` : `milestones ${upTo - count + 1} to ${upTo}`;
    const standing = plan.paused_at === null ? ('ACTIVE' as const) : ('PAUSED' as const);
    return {
      ...buildRelease(spend, upTo),
      prompt: `Release ${milestones} of ${label}: ${formatUnits(amount, decimals)} ${spend.unit}`,
      told: {
        ...showAmounts({ releasableAmount: amount }, decimals),
        milestonesReleasable: count,
        nextStatus: upTo === plan.milestones.length ? ('COMPLETED' as const) : standing,
      },
    };
  },
  confirm: {
    event: 'released',
    expected: 'a release',
    input: { releasedAmount: AmountField.optional().describe('Compared with the chain when given') },
    errors: ['invalid_amount'],
    claims: ({ decimals }, { releasedAmount: claimed }) =>
      claimed === undefined
        ? null
        : claimedAmount('a release', toUnits(claimed, decimals, 'releasedAmount'), decimals),
    message: ({ record: { budget_id: label }, amount }) => `${amount} of ${label} was released`,
    fields: {
      releasedAmount: z.number(),
      releasedAmountOnChain: z.string(),
      currentMilestone: z.number(),
    },
    answer: ({ record: { decimals, current_milestone: currentMilestone }, event }) => ({
      ...showAmounts({ releasedAmount: event.amount }, decimals),
      currentMilestone,
    }),
  },
  rebuilds: true,
});
