/** Creating a budget plan: terms in, a PENDING record and its deployment out. */
import { z } from 'zod';
import { createRecord } from '../../../offer/create.js';
import { CREATE_ERRORS, defineOperation } from '../../../operation/define.js';
import { chainNow } from '../../../operation/chain-now.js';
import { shellLabel } from '../../../record/labels.js';
import { checkVaultReader, findVault } from '../../vaults/index.js';
import { draftPlan, PlanRequest } from '../draft.js';
import { plans } from '../product.js';
import { PlanReply, showPlan } from '../reply.js';
import { initialState } from '../transactions.js';
import { drawTimeLine } from '../view.js';

const DeploymentReply = z.object({
  contractAddress: z.string(),
  budgetId: z.string().describe('64 hex digits'),
  fundingRequired: z.boolean(),
  nftCommitment: z.string(),
});

export const create = defineOperation({
  id: 'budgets.create',
  summary: 'Create a budget plan in a vault',
  description:
    'The plan is PENDING until its funding is confirmed. The caller is its controller: anyone in a public vault, members only in a private one. Amounts and dates are those of the milestones exactly; a late release pushes no later milestone back.',
  http: { method: 'POST', path: '/api/vaults/:vaultId/budget-plans', status: 201, creates: true },
  cli: { example: 'budgets create <vault> --recipient <address> --milestones milestones.json' },
  auth: 'address',
  input: PlanRequest,
  output: z.object({ plan: PlanReply, deployment: DeploymentReply }),
  errors: CREATE_ERRORS,
  run: async (request, context) => {
    // Check: the vault, then everything that the covenant will bind.
    const vault = await findVault(context.store, request.vaultId);
    checkVaultReader(vault, context.caller);
    const draft = await draftPlan(request, vault.id, context);

    // Record: it and its first event, with the answer.
    const now = await chainNow(context);
    return createRecord(
      plans,
      { draft, amount: draft.total_amount },
      async (plan, store) => ({
        plan: await showPlan(plan, store, now),
        deployment: {
          contractAddress: plan.contract_address,
          budgetId: plan.on_chain_budget_id,
          fundingRequired: true,
          nftCommitment: initialState(plan),
        },
      }),
      context,
    );
  },
  view: ({ plan }) => [
    { kind: 'text', text: `${plan.budget_id} is created.` },
    { kind: 'text', text: drawTimeLine(plan, null) },
    {
      kind: 'facts',
      rows: [
        ['Budget', String(plan.total_amount)],
        ['Recipient', plan.recipient],
        ['Contract', plan.contract_address],
      ],
    },
    {
      kind: 'next',
      command: `treasury budgets fund ${shellLabel(plan.budget_id)}`,
      why: 'to put the budget in',
    },
  ],
});
