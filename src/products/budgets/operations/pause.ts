/** Pausing a budget plan: it stands still from the chain's now on, witnessed by the authority. */
import { z } from 'zod';
import { WalletTransactionField } from '../../../bch/fields.js';
import { defineAction, defineOperation } from '../../../operation/define.js';
import { offerWitnessed } from '../../../offer/witness/offer.js';
import { confirmControllerMove } from '../confirm-move.js';
import { PlanId } from '../fields.js';
import { findPlan, followPlan } from '../records.js';
import { checkCancelable, checkController, checkStatus } from '../rules.js';
import { spendOf } from '../spend-of.js';
import { buildPause } from '../transactions.js';
import { witnessRequest } from '../witness-request.js';

const build = defineOperation({
  id: 'budgets.pause',
  summary: 'Build the transaction that pauses a budget plan',
  description:
    'What has elapsed by now can still be released; nothing falls due until the plan is resumed. The transaction is good for ten minutes.',
  http: { method: 'POST', path: '/api/budget-plans/:id/pause' },
  auth: 'address',
  input: z.object({ id: PlanId }),
  output: z.object({
    label: z.string(),
    nextStatus: z.literal('PAUSED'),
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
    checkStatus(plan, 'pause');
    checkCancelable(plan);

    // Build: only the state changes, at the chain's now.
    const wcTransaction = await offerWitnessed(
      {
        ...witnessRequest(plan, 'pause', context.caller),
        userPrompt: `Pause ${plan.budget_id}`,
        build: async (witness) => buildPause(await spendOf(plan, 'creator', context), witness),
      },
      context,
    );
    return { label: plan.budget_id, nextStatus: 'PAUSED' as const, wcTransaction };
  },
});

const confirm = confirmControllerMove({ verb: 'pause', type: 'paused', expected: 'a pause' });

export const pause = defineAction({
  build,
  confirm,
  record: findPlan,
  verb: 'pause',
  summary: 'Stop the clock of a plan',
});
