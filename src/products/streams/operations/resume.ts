/** Resuming a stream: its schedule goes on, later by as long as it stood still. */
import { defineMove } from '../../../offer/move.js';
import { kindOf } from '../kinds.js';
import { streams } from '../product.js';

export const resume = defineMove(streams, 'resume', {
  summary: 'Build the transaction that resumes a stream',
  step: 'Let a paused stream go on',
  nextStatus: 'ACTIVE',
  closed: () => true,
  build: (spend) => kindOf(spend.record).buildResume(spend),
  confirm: {
    event: 'resumed',
    expected: 'the end of a pause',
    summary: 'Confirm on chain that a stream goes on',
    auth: 'address',
    message: ({ record }) => `${record.stream_id} goes on`,
  },
});
