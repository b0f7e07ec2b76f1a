/** Pausing a stream: it vests no further, and nothing that has vested is lost. */
import { defineMove } from '../../../offer/move.js';
import { kindOf } from '../kinds.js';
import { streams } from '../product.js';

export const pause = defineMove(streams, 'pause', {
  summary: 'Build the transaction that pauses a stream',
  description: 'The authority signs as witness of the time; what it signed is good for ten minutes.',
  step: 'Let a stream stand still',
  nextStatus: 'PAUSED',
  closed: (stream) => !kindOf(stream).pausePays,
  buildWitnessed: (spend, witness) => kindOf(spend.record).buildPause(spend, witness),
  confirm: {
    event: 'paused',
    expected: 'a pause',
    auth: 'address',
    message: ({ record }) => `${record.stream_id} is paused`,
  },
});
