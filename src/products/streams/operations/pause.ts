/** Pausing a stream: it vests no further, and nothing that has vested is lost. */
import { z } from 'zod';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, WITNESS_ERRORS } from '../../../operation/define.js';
import { confirmStreamMove } from '../confirm-move.js';
import { StreamId } from '../fields.js';
import { kindOf } from '../kinds.js';
import { findStream, followStream } from '../records.js';
import { checkCancelable, checkSender, checkStatus } from '../rules.js';
import { offerWitnessedMove } from '../witnessed-move.js';

const build = defineOperation({
  id: 'streams.pause',
  summary: 'Build the transaction that pauses a stream',
  description: 'The authority signs as witness of the time; what it signed is good for ten minutes.',
  http: { method: 'POST', path: '/api/streams/:id/pause' },
  auth: 'address',
  input: z.object({ id: StreamId }),
  output: z.object({
    label: z.string(),
    nextStatus: z.literal('PAUSED'),
    wcTransaction: WalletTransactionField,
  }),
  errors: ['stream_not_found', 'not_sender', 'wrong_state', 'not_cancelable', ...WITNESS_ERRORS],
  run: async ({ id }, context) => {
    // Check: sender, status, and that it may be stopped.
    const stream = await followStream(id, context);
    checkSender(stream, context.caller.text);
    checkStatus(stream, 'pause');
    checkCancelable(stream);

    // Build: co-signed at chain now.
    const { pausePays, buildPause } = kindOf(stream);
    const wcTransaction = await offerWitnessedMove(
      stream,
      {
        move: 'pause',
        userPrompt: `Pause ${stream.stream_id}`,
        use: pausePays ? 'opens the pool' : 'leaves the pool',
        build: buildPause,
      },
      context,
    );
    return { label: stream.stream_id, nextStatus: 'PAUSED' as const, wcTransaction };
  },
});

const confirm = defineOperation({
  id: 'streams.confirm-pause',
  summary: 'Confirm a pause on chain',
  http: { method: 'POST', path: '/api/streams/:id/confirm-pause' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'address',
  input: z.object({ id: StreamId, txHash: TxHash }),
  output: ConfirmReply,
  errors: ['stream_not_found', 'not_sender', ...CONFIRM_ERRORS],
  run: async ({ id, txHash }, context) => {
    checkSender(await findStream(context.store, id), context.caller.text);
    return confirmStreamMove({ id, txHash, type: 'paused', expected: 'a pause', done: 'is paused' }, context);
  },
  view: viewConfirmed,
});

export const pause = defineAction({
  build,
  confirm,
  record: findStream,
  verb: 'pause',
  summary: 'Let a stream stand still',
});
