/** The contract of recurring payments in words. */
import { allowedWords, param, poolOf, pushRow, statusWords, type ContractWords } from '../contract-words.js';
import { FLAGS, recurringState } from './state.js';

export const words: ContractWords = {
  contract: 'recurring-payment',
  what: 'recurring payment',
  pool: poolOf,
  terms: (params, voice) => {
    const periods = param(params, 'periods');
    const each = voice.amount(BigInt(param(params, 'amountPerPeriod')), poolOf(params));
    return [
      ['Sender', voice.party(param(params, 'senderHash'))],
      ['Authority', voice.party(param(params, 'authorityHash'))],
      ['Pays', `${each} every ${voice.duration(Number(param(params, 'interval')))}`],
      ['Periods', periods === '0' ? 'no end' : periods],
      ...pushRow(params, voice),
    ];
  },
  state: (commitment, _params, voice) => {
    const state = recurringState.decode(commitment);
    if (state === null) return null;
    return [
      ['Status', statusWords(state.status)],
      ['Recipient', voice.party(state.recipient)],
      ['Periods paid so far', String(state.paid)],
      ['Next due', voice.date(state.nextDue)],
      [
        'Allowed',
        allowedWords({
          'to cancel it': (state.flags & FLAGS.cancelable) !== 0,
          'to refill it': (state.flags & FLAGS.refillable) !== 0,
        }),
      ],
    ];
  },
  recipient: (commitment) => recurringState.decode(commitment)?.recipient ?? null,
};
