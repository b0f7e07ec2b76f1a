/** Cancelling a budget plan: what has elapsed goes to the recipient, the rest to the controller. */
import { z } from 'zod';
import { showAmounts } from '../../../bch/amount.js';
import { defineMove } from '../../../offer/move.js';
import { plans } from '../product.js';
import { releasableAt, remainingPool } from '../rules.js';
import { buildCancel } from '../transactions.js';

export const cancel = defineMove(plans, 'cancel', {
  summary: 'Build the transaction that cancels a budget plan',
  description:
    'Milestones that have elapsed are paid to the recipient in the same transaction; the rest returns to the controller. The transaction is good for ten minutes.',
  cli: { ending: true },
  step: 'End a plan: what has elapsed to the recipient, the rest back',
  nextStatus: 'CANCELLED',
  prompt: (plan) => `Cancel ${plan.budget_id}: what has elapsed goes to the recipient, the rest comes back`,
  fields: {
    vestedAmount: z.number().describe('What the recipient gets, display units'),
    vestedAmountOnChain: z.string(),
    unvestedAmount: z.number().describe('What the controller gets back, display units'),
    unvestedAmountOnChain: z.string(),
    controllerAddress: z.string(),
  },
  buildWitnessed: buildCancel,
  answer: (plan, { locktime }) => {
    const { amount: vested } = releasableAt(plan, locktime);
    const unvested = remainingPool(plan) - vested;
    return {
      ...showAmounts({ vestedAmount: vested, unvestedAmount: unvested }, plan.decimals),
      controllerAddress: plan.creator,
    };
  },
  confirm: {
    event: 'cancelled',
    expected: 'a cancellation',
    message: ({ record }) => `${record.budget_id} is cancelled`,
  },
});
