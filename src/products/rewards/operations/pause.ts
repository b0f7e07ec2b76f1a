/** Pausing a campaign: no further distributions, and no way back but to cancel. */
import { defineMove } from '../../../offer/move.js';
import { campaigns } from '../product.js';
import { buildPause } from '../transactions.js';

export const pause = defineMove(campaigns, 'pause', {
  summary: 'Build the transaction that pauses a campaign',
  step: 'Stop all further distributions',
  auth: 'bearer',
  nextStatus: 'PAUSED',
  closed: () => true,
  build: buildPause,
  confirm: {
    event: 'paused',
    expected: 'a pause',
    auth: 'bearer',
    message: ({ record }) => `${record.campaign_id} is ${record.status.toLowerCase()}`,
  },
});
