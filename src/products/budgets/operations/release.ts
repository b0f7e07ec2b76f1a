/** Releasing: every milestone that has elapsed, several at once, to the recipient who signs. */
import { z } from 'zod';
import { formatUnits, toUnits, showAmounts } from '../../../bch/amount.js';
import { AddressField, AmountField, TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { ConfirmReply, indexedTransaction } from '../../../offer/confirm.js';
import { confirmedMove, confirmMove } from '../../../offer/confirm-move.js';
import {
  CONFIRM_ERRORS,
  defineAction,
  defineOperation,
  OFFER_ERRORS,
  VAULT_ERRORS,
} from '../../../operation/define.js';
import { spendOf } from '../../../offer/gather-spend.js';
import { handOut } from '../../../offer/hand-out.js';
import type { StoreReader } from '../../../operation/ports/store.js';
import { PlanId } from '../fields.js';
import { MAXIMUM_MILESTONES, releaseCollection, type PlanRecord } from '../plan.js';
import { plans } from '../product.js';
import { checkReleasable } from '../rules.js';
import { buildRelease } from '../transactions.js';

const build = defineOperation({
  id: 'budgets.release',
  summary: 'Build the transaction that releases the milestones that have elapsed',
  description:
    'The recipient signs. In BCH the fee comes out of the payout; with tokens the recipient pays it in BCH.',
  http: { method: 'POST', path: '/api/budget-plans/:id/release' },
  cli: { callerFields: ['recipientAddress'] },
  auth: 'optional',
  callerField: 'recipientAddress',
  input: z.object({ id: PlanId, recipientAddress: AddressField.describe('Must be the recipient') }),
  output: z.object({
    label: z.string(),
    releasableAmount: z.number(),
    releasableAmountOnChain: z.string(),
    milestonesReleasable: z.number(),
    nextStatus: z.enum(['ACTIVE', 'PAUSED', 'COMPLETED']),
    wcTransaction: WalletTransactionField,
  }),
  errors: [
    'budget_not_found',
    ...VAULT_ERRORS,
    'not_recipient',
    'wrong_state',
    'nothing_releasable',
    ...OFFER_ERRORS,
  ],
  run: async ({ id, recipientAddress }, context) => {
    // Check: who may read it, who asks, the status, and that something has elapsed at chain time.
    await plans.checkReader(await plans.find(context.store, id), context.caller, context.store);
    const plan = await plans.follow(id, context);
    plans.checkMove(plan, 'release', recipientAddress.text);
    const spend = await spendOf(plans, { record: plan, payer: recipientAddress }, context);
    const { upTo, count, amount } = checkReleasable(plan, spend.locktime);

    // Build: up to the last milestone that has elapsed.
    const unsigned = buildRelease(spend, upTo);
    const { budget_id: label, decimals } = plan;
    const milestones = count === 1 ? `milestone ${upTo}` : `milestones ${upTo - count + 1} to ${upTo}`;
    const prompt = `Release ${milestones} of ${label}: ${formatUnits(amount, decimals)}`;
    const isLast = upTo === plan.milestones.length;
    return {
      label,
      ...showAmounts({ releasableAmount: amount }, decimals),
      milestonesReleasable: count,
      nextStatus: isLast
        ? ('COMPLETED' as const)
        : plan.paused_at === null
          ? ('ACTIVE' as const)
          : ('PAUSED' as const),
      wcTransaction: await handOut(unsigned, recipientAddress, prompt, context),
    };
  },
});

/** What the milestones that a transaction released sum to, smallest unit. */
const releasedBy = async (txHash: string, { id }: PlanRecord, store: StoreReader): Promise<bigint> =>
  (
    await store.find(releaseCollection, {
      where: { transaction: txHash, budget: id },
      limit: MAXIMUM_MILESTONES,
    })
  ).items.reduce((sum, { amount }) => sum + amount, 0n);

const confirm = defineOperation({
  id: 'budgets.confirm-release',
  summary: 'Confirm a release on chain',
  http: { method: 'POST', path: '/api/budget-plans/:id/confirm-release' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({
    id: PlanId,
    releasedAmount: AmountField.optional().describe('Compared with the chain when given'),
    txHash: TxHash,
  }),
  output: ConfirmReply.extend({
    releasedAmount: z.number(),
    releasedAmountOnChain: z.string(),
    currentMilestone: z.number(),
  }),
  errors: ['budget_not_found', 'invalid_amount', ...CONFIRM_ERRORS],
  run: async ({ id, releasedAmount, txHash }, context) => {
    // Check: the chain knows the transaction, and the record was moved by it, just so.
    const plan = await plans.follow(id, context, [await indexedTransaction(txHash, context)]);
    const isLast = plan.status === 'COMPLETED' && plan.last_tx_hash === txHash;
    const released = await releasedBy(txHash, plan, context.store);
    const claimed =
      releasedAmount === undefined ? released : toUnits(releasedAmount, plan.decimals, 'releasedAmount');
    const show = (units: bigint) => `a release of ${formatUnits(units, plan.decimals)}`;
    const move = await confirmMove(
      {
        txHash,
        type: isLast ? 'completed' : 'released',
        follow: (transaction) => plans.follow(id, context, [transaction]),
        label: ({ budget_id: label }) => label,
        expected: () => (releasedAmount === undefined ? 'a release' : show(claimed)),
        difference: () => (claimed === released ? null : show(released)),
      },
      context,
    );
    const { budget_id: label, current_milestone: currentMilestone } = move.record;
    return {
      ...confirmedMove(`${formatUnits(released, plan.decimals)} of ${label} was released`, txHash, move),
      ...showAmounts({ releasedAmount: released }, plan.decimals),
      currentMilestone,
    };
  },
});

export const release = defineAction({
  build,
  confirm,
  record: plans.find,
  verb: 'release',
  summary: 'Take what has fallen due',
});
