/** Pausing a budget plan: what has elapsed by then stays releasable, and nothing more falls due. */
import { defineMove } from '../../../offer/move.js';
import { plans } from '../product.js';
import { buildPause } from '../transactions.js';

export const pause = defineMove(plans, 'pause', {
  summary: 'Build the transaction that pauses a budget plan',
  description:
    'What has elapsed by now can still be released; nothing falls due until the plan is resumed. The transaction is good for ten minutes.',
  step: 'Stop the clock of a plan',
  nextStatus: 'PAUSED',
  closed: () => true,
  buildWitnessed: buildPause,
  confirm: {
    event: 'paused',
    expected: 'a pause',
    message: ({ record }) => `${record.budget_id} is paused`,
  },
});
