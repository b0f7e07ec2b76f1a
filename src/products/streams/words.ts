/** A stream's contract in words. */
import {
  allowedWords,
  param,
  pausedRow,
  poolOf,
  pushRow,
  statusWords,
  type ContractWords,
  type Params,
  type Voice,
} from '../../covenant/contract-words.js';
import { decodeSchedule, scheduledTotal, type Segment } from './schedule.js';
import { FLAGS, streamState } from './state.js';

const growth = ({ step }: Segment, later: Segment | undefined, { duration }: Voice): string => {
  if (step === 0 || later === undefined) return '';
  return step === 1 ? ', growing from then on' : `, growing every ${duration(step)} from then on`;
};

const scheduleWords = (params: Params, voice: Voice): string => {
  const segments = decodeSchedule(param(params, 'schedule'));
  return segments
    .map((segment, index) => {
      const when = segment.offset === 0 ? 'at the start' : `after ${voice.duration(segment.offset)}`;
      const vested = voice.amount(segment.cumulative, poolOf(params));
      return `${when} ${vested}${growth(segment, segments[index + 1], voice)}`;
    })
    .join('; ');
};

export const words: ContractWords = {
  contract: 'stream',
  what: 'stream',
  pool: poolOf,
  terms: (params, voice) => [
    ['Sender', voice.party(param(params, 'senderHash'))],
    ['Authority', voice.party(param(params, 'authorityHash'))],
    ['Total', voice.amount(scheduledTotal(param(params, 'schedule')), poolOf(params))],
    ['Vests', scheduleWords(params, voice)],
    ...pushRow(params, voice),
  ],
  state: (commitment, params, voice) => {
    const state = streamState.decode(commitment);
    if (state === null) return null;
    return [
      ['Status', statusWords(state.status)],
      ['Recipient', voice.party(state.recipient)],
      ['Paid out so far', voice.amount(state.released, poolOf(params))],
      ['Counts from', voice.date(state.start)],
      ...pausedRow(state.pausedAt, voice),
      [
        'Allowed',
        allowedWords({
          'to cancel it': (state.flags & FLAGS.cancelable) !== 0,
          'to pass it on': (state.flags & FLAGS.transferable) !== 0,
        }),
      ],
    ];
  },
  recipient: (commitment) => streamState.decode(commitment)?.recipient ?? null,
};
