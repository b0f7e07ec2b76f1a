/** The contract of a locked vote in words. */
import { param, type ContractWords } from '../../covenant/contract-words.js';
import { decodeBallot } from './state.js';

export const words: ContractWords = {
  contract: 'vote-lock',
  what: 'vote lock',
  terms: (params, voice) => [
    ['Voter', voice.party(param(params, 'voterHash'))],
    ['Locked until', voice.date(Number(param(params, 'unlockTime')))],
  ],
  state: (commitment) => {
    const ballot = decodeBallot(commitment);
    if (ballot === null) return null;
    return [
      ['Vote', ballot.choice],
      ['With', `${ballot.stake} of the token's smallest unit`],
      ['On the proposal with the hash', ballot.proposal],
    ];
  },
};
