/** Resuming a budget plan: what has not elapsed falls due later by the time it stood still. */
import { defineMove } from '../../../offer/move.js';
import { plans } from '../product.js';
import { buildResume } from '../transactions.js';

export const resume = defineMove(plans, 'resume', {
  summary: 'Build the transaction that resumes a budget plan',
  step: 'Let the clock of a plan run on',
  nextStatus: 'ACTIVE',
  closed: () => true,
  // An earlier locktime would help the recipient, so no witness is needed.
  build: buildResume,
  confirm: {
    event: 'resumed',
    expected: 'a resumption',
    message: ({ record }) => `${record.budget_id} is resumed`,
  },
});
