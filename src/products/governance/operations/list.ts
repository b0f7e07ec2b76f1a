/** The proposals of a vault. */
import { z } from 'zod';
import { defineOperation } from '../../../operation/define.js';
import { PageFields, PageReply, pageOf } from '../../../operation/paging.js';
import { listNow, StaleReply } from '../../../operation/stale.js';
import { findVault } from '../../vaults/index.js';
import { VaultId } from '../fields.js';
import { proposalCollection, PROPOSAL_STATUSES, type ProposalRecord } from '../proposal.js';
import { labelProposals, readable } from '../records.js';
import { ProposalReply, showProposal, tallyFrom } from '../reply.js';
import { statusOf } from '../rules.js';
import { viewProposals } from '../view.js';

export const list = defineOperation({
  id: 'governance.list',
  summary: 'List the proposals of a vault, newest first',
  description:
    'The tallies are those of the votes that are recorded: showing a proposal follows the chain first. Those of a private vault are shown to its members and to who made them.',
  http: { method: 'GET', path: '/api/vaults/:vaultId/governance' },
  auth: 'optional',
  input: z.object({
    vaultId: VaultId,
    status: z.enum(PROPOSAL_STATUSES).optional().describe('Only proposals of this status'),
    ...PageFields,
  }),
  output: z.object({ proposals: z.array(ProposalReply), ...PageReply, ...StaleReply }),
  errors: ['vault_not_found'],
  run: async ({ vaultId, status, ...paging }, context) => {
    const { store, caller } = context;
    const vault = await findVault(store, vaultId);
    await labelProposals(store);
    const { now, stale } = await listNow(context);
    const where = { vault: vault.id };
    const isSeen = await readable(caller, store);
    const ofStatus = new Set<string>();
    if (status !== undefined)
      for (const proposal of (await store.find(proposalCollection, { where })).items)
        if (statusOf(proposal, (await tallyFrom(store, proposal)).sums, now) === status)
          ofStatus.add(proposal.id);
    const isShown = (proposal: ProposalRecord) =>
      isSeen(proposal) && (status === undefined || ofStatus.has(proposal.id));
    const query = { where, filter: isShown };
    const { items, ...page } = await pageOf(store, proposalCollection, query, paging);
    return {
      proposals: await Promise.all(items.map((proposal) => showProposal(proposal, store, now))),
      ...page,
      ...stale,
    };
  },
  view: viewProposals,
});
