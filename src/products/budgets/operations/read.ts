/** Budget plans as they are read: those of a vault, all of them, and one with its milestones, releases and events. */
import { z } from 'zod';
import { AddressField } from '../../../bch/fields.js';
import { defineReading } from '../../../offer/read-record.js';
import { defineOperation } from '../../../operation/define.js';
import { PageFields } from '../../../operation/paging.js';
import { PLAN_STATUSES, VaultId } from '../plan.js';
import { plans } from '../product.js';
import { PlanReply, showPlan } from '../reply.js';
import { nextOf, tableOfPlans, viewPlan } from '../view.js';

const filters = {
  creator: AddressField.optional().describe('Plans that this address controls'),
  recipient: AddressField.optional().describe('Plans that pay this address'),
  status: z.enum(PLAN_STATUSES).optional(),
};

export const { list, show } = defineReading(plans, {
  names: ['plan', 'plans'],
  reply: PlanReply,
  show: showPlan,
  timed: 'Unix seconds',
  list: {
    summary: 'List budget plans, newest first',
    description:
      'Plans of private vaults are left out unless the caller is a member of it or a party of theirs.',
    filters: { vaultId: VaultId.optional(), ...filters },
    table: tableOfPlans,
  },
  details: {
    summary: 'Show a budget plan with its milestones and releases',
    page: 'budget',
    view: viewPlan,
    next: nextOf,
  },
});

export const listOfVault = defineOperation({
  id: 'budgets.list-of-vault',
  summary: 'List the budget plans of a vault, newest first',
  http: { method: 'GET', path: '/api/vaults/:vaultId/budget-plans' },
  cli: false,
  auth: 'optional',
  input: z.object({ vaultId: VaultId, ...filters, ...PageFields }),
  output: list.output,
  errors: list.errors,
  run: list.run,
});
