/** Funding a budget plan: mints its thread and puts the whole budget in. */
import { z } from 'zod';
import { parseAddress } from '../../../bch/address.js';
import { displayNumber } from '../../../bch/amount.js';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { THREAD_DUST } from '../../../bch/transaction.js';
import {
  confirmationsOf,
  confirmed,
  ConfirmReply,
  indexedTransaction,
  mismatch,
} from '../../../operation/confirm.js';
import { defineAction, defineOperation } from '../../../operation/define.js';
import { PreparationReply } from '../../../operation/hand-out.js';
import { FundingInfoFields, offerFunding } from '../../../operation/offer-funding.js';
import { PlanId } from '../fields.js';
import { followPlan } from '../records.js';
import { checkController, checkStatus } from '../rules.js';
import { planGenesis } from '../transactions.js';

const ReadyReply = z.object({
  success: z.literal(true),
  label: z.string(),
  fundingInfo: z.object({ ...FundingInfoFields, amount: z.number() }),
  wcTransaction: WalletTransactionField,
});

const build = defineOperation({
  id: 'budgets.funding-info',
  summary: 'Build the transaction that funds a budget plan',
  description:
    'When the controller has no coin at output index 0, the answer is the preparation form: sign and broadcast that first.',
  http: { method: 'GET', path: '/api/budget-plans/:id/funding-info' },
  auth: 'address',
  input: z.object({ id: PlanId }),
  output: z.union([ReadyReply, PreparationReply]),
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
    const members = [planGenesis(plan, context.network)];
    const offer = await offerFunding(parseAddress(plan.creator), members, plan.budget_id, context);
    if (offer.kind === 'preparation') return offer.reply;
    const { inputs, outputs, fee, wcTransaction } = offer;
    return {
      success: true as const,
      label: plan.budget_id,
      fundingInfo: {
        contractAddress: plan.contract_address,
        amount: displayNumber(plan.total_amount, plan.decimals),
        onChainAmount: plan.total_amount.toString(),
        tokenType: plan.tokenType,
        threadDustSatoshis: Number(THREAD_DUST),
        inputs,
        outputs,
        fee,
      },
      wcTransaction,
    };
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
    const transaction = await indexedTransaction(txHash, context);
    const plan = await followPlan(id, context, [transaction]);
    const { budget_id: label } = plan;
    if (plan.tx_hash !== txHash) {
      const found =
        plan.tx_hash === null
          ? 'a transaction that does not mint its thread with the whole budget from the controller’s coins'
          : `another transaction; ${label} was funded by ${plan.tx_hash}`;
      throw mismatch(txHash, `the funding of ${label}`, found);
    }
    const confirmations = await confirmationsOf(txHash, context);
    return confirmed(`${label} is funded`, txHash, plan.status, confirmations);
  },
});

export const fund = defineAction({
  build,
  confirm,
  verb: 'fund',
  summary: 'Put the whole budget into a plan',
});
