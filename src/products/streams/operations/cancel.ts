/** Cancelling a stream: what has vested goes to the recipient, the rest back to the sender, and the thread is burned. */
import { z } from 'zod';
import { showAmounts } from '../../../bch/amount.js';
import { defineMove } from '../../../offer/move.js';
import { figuresOf, kindOf } from '../kinds.js';
import { streams } from '../product.js';
import { remainingPool } from '../rules.js';

export const cancel = defineMove(streams, 'cancel', {
  summary: 'Build the transaction that cancels a stream and splits what it holds',
  description:
    'The authority signs as witness of the time; what it signed is good for ten minutes, and a claim meanwhile voids it.',
  cli: { ending: true },
  step: 'End a stream: what has vested is paid, the rest comes back',
  nextStatus: 'CANCELLED',
  fields: {
    vestedAmount: z.number().describe('What this pays the recipient, display units'),
    vestedAmountOnChain: z.string(),
    unvestedAmount: z.number().describe('What goes back to the sender, display units'),
    unvestedAmountOnChain: z.string(),
    cancelReturnAddress: z.string(),
  },
  buildWitnessed: (spend, witness) => kindOf(spend.record).buildCancel(spend, witness),
  answer: (stream, { locktime }) => {
    const { claimable } = figuresOf(stream, locktime);
    const rest = remainingPool(stream) - claimable;
    return {
      ...showAmounts({ vestedAmount: claimable, unvestedAmount: rest }, stream.decimals),
      cancelReturnAddress: stream.sender,
    };
  },
  confirm: {
    event: 'cancelled',
    expected: 'a cancellation',
    message: ({ record }) => `${record.stream_id} is cancelled`,
  },
});
