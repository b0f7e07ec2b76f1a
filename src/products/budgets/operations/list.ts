/** Budget plans: those of a vault, and all of them. */
import { z } from 'zod';
import { AddressField } from '../../../bch/fields.js';
import { listRecords } from '../../../offer/read-record.js';
import { shortAsset } from '../../../record/assets.js';
import { statusText } from '../../../record/damaged.js';
import { defineOperation, type RunContext, type View } from '../../../operation/define.js';
import { PageFields, PageReply, viewPart, type Paging } from '../../../operation/paging.js';
import { listNow, StaleReply } from '../../../operation/stale.js';
import { findVault } from '../../vaults/index.js';
import { VaultId } from '../fields.js';
import { PLAN_STATUSES, type PlanRecord } from '../plan.js';
import { plans } from '../product.js';
import { PlanReply, showPlan } from '../reply.js';

const Filters = {
  creator: AddressField.optional().describe('Plans that this address controls'),
  recipient: AddressField.optional().describe('Plans that pay this address'),
  status: z.enum(PLAN_STATUSES).optional(),
};

const ListReply = z.object({ plans: z.array(PlanReply), ...PageReply, ...StaleReply });
type ListReply = z.output<typeof ListReply>;

/** One page of the plans that the caller may see. */
const listPlans = async (
  where: Readonly<Record<string, string | undefined>>,
  paging: Paging,
  context: RunContext<'optional'>,
): Promise<ListReply> => {
  const { now, stale } = await listNow(context);
  const show = (plan: PlanRecord) => showPlan(plan, context.store, now);
  const { shown, page } = await listRecords(plans, { where, paging, show }, context);
  return { plans: shown, ...page, ...stale };
};

const viewList = ({ plans: shown, total }: ListReply): View => [
  {
    kind: 'table',
    head: ['Label', 'Status', 'Recipient', 'Asset', 'Budget', 'Released', 'Milestones'],
    rows: shown.map((plan) => [
      plan.budget_id,
      statusText(plan),
      plan.recipientName ?? plan.recipient,
      shortAsset(plan.tokenCategory),
      String(plan.total_amount),
      String(plan.released_amount),
      `${plan.current_milestone} of ${plan.total_milestones}`,
    ]),
    empty: 'No budget plans yet. `treasury budgets create` makes one.',
  },
  ...viewPart(shown.length, total),
];

export const list = defineOperation({
  id: 'budgets.list',
  summary: 'List budget plans, newest first',
  description:
    'Plans of private vaults are left out unless the caller is a member of it or a party of theirs.',
  http: { method: 'GET', path: '/api/budget-plans' },
  auth: 'optional',
  input: z.object({ vaultId: VaultId.optional(), ...Filters, ...PageFields }),
  output: ListReply,
  errors: ['vault_not_found'],
  run: async ({ vaultId, creator, recipient, status, ...paging }, context) => {
    const vault = vaultId === undefined ? undefined : (await findVault(context.store, vaultId)).id;
    const where = { vault, creator: creator?.text, recipient: recipient?.text, status };
    return listPlans(where, paging, context);
  },
  view: viewList,
});

export const listOfVault = defineOperation({
  id: 'budgets.list-of-vault',
  summary: 'List the budget plans of a vault, newest first',
  http: { method: 'GET', path: '/api/vaults/:vaultId/budget-plans' },
  cli: false,
  auth: 'optional',
  input: z.object({ vaultId: VaultId, ...Filters, ...PageFields }),
  output: ListReply,
  errors: ['vault_not_found'],
  run: list.run,
});
