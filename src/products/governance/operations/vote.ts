/** An off-chain vote: the caller's word, kept and shown apart from votes that lock tokens. */
import { showNumber } from '../../../bch/amount.js';
import { z } from 'zod';
import { DecimalField } from '../../../bch/fields.js';
import { commitAnswer } from '../../../operation/commit-answer.js';
import { defineOperation, FOLLOW_ERRORS, VAULT_ERRORS } from '../../../operation/define.js';
import { chainNow } from '../../../operation/chain-now.js';
import type { StoreWriter } from '../../../operation/ports/store.js';
import { ChoiceField, ProposalId } from '../fields.js';
import { followVoter } from '../follow-lock.js';
import { saidVoteCollection, type SaidVoteRecord } from '../proposal.js';
import { checkFirstVote, checkVoter, findProposal, findVoteLock, noteOf } from '../records.js';
import { showProposal, ProposalReply, showSaidVote, VoteReply } from '../reply.js';
import { checkVotingOpen, readWeight } from '../rules.js';

const ONE = { decimal: '1', isNumber: false } as const;

export const vote = defineOperation({
  id: 'governance.vote',
  summary: 'Vote off-chain, without locking tokens',
  description:
    'One vote per voter. An off-chain vote is marked as such; it is shown and not tallied when the proposal fixes a voting token.',
  http: { method: 'POST', path: '/api/governance/:proposalId/vote', creates: true },
  cli: { example: 'governance vote <proposal> --vote FOR' },
  auth: 'address',
  forKeys: 'measured',
  input: z.object({
    proposalId: ProposalId,
    vote: ChoiceField,
    weight: DecimalField.optional().describe('Above 0; default 1'),
  }),
  output: ProposalReply.extend({ vote: VoteReply }),
  errors: [
    'proposal_not_found',
    ...VAULT_ERRORS,
    'invalid_amount',
    'voting_ended',
    'already_voted',
    ...FOLLOW_ERRORS,
  ],
  run: async ({ proposalId, vote: choice, weight }, context) => {
    const { store, caller, clock } = context;
    // Check: the voter, the time, the weight, and that it is the first vote.
    const proposal = await findProposal(store, proposalId);
    await checkVoter(store, proposal, caller);
    const now = await chainNow(context);
    checkVotingOpen(proposal, now);
    const record: SaidVoteRecord = {
      id: context.uuid(),
      proposal_id: proposal.id,
      voter: caller.text,
      choice,
      weight: readWeight(weight ?? ONE, 'weight'),
      created_at: clock.now(),
    };
    await followVoter(proposal, caller, context);

    // Record: the vote, once, with the answer.
    const { voter: actor, weight: amount } = record;
    const note = await noteOf(proposal, { type: 'voted', actor, amount }, context);
    const make = async (writer: StoreWriter): Promise<void> => {
      const lock = await findVoteLock(writer, proposal.id, caller.text);
      await checkFirstVote(writer, proposal, caller, lock);
      writer.put(saidVoteCollection, record);
      await note(writer);
    };
    return commitAnswer(context, make, async (_, stored) => ({
      ...(await showProposal(proposal, stored, now)),
      vote: showSaidVote(record),
    }));
  },
  view: ({ vote: { vote: choice, weight }, title, breakdown }) => [
    { kind: 'text', text: `Voted ${choice} on "${title}" with ${showNumber(weight)}, off-chain.` },
    ...(breakdown.every(({ tallied }) => tallied)
      ? []
      : [{ kind: 'text' as const, text: 'Only locked tokens are tallied on this proposal.' }]),
  ],
});
