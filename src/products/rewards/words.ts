/** A campaign's contract in words. */
import { param, poolOf, statusWords, type ContractWords } from '../../covenant/contract-words.js';
import { campaignState } from './state.js';

export const words: ContractWords = {
  contract: 'reward-campaign',
  what: 'reward campaign',
  pool: poolOf,
  terms: (params, voice) => {
    const amount = (name: string) => voice.amount(BigInt(param(params, name)), poolOf(params));
    return [
      ['Creator', voice.party(param(params, 'creatorHash'))],
      ['Authority', voice.party(param(params, 'authorityHash'))],
      ['Pool', amount('totalPool')],
      ['Most per reward', amount('maxReward')],
      ['Not before', voice.date(Number(param(params, 'startTime')))],
      ['What is left goes back to', voice.lock(param(params, 'refundLock'))],
    ];
  },
  state: (commitment, params, voice) => {
    const state = campaignState.decode(commitment);
    if (state === null) return null;
    return [
      ['Status', statusWords(state.status)],
      ['Paid out so far', voice.amount(state.distributed, poolOf(params))],
      ['Rewards so far', String(state.count)],
    ];
  },
};
