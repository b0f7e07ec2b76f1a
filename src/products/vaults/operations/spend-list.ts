/** The spends of a vault. */
import { z } from 'zod';
import { defineOperation, FOLLOW_ERRORS } from '../../../operation/define.js';
import { PageFields, pageOf, PageReply } from '../../../operation/paging.js';
import { orStale, StaleReply } from '../../../operation/stale.js';
import { VaultId } from '../fields.js';
import { followVault } from '../follow-vault.js';
import { findVault } from '../records.js';
import { showSpend, SpendReply } from '../reply.js';
import { checkVaultReader } from '../rules.js';
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
  errors: ['vault_not_found', 'private_vault', ...FOLLOW_ERRORS],
  run: async ({ id, status, ...paging }, context) => {
    const { store, network } = context;
    checkVaultReader(await findVault(store, id), context.caller);
    const { found: vault, stale } = await orStale(
      () => followVault(id, context),
      () => findVault(store, id),
    );
    const where = { vault: vault.id };
    const query =
      status === undefined
        ? { where }
        : { where, filter: (spend: { status: string }) => spend.status === status };
    const { items, ...page } = await pageOf(store, spendCollection, query, paging);
    return {
      spends: await Promise.all(items.map((spend) => showSpend(spend, store, network))),
      ...page,
      ...stale,
    };
  },
  view: ({ spends }) => viewSpends(spends),
});
