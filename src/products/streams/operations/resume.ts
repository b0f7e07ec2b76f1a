/** Resuming a stream: its schedule goes on, later by as long as it stood still. */
import { z } from 'zod';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, OFFER_ERRORS } from '../../../operation/define.js';
import { handOut } from '../../../offer/hand-out.js';
import { confirmStreamMove } from '../confirm-move.js';
import { StreamId } from '../fields.js';
import { kindOf } from '../kinds.js';
import { findStream, followStream } from '../records.js';
import { checkSender, checkStatus } from '../rules.js';
import { spendOf } from '../spend-of.js';

const build = defineOperation({
  id: 'streams.resume',
  summary: 'Build the transaction that resumes a stream',
  http: { method: 'POST', path: '/api/streams/:id/resume' },
  auth: 'address',
  input: z.object({ id: StreamId }),
  output: z.object({
    label: z.string(),
    nextStatus: z.literal('ACTIVE'),
    wcTransaction: WalletTransactionField,
  }),
  errors: ['stream_not_found', 'not_sender', 'wrong_state', ...OFFER_ERRORS],
  run: async ({ id }, context) => {
    // Check: sender, status.
    const stream = await followStream(id, context);
    checkSender(stream, context.caller.text);
    checkStatus(stream, 'resume');

    // Build: only the state changes.
    const spend = await spendOf(stream, context.caller, 'leaves the pool', context);
    const prompt = `Resume ${stream.stream_id}`;
    return {
      label: stream.stream_id,
      nextStatus: 'ACTIVE' as const,
      wcTransaction: await handOut(kindOf(stream).buildResume(spend), context.caller, prompt, context),
    };
  },
});

const confirm = defineOperation({
  id: 'streams.confirm-resume',
  summary: 'Confirm on chain that a stream goes on',
  http: { method: 'POST', path: '/api/streams/:id/confirm-resume' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'address',
  input: z.object({ id: StreamId, txHash: TxHash }),
  output: ConfirmReply,
  errors: ['stream_not_found', 'not_sender', ...CONFIRM_ERRORS],
  run: async ({ id, txHash }, context) => {
    checkSender(await findStream(context.store, id), context.caller.text);
    return confirmStreamMove(
      { id, txHash, type: 'resumed', expected: 'the end of a pause', done: 'goes on' },
      context,
    );
  },
  view: viewConfirmed,
});

export const resume = defineAction({
  build,
  confirm,
  record: findStream,
  verb: 'resume',
  summary: 'Let a paused stream go on',
});
