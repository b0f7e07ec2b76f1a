/** A budget plan's contract in words. */
import {
  allowedWords,
  param,
  pausedRow,
  poolOf,
  pushRow,
  statusWords,
  type ContractWords,
  type Params,
} from '../../covenant/contract-words.js';
import { unpackMilestones } from './contract.js';
import { CHAIN_FLAGS, planState } from './state.js';

const milestonesOf = (params: Params) => unpackMilestones(param(params, 'milestones'));

export const words: ContractWords = {
  contract: 'budget-plan',
  what: 'budget plan',
  pool: poolOf,
  terms: (params, voice) => [
    ['Controller', voice.party(param(params, 'controllerHash'))],
    ['Authority', voice.party(param(params, 'authorityHash'))],
    ...milestonesOf(params).map(
      ({ seconds, amount }, index) =>
        [
          `Milestone ${index + 1}`,
          `${voice.amount(amount, poolOf(params))} in all, ${voice.duration(seconds)} after the start`,
        ] as const,
    ),
    ...pushRow(params, voice),
  ],
  state: (commitment, params, voice) => {
    const state = planState.decode(commitment);
    if (state === null) return null;
    const milestones = milestonesOf(params);
    const paid = milestones[state.current - 1]?.amount ?? 0n;
    return [
      ['Status', statusWords(state.status)],
      ['Recipient', voice.party(state.recipient)],
      ['Milestones released', `${state.current} of ${milestones.length}`],
      ['Paid out so far', voice.amount(paid, poolOf(params))],
      ['The next counts from', voice.date(state.anchor)],
      ...pausedRow(state.pausedAt, voice),
      ['Allowed', allowedWords({ 'to cancel it': (state.flags & CHAIN_FLAGS.cancelable) !== 0 })],
    ];
  },
  recipient: (commitment) => planState.decode(commitment)?.recipient ?? null,
};
