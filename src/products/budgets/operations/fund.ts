/** Funding a budget plan: mints its thread and puts the whole budget in. */
import { z } from 'zod';
import { parseAddress } from '../../../bch/address.js';
import { TxHash } from '../../../bch/fields.js';
import { ConfirmReply } from '../../../offer/confirm.js';
import { confirmFunding } from '../../../offer/confirm-funding.js';
import { defineAction, defineOperation } from '../../../operation/define.js';
import { answerFunding, fundingReply } from '../../../offer/funding.js';
import { PlanId } from '../fields.js';
import { findPlan, followPlan, planCollection } from '../records.js';
import { checkController, checkStatus } from '../rules.js';
import { planGenesis } from '../transactions.js';

const build = defineOperation({
  id: 'budgets.funding-info',
  summary: 'Build the transaction that funds a budget plan',
  description:
    'When the controller has no coin at output index 0, the answer is the preparation form: sign and broadcast that first.',
  http: { method: 'GET', path: '/api/budget-plans/:id/funding-info' },
  auth: 'address',
  input: z.object({ id: PlanId }),
  output: fundingReply({}),
  errors: [
    'budget_not_found',
    'not_controller',
    'wrong_state',
    'insufficient_funds',
    'store_conflict',
    'chain_unavailable',
  ],
  run: async ({ id }, context) => {
    // Check: the controller, and it waits for its funding, also when the chain is asked.
    const plan = await followPlan(id, context);
    checkController(plan, context.caller.text);
    checkStatus(plan, 'fund');

    // Build: the thread, its pool, and the controller's change; or the preparation.
    return answerFunding(
      {
        label: plan.budget_id,
        payer: parseAddress(plan.creator),
        members: [planGenesis(plan, context.network)],
        collection: planCollection.name,
        id: plan.id,
        contractAddress: plan.contract_address,
        tokenType: plan.tokenType,
        decimals: plan.decimals,
      },
      {},
      context,
    );
  },
});

const confirm = defineOperation({
  id: 'budgets.confirm-funding',
  summary: 'Confirm the funding of a budget plan on chain',
  http: { method: 'POST', path: '/api/budget-plans/:id/confirm-funding' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({ id: PlanId, txHash: TxHash }),
  output: ConfirmReply,
  errors: ['budget_not_found', 'tx_not_indexed', 'tx_mismatch', 'store_conflict', 'chain_unavailable'],
  run: async ({ id, txHash }, context) => {
    const { reply } = await confirmFunding(
      {
        txHash,
        follow: (transaction) => followPlan(id, context, [transaction]),
        label: ({ budget_id }) => budget_id,
        funding: 'mint its thread with the whole budget from the controller’s coins',
      },
      context,
    );
    return reply;
  },
});

export const fund = defineAction({
  build,
  confirm,
  record: findPlan,
  verb: 'fund',
  summary: 'Put the whole budget into a plan',
});
