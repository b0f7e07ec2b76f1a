/** Counting a proposal's locked votes again, from the chain alone. */
import { z } from 'zod';
import { defineOperation, FOLLOW_ERRORS } from '../../../operation/define.js';
import { checkReader } from '../access.js';
import { ProposalId } from '../fields.js';
import { followVotes } from '../follow-lock.js';
import { findProposal } from '../records.js';
import { RecountReply, recountVotes } from '../recount.js';
import { viewRecount } from '../view.js';

export const recount = defineOperation({
  id: 'governance.recount',
  summary: 'Count the locked votes of a proposal again, from the chain alone',
  description: 'GET /api/governance/:proposalId gives the same as its `recount`.',
  auth: 'optional',
  cli: { positional: ['proposalId'] },
  input: z.object({ proposalId: ProposalId }),
  output: z.object({ proposalId: z.string(), title: z.string(), recount: RecountReply }),
  errors: ['proposal_not_found', 'vault_not_found', 'private_vault', ...FOLLOW_ERRORS],
  run: async ({ proposalId }, context) => {
    const { store, caller } = context;
    const proposal = await findProposal(store, proposalId);
    await checkReader(proposal, caller, store);
    const followed = await followVotes(proposal, context);
    return {
      proposalId: proposal.id,
      title: proposal.title,
      recount: await recountVotes(proposal, followed, store),
    };
  },
  view: viewRecount,
});
