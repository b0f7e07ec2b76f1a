/** Recovering what lies unexpected at a plan's address: by its own state, the controller cancels it and the recipient releases it. */
import { z } from 'zod';
import { TxHash } from '../../../bch/fields.js';
import { viewConfirmed } from '../../../offer/confirm.js';
import { confirmRecovery, ConfirmRecoverReply } from '../../../offer/confirm-recover.js';
import { defineAction, defineOperation } from '../../../operation/define.js';
import {
  chooseStrayFor,
  offerRecovery,
  RECOVER_ERRORS,
  RecoverFields,
  RecoverReply,
} from '../../../offer/recover.js';
import { PlanId } from '../fields.js';
import { findPlan, followPlan, planFollowing } from '../records.js';
import { planStray, planStrays } from '../strays.js';

const build = defineOperation({
  id: 'budgets.recover',
  summary: "Build the transaction that takes unexpected money out of a plan's address",
  description:
    'A second funding, one with a wrong sum, or one by somebody else. For the controller it is cancelled, co-signed by the authority and good for ten minutes; for its recipient it pays what has elapsed. The plan itself stays as it is.',
  http: { method: 'POST', path: '/api/budget-plans/:id/recover' },
  cli: { example: 'budgets recover BUDGET-0001' },
  auth: 'address',
  input: z.object({ id: PlanId, ...RecoverFields }),
  output: RecoverReply,
  errors: [
    'budget_not_found',
    'not_sender',
    'nothing_releasable',
    'authority_locked',
    'authority_unfunded',
    ...RECOVER_ERRORS,
  ],
  run: async ({ id, txid, vout }, context) => {
    // Check: a party asks, and something can be taken out.
    const plan = await followPlan(id, context);
    const { followed } = planFollowing(context);
    const site = { record: plan, rules: planStrays, followed, label: plan.budget_id };
    const between = { sender: plan.creator, recipient: plan.recipient };
    const stray = await chooseStrayFor(context.caller, between, site, { txid, vout }, context);

    // Build: what its state allows the caller.
    const terms = planStray(plan, stray, context.network);
    const { authority_pubkey: authorityPublicKey } = plan;
    const request = { entityType: 'budget', id: plan.id, authorityPublicKey, stray, terms };
    return offerRecovery(request, context.caller, context);
  },
});

const confirm = defineOperation({
  id: 'budgets.confirm-recover',
  summary: 'Confirm on chain that unexpected money was recovered',
  http: { method: 'POST', path: '/api/budget-plans/:id/confirm-recover' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({ id: PlanId, txHash: TxHash }),
  output: ConfirmRecoverReply,
  errors: ['budget_not_found', 'tx_not_indexed', 'tx_mismatch', 'store_conflict', 'chain_unavailable'],
  run: async ({ id, txHash }, context) => {
    const plan = await followPlan(id, context);
    return confirmRecovery(plan, plan.budget_id, txHash, context);
  },
  view: viewConfirmed,
});

export const recover = defineAction({
  build,
  confirm,
  record: findPlan,
  verb: 'recover',
  summary: 'Take unexpected money out of the address',
});
