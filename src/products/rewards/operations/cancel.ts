/** Cancelling a campaign: what remains goes to the address that the contract fixed, and the thread is burned. */
import { z } from 'zod';
import { defineMove } from '../../../offer/move.js';
import { campaigns } from '../product.js';
import { remainingPool } from '../rules.js';
import { buildCancel } from '../transactions.js';

export const cancel = defineMove(campaigns, 'cancel', {
  summary: 'Build the transaction that cancels a campaign and refunds what remains',
  cli: { ending: true },
  step: 'End a campaign and refund what remains',
  auth: 'bearer',
  nextStatus: 'CANCELLED',
  prompt: (campaign) => `Cancel ${campaign.campaign_id}, refund to ${campaign.refund_address}`,
  fields: {
    cancelReturnAddress: z.string(),
    authorityReturnAddress: z.string(),
    signerMatchesReturn: z.boolean(),
    remainingPool: z.string().describe('Smallest unit'),
    warning: z.string().optional(),
  },
  // The refund goes where the contract says, whoever signs.
  build: (spend) => buildCancel(spend),
  answer: (campaign, { caller }) => {
    const { refund_address: refund } = campaign;
    const signerMatchesReturn = refund === caller.text;
    const warning = `What remains goes to ${refund}, which the contract fixed, and not to you (${caller.text})`;
    return {
      cancelReturnAddress: refund,
      authorityReturnAddress: refund,
      signerMatchesReturn,
      remainingPool: remainingPool(campaign).toString(),
      ...(signerMatchesReturn ? {} : { warning }),
    };
  },
  confirm: {
    event: 'cancelled',
    expected: 'a cancellation',
    auth: 'bearer',
    message: ({ record }) => `${record.campaign_id} is ${record.status.toLowerCase()}`,
  },
});
