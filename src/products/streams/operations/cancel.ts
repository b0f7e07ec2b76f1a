/** Cancelling a stream: what has vested goes to the recipient, the rest back to the sender, and the thread is burned. */
import { z } from 'zod';
import { displayNumber } from '../../../bch/amount.js';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { decodeRaw } from '../../../bch/transaction.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, WITNESS_ERRORS } from '../../../operation/define.js';
import { confirmStreamMove } from '../confirm-move.js';
import { StreamId } from '../fields.js';
import { figuresOf, kindOf } from '../kinds.js';
import { findStream, followStream } from '../records.js';
import { checkCancelable, checkSender, checkStatus, remainingPool } from '../rules.js';
import { offerWitnessedMove } from '../witnessed-move.js';

const build = defineOperation({
  id: 'streams.cancel',
  summary: 'Build the transaction that cancels a stream and splits what it holds',
  description:
    'The authority signs as witness of the time; what it signed is good for ten minutes, and a claim meanwhile voids it.',
  http: { method: 'POST', path: '/api/streams/:id/cancel' },
  cli: { ending: true },
  auth: 'address',
  input: z.object({ id: StreamId }),
  output: z.object({
    label: z.string(),
    nextStatus: z.literal('CANCELLED'),
    vestedAmount: z.number().describe('What this pays the recipient, display units'),
    vestedAmountOnChain: z.string(),
    unvestedAmount: z.number().describe('What goes back to the sender, display units'),
    unvestedAmountOnChain: z.string(),
    cancelReturnAddress: z.string(),
    wcTransaction: WalletTransactionField,
  }),
  errors: ['stream_not_found', 'not_sender', 'wrong_state', 'not_cancelable', ...WITNESS_ERRORS],
  run: async ({ id }, context) => {
    // Check: sender, status, and that it may be ended.
    const stream = await followStream(id, context);
    const { stream_id: label, sender, decimals } = stream;
    checkSender(stream, context.caller.text);
    checkStatus(stream, 'cancel');
    checkCancelable(stream);

    // Build: co-signed at chain now.
    const wcTransaction = await offerWitnessedMove(
      stream,
      {
        move: 'cancel',
        userPrompt: `Cancel ${label}`,
        use: 'opens the pool',
        build: kindOf(stream).buildCancel,
      },
      context,
    );
    // A witness that is out already keeps its time, and it is that time which splits.
    const { claimable } = figuresOf(stream, decodeRaw(wcTransaction.transaction).locktime);
    const rest = remainingPool(stream) - claimable;
    return {
      label,
      nextStatus: 'CANCELLED' as const,
      vestedAmount: displayNumber(claimable, decimals),
      vestedAmountOnChain: claimable.toString(),
      unvestedAmount: displayNumber(rest, decimals),
      unvestedAmountOnChain: rest.toString(),
      cancelReturnAddress: sender,
      wcTransaction,
    };
  },
});

const confirm = defineOperation({
  id: 'streams.confirm-cancel',
  summary: 'Confirm a cancellation on chain',
  http: { method: 'POST', path: '/api/streams/:id/confirm-cancel' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({ id: StreamId, txHash: TxHash }),
  output: ConfirmReply,
  errors: ['stream_not_found', ...CONFIRM_ERRORS],
  run: ({ id, txHash }, context) =>
    confirmStreamMove(
      { id, txHash, type: 'cancelled', expected: 'a cancellation', done: 'is cancelled' },
      context,
    ),
  view: viewConfirmed,
});

export const cancel = defineAction({
  build,
  confirm,
  record: findStream,
  verb: 'cancel',
  summary: 'End a stream: what has vested is paid, the rest comes back',
});
