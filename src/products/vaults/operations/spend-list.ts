/** The spends of a vault. */
import { z } from 'zod';
import { defineOperation, FOLLOW_ERRORS, VAULT_ERRORS } from '../../../operation/define.js';
import { PageFields, pageOf, PageReply } from '../../../operation/paging.js';
import { orStale, StaleReply } from '../../../operation/stale.js';
import { readableVault } from '../access.js';
import { followVault } from '../follow-vault.js';
import { VaultId } from '../open-spend.js';
import { showSpend, SpendReply } from '../reply.js';
import { spendCollection, SPEND_STATUSES } from '../spend.js';
import { viewSpends } from '../view.js';

export const spendList = defineOperation({
  id: 'vaults.spend-list',
  summary: 'List the spends of a vault, newest first',
  http: { method: 'GET', path: '/api/vaults/:id/spends' },
  cli: { verb: 'spend list' },
  auth: 'address',
  input: z.object({
    id: VaultId,
    status: z
      .enum(SPEND_STATUSES)
      .optional()
      .describe(`One of ${SPEND_STATUSES.join(', ')}`),
    ...PageFields,
  }),
  output: z.object({ spends: z.array(SpendReply), ...PageReply, ...StaleReply }),
  errors: [...VAULT_ERRORS, ...FOLLOW_ERRORS],
  run: async ({ id, status, ...paging }, context) => {
    const vault = await readableVault(id, context);
    const { stale } = await orStale(
      () => followVault(id, context),
      () => vault,
    );
    const where = { vault: vault.id };
    const filter = (spend: { readonly status: string }) => spend.status === status;
    const query = status === undefined ? { where } : { where, filter };
    const { items, ...page } = await pageOf(context.store, spendCollection, query, paging);
    return {
      spends: await Promise.all(items.map((spend) => showSpend(spend, context))),
      ...page,
      ...stale,
    };
  },
  view: ({ spends }) => viewSpends(spends),
});
