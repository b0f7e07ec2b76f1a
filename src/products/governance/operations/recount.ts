/** Counting a proposal's locked votes again, from the chain alone. */
import { z } from 'zod';
import { defineOperation, FOLLOW_ERRORS, VAULT_ERRORS } from '../../../operation/define.js';
import { ProposalId } from '../fields.js';
import { followVotes } from '../follow-lock.js';
import { readProposal } from '../records.js';
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
  errors: ['proposal_not_found', ...VAULT_ERRORS, ...FOLLOW_ERRORS],
  run: async ({ proposalId }, context) => {
    const proposal = await readProposal(proposalId, context);
    const followed = await followVotes(proposal, context);
    const counted = await recountVotes(proposal, followed, context.store);
    return { proposalId: proposal.id, title: proposal.title, recount: counted };
  },
  view: viewRecount,
});
