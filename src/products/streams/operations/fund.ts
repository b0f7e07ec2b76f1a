/** Funding a stream: mints its thread and puts the whole pool in. A stream of a batch is funded with all of it. */
import { z } from 'zod';
import { parseAddress } from '../../../bch/address.js';
import { TxHash } from '../../../bch/fields.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { confirmFunding } from '../../../offer/confirm-funding.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, OFFER_ERRORS } from '../../../operation/define.js';
import { answerFunding, fundingReply } from '../../../offer/funding.js';
import { fundBatch } from '../batch-funding.js';
import { checkReader } from '../access.js';
import { StreamId } from '../fields.js';
import { kindOf } from '../kinds.js';
import {
  findFunded,
  findStream,
  followStream,
  fundedTogether,
  pinSubject,
  streamCollection,
} from '../records.js';
import { checkStatus } from '../rules.js';

const build = defineOperation({
  id: 'streams.funding-info',
  summary: 'Build the transaction that funds a stream',
  description:
    'A stream of a batch is funded together with all streams of the batch. When the sender has no coin at output index 0, the answer is the preparation form: sign and broadcast that first.',
  http: { method: 'GET', path: '/api/streams/:id/funding-info' },
  auth: 'optional',
  input: z.object({ id: StreamId }),
  output: fundingReply({ streams: z.number().describe('How many streams this transaction funds') }),
  errors: ['stream_not_found', 'vault_not_found', 'private_vault', 'wrong_state', ...OFFER_ERRORS],
  run: async ({ id }, context) => {
    // Check: who may read it, and that it waits for its funding, also when the chain is asked.
    await checkReader(await findStream(context.store, id), context.caller, context.store);
    const stream = await followStream(id, context);
    checkStatus(stream, 'fund');

    // Build: the threads, their pools, and the sender's change; or the preparation.
    const { network, store } = context;
    const streams = await fundedTogether(store, stream);
    const label = stream.stream_id;
    return answerFunding(
      {
        label,
        what: streams.length === 1 ? label : `${label} and ${streams.length - 1} more of its batch`,
        payer: parseAddress(stream.sender),
        members: streams.map((member) => kindOf(member).genesis(member, network)),
        collection: streamCollection.name,
        id: stream.id,
        subject: pinSubject(streams),
        contractAddress: stream.contract_address,
        tokenType: stream.token_type,
        decimals: stream.decimals,
      },
      { streams: streams.length },
      context,
    );
  },
});

const confirm = defineOperation({
  id: 'streams.confirm-funding',
  summary: 'Confirm the funding of a stream on chain',
  http: { method: 'POST', path: '/api/streams/:id/confirm-funding' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({ id: StreamId, txHash: TxHash }),
  output: ConfirmReply,
  errors: ['stream_not_found', ...CONFIRM_ERRORS],
  run: async ({ id, txHash }, context) => {
    const { record, transaction, reply } = await confirmFunding(
      {
        txHash,
        follow: (found) => followStream(id, context, [found]),
        label: ({ stream_id }) => stream_id,
        funding: 'mint its thread with the whole pool from the sender’s coins',
      },
      context,
    );
    // Record: what is funded together becomes active together.
    if (record.batch_id !== null)
      await fundBatch(await fundedTogether(context.store, record), transaction, context);
    return reply;
  },
  view: viewConfirmed,
});

export const fund = defineAction({
  build,
  confirm,
  record: findFunded,
  verb: 'fund',
  summary: 'Put the money into a stream',
});
