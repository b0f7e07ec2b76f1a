/** What time brings to proposals: their end, and what it came to. */
import { defineTimetable, IDLE, type Moment } from '../../record/timetable.js';
import { proposalCollection, proposalTopic, type ProposalRecord } from './proposal.js';
import { tallyFrom } from './reply.js';
import { hasEnded, statusOf, turnout, weightText } from './rules.js';

const TYPE = 'vote.ended';

/** Told once: that voting has ended, and the result as the votes stand then. */
export const timetable = defineTimetable<ProposalRecord>({
  kind: 'proposal',
  collection: proposalCollection,
  topic: proposalTopic,
  agenda: async (proposal, { now, told }, reader) => {
    if (told[TYPE] !== undefined) return IDLE;
    const { voting_ends_at: at } = proposal;
    if (!hasEnded(proposal, now)) return { moments: [], next: at };
    const { sums } = await tallyFrom(reader, proposal);
    const status = statusOf(proposal, sums, now);
    const data = {
      title: proposal.title,
      status,
      for: weightText(sums.FOR),
      against: weightText(sums.AGAINST),
      abstain: weightText(sums.ABSTAIN),
      turnout: weightText(turnout(sums)),
      quorum: weightText(proposal.quorum),
    };
    const moment = (type: string): Moment => ({ type, at, mark: 'told', data });
    return { moments: [moment(TYPE), moment(`proposal.${status.toLowerCase()}`)], next: null };
  },
});
