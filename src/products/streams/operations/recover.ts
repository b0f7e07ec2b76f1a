/** Recovering what lies unexpected at a stream's address: by its own state, the sender cancels it and the recipient claims it. */
import { z } from 'zod';
import { TxHash } from '../../../bch/fields.js';
import { viewConfirmed } from '../../../offer/confirm.js';
import { confirmRecovery, ConfirmRecoverReply } from '../../../offer/confirm-recover.js';
import {
  CONFIRM_ERRORS,
  defineAction,
  defineOperation,
  RECOVER_ERRORS,
  WITNESS_ERRORS,
} from '../../../operation/define.js';
import { chooseStrayFor, offerRecovery, RecoverFields, RecoverReply } from '../../../offer/recover.js';
import { StreamId } from '../fields.js';
import { kindOf } from '../kinds.js';
import { findStream, followStream, streamFollowing } from '../records.js';
import { streamStrays } from '../strays.js';

const build = defineOperation({
  id: 'streams.recover',
  summary: "Build the transaction that takes unexpected money out of a stream's address",
  description:
    'A second funding, one with a wrong sum, or one by somebody else. For the sender it is cancelled, co-signed by the authority and good for ten minutes; for its recipient it pays what has vested. The stream itself stays as it is.',
  http: { method: 'POST', path: '/api/streams/:id/recover' },
  cli: { example: 'streams recover STREAM-0001' },
  auth: 'address',
  input: z.object({ id: StreamId, ...RecoverFields }),
  output: RecoverReply,
  errors: ['stream_not_found', 'not_sender', 'nothing_claimable', ...RECOVER_ERRORS, ...WITNESS_ERRORS],
  run: async ({ id, txid, vout }, context) => {
    // Check: a party asks, and something can be taken out.
    const stream = await followStream(id, context);
    const { followed } = streamFollowing(context);
    const site = { record: stream, rules: streamStrays, followed, label: stream.stream_id };
    const between = { sender: stream.sender, recipient: stream.recipient };
    const stray = await chooseStrayFor(context.caller, between, site, { txid, vout }, context);

    // Build: what its state allows the caller.
    const terms = kindOf(stream).stray(stream, stray, context.network);
    const { authority_pubkey: authorityPublicKey } = stream;
    const request = { entityType: 'stream', id: stream.id, authorityPublicKey, stray, terms };
    return offerRecovery(request, context.caller, context);
  },
});

const confirm = defineOperation({
  id: 'streams.confirm-recover',
  summary: 'Confirm on chain that unexpected money was recovered',
  http: { method: 'POST', path: '/api/streams/:id/confirm-recover' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({ id: StreamId, txHash: TxHash }),
  output: ConfirmRecoverReply,
  errors: ['stream_not_found', ...CONFIRM_ERRORS],
  run: async ({ id, txHash }, context) => {
    const stream = await followStream(id, context);
    return confirmRecovery(stream, stream.stream_id, txHash, context);
  },
  view: viewConfirmed,
});

export const recover = defineAction({
  build,
  confirm,
  record: findStream,
  verb: 'recover',
  summary: 'Take unexpected money out of the address',
});
