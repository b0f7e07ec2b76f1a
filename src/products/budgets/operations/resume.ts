/** Resuming a budget plan: what has not elapsed falls due later by the time it stood still. */
import { z } from 'zod';
import { WalletTransactionField } from '../../../bch/fields.js';
import { defineAction, defineOperation } from '../../../operation/define.js';
import { handOut } from '../../../offer/hand-out.js';
import { confirmControllerMove } from '../confirm-move.js';
import { PlanId } from '../fields.js';
import { findPlan, followPlan } from '../records.js';
import { checkController, checkStatus } from '../rules.js';
import { spendOf } from '../spend-of.js';
import { buildResume } from '../transactions.js';

const build = defineOperation({
  id: 'budgets.resume',
  summary: 'Build the transaction that resumes a budget plan',
  http: { method: 'POST', path: '/api/budget-plans/:id/resume' },
  auth: 'address',
  input: z.object({ id: PlanId }),
  output: z.object({
    label: z.string(),
    nextStatus: z.literal('ACTIVE'),
    wcTransaction: WalletTransactionField,
  }),
  errors: [
    'budget_not_found',
    'not_controller',
    'wrong_state',
    'insufficient_funds',
    'store_conflict',
    'chain_unavailable',
  ],
  run: async ({ id }, context) => {
    // Check: controller, status.
    const plan = await followPlan(id, context);
    checkController(plan, context.caller.text);
    checkStatus(plan, 'resume');

    // Build: only the state changes. An earlier locktime would help the recipient, so no witness is needed.
    const unsigned = buildResume(await spendOf(plan, 'creator', context));
    return {
      label: plan.budget_id,
      nextStatus: 'ACTIVE' as const,
      wcTransaction: await handOut(unsigned, context.caller, `Resume ${plan.budget_id}`, context),
    };
  },
});

const confirm = confirmControllerMove({ verb: 'resume', type: 'resumed', expected: 'a resumption' });

export const resume = defineAction({
  build,
  confirm,
  record: findPlan,
  verb: 'resume',
  summary: 'Let the clock of a plan run on',
});
