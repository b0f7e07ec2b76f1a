/** Cancelling a budget plan: what has elapsed goes to the recipient, the rest to the controller. */
import { z } from 'zod';
import { displayNumber } from '../../../bch/amount.js';
import { WalletTransactionField } from '../../../bch/fields.js';
import { decodeWalletTransaction } from '../../../bch/wallet-transaction.js';
import { defineAction, defineOperation } from '../../../operation/define.js';
import { offerWitnessed } from '../../../offer/witness/offer.js';
import { confirmControllerMove } from '../confirm-move.js';
import { PlanId } from '../fields.js';
import { findPlan, followPlan } from '../records.js';
import { checkCancelable, checkController, checkStatus, releasableAt, remainingPool } from '../rules.js';
import { spendOf } from '../spend-of.js';
import { buildCancel } from '../transactions.js';
import { witnessRequest } from '../witness-request.js';

const build = defineOperation({
  id: 'budgets.cancel',
  summary: 'Build the transaction that cancels a budget plan',
  description:
    'Milestones that have elapsed are paid to the recipient in the same transaction; the rest returns to the controller. The transaction is good for ten minutes.',
  http: { method: 'POST', path: '/api/budget-plans/:id/cancel' },
  cli: { ending: true },
  auth: 'address',
  input: z.object({ id: PlanId }),
  output: z.object({
    label: z.string(),
    nextStatus: z.literal('CANCELLED'),
    vestedAmount: z.number().describe('What the recipient gets, display units'),
    vestedAmountOnChain: z.string(),
    unvestedAmount: z.number().describe('What the controller gets back, display units'),
    unvestedAmountOnChain: z.string(),
    controllerAddress: z.string(),
    wcTransaction: WalletTransactionField,
  }),
  errors: [
    'budget_not_found',
    'not_controller',
    'wrong_state',
    'not_cancelable',
    'insufficient_funds',
    'authority_locked',
    'authority_unfunded',
    'too_many_witnesses',
    'store_conflict',
    'chain_unavailable',
  ],
  run: async ({ id }, context) => {
    // Check: controller, status, and that it is revocable.
    const plan = await followPlan(id, context);
    checkController(plan, context.caller.text);
    checkStatus(plan, 'cancel');
    checkCancelable(plan);

    // Build: the two parts as they stand at the chain's now.
    const { budget_id: label, decimals } = plan;
    const wcTransaction = await offerWitnessed(
      {
        ...witnessRequest(plan, 'cancel', context.caller),
        userPrompt: `Cancel ${label}: what has elapsed goes to the recipient, the rest comes back`,
        build: async (witness) => buildCancel(await spendOf(plan, 'creator', context), witness),
      },
      context,
    );

    // The transaction may be the one that was handed out some minutes ago: its own time counts.
    const { locktime } = decodeWalletTransaction(wcTransaction).transaction;
    const { amount: vested } = releasableAt(plan, locktime);
    const unvested = remainingPool(plan) - vested;
    return {
      label,
      nextStatus: 'CANCELLED' as const,
      vestedAmount: displayNumber(vested, decimals),
      vestedAmountOnChain: vested.toString(),
      unvestedAmount: displayNumber(unvested, decimals),
      unvestedAmountOnChain: unvested.toString(),
      controllerAddress: plan.creator,
      wcTransaction,
    };
  },
});

const confirm = confirmControllerMove({ verb: 'cancel', type: 'cancelled', expected: 'a cancellation' });

export const cancel = defineAction({
  build,
  confirm,
  record: findPlan,
  verb: 'cancel',
  summary: 'End a plan: what has elapsed to the recipient, the rest back',
});
