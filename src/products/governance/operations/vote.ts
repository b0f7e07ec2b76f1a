/** An off-chain vote: the caller's word, kept and shown apart from votes that lock tokens. */
import { z } from 'zod';
import { AmountField } from '../../../bch/fields.js';
import { TreasuryError } from '../../../errors.js';
import { commitAnswer } from '../../../operation/commit-answer.js';
import { defineOperation, FOLLOW_ERRORS, VAULT_ERRORS, type RunContext } from '../../../operation/define.js';
import { writeNote } from '../../../record/events.js';
import { chainNow } from '../../../operation/chain-now.js';
import type { PriceReading } from '../../../operation/ports/price.js';
import type { StoreWriter } from '../../../operation/ports/store.js';
import { checkVoter } from '../access.js';
import { ChoiceField, ProposalId } from '../fields.js';
import { followLock } from '../follow-lock.js';
import { saidVoteCollection, type ProposalRecord, type SaidVoteRecord } from '../proposal.js';
import { findProposal, findSaidVote, findVoteLock } from '../records.js';
import { showProposal, ProposalReply, showSaidVote, VoteReply } from '../reply.js';
import { checkVotingOpen, readWeight, WEIGHT_DECIMALS } from '../rules.js';

const ONE = { decimal: '1', isNumber: false } as const;

/** Keeps the vote and its event, unless the voter has one. @throws already_voted */
const keepVote = async (
  writer: StoreWriter,
  proposal: ProposalRecord,
  vote: SaidVoteRecord,
  context: RunContext<'address'> & { readonly reading: PriceReading | null },
): Promise<void> => {
  const { voter } = vote;
  const hasLocked = ((await findVoteLock(writer, proposal.id, voter))?.lock ?? null) !== null;
  if (hasLocked || (await findSaidVote(writer, proposal.id, voter)) !== null)
    throw new TreasuryError('already_voted', { voter });
  writer.put(saidVoteCollection, vote);
  writeNote(
    writer,
    {
      entityType: 'proposal',
      entityId: proposal.id,
      decimals: WEIGHT_DECIMALS,
      network: context.network,
      now: context.clock.now(),
      price: context.reading,
    },
    { type: 'voted', actor: voter, amount: vote.weight },
  );
};

export const vote = defineOperation({
  id: 'governance.vote',
  summary: 'Vote off-chain, without locking tokens',
  description:
    'One vote per voter. An off-chain vote is marked as such; it is shown and not tallied when the proposal fixes a voting token.',
  http: { method: 'POST', path: '/api/governance/:proposalId/vote', creates: true },
  cli: { example: 'governance vote <proposal> --vote FOR' },
  auth: 'address',
  input: z.object({
    proposalId: ProposalId,
    vote: ChoiceField,
    weight: AmountField.optional().describe('Above 0; default 1'),
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
    const lock = await findVoteLock(store, proposal.id, caller.text);
    if (lock !== null) await followLock(proposal, lock.id, context);

    // Record: the vote, once, with the answer.
    const reading = await context.price.reading();
    return commitAnswer(
      context,
      async (writer) => {
        await keepVote(writer, proposal, record, { ...context, reading });
      },
      async (_, stored) => ({ ...(await showProposal(proposal, stored, now)), vote: showSaidVote(record) }),
    );
  },
  view: ({ vote: { vote: choice, weight }, title, breakdown }) => [
    { kind: 'text', text: `Voted ${choice} on "${title}" with ${weight}, off-chain.` },
    ...(breakdown.every(({ tallied }) => tallied)
      ? []
      : [{ kind: 'text' as const, text: 'Only locked tokens are tallied on this proposal.' }]),
  ],
});
