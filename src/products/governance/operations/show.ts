/** One proposal with its votes, and a recount of them from the chain. */
import { z } from 'zod';
import { defineOperation, FOLLOW_ERRORS, VAULT_ERRORS } from '../../../operation/define.js';
import { EventReply, eventsOf, showEvent } from '../../../record/events.js';
import { ProposalId } from '../fields.js';
import { followVotes } from '../follow-lock.js';
import { readProposal } from '../records.js';
import { RecountReply, recountVotes } from '../recount.js';
import { ProposalReply, showProposal, showVotes, VoteReply } from '../reply.js';
import { pageOfProposal, viewProposal } from '../view.js';

export const show = defineOperation({
  id: 'governance.show',
  summary: 'Show a proposal with every vote, and a recount from the chain',
  http: { method: 'GET', path: '/api/governance/:proposalId' },
  cli: { page: pageOfProposal },
  auth: 'optional',
  input: z.object({ proposalId: ProposalId }),
  output: ProposalReply.extend({
    votes: z.array(VoteReply).describe('Locked votes first, then off-chain ones'),
    recount: RecountReply.describe('The locked votes, from ballots and stakes at the vote-lock addresses'),
    events: z.array(EventReply).describe('Newest first, the latest 50'),
  }),
  errors: ['proposal_not_found', ...VAULT_ERRORS, ...FOLLOW_ERRORS],
  run: async ({ proposalId }, context) => {
    const { store, chain } = context;
    const proposal = await readProposal(proposalId, context);
    const followed = await followVotes(proposal, context);
    const { height, medianTimePast } = await chain.tip();
    return {
      ...(await showProposal(proposal, store, medianTimePast - 1)),
      votes: await showVotes(store, proposal.id, height),
      recount: await recountVotes(proposal, followed, store),
      events: (await eventsOf(store, proposal.id)).map(showEvent),
    };
  },
  view: viewProposal,
});
