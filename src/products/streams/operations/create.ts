/** Creating a stream: terms in, a PENDING record and its deployment out. */
import { z } from 'zod';
import { withOwnWords } from '../../../record/own-words.js';
import { AddressField, TokenCategoryField, TokenTypeField } from '../../../bch/fields.js';
import { THREAD_DUST } from '../../../bch/transaction.js';
import { requestedAsset } from '../../../record/assets.js';
import { createRecord, FundingRequired, fundingRequired } from '../../../offer/create.js';
import { CREATE_ERRORS, defineOperation } from '../../../operation/define.js';
import { chainNow } from '../../../operation/chain-now.js';
import { shellLabel } from '../../../record/labels.js';
import { invalidInput } from '../../../operation/read-input.js';
import { checkSender, draftStream, requestedVault } from '../draft.js';
import { ScheduleFields, VaultId } from '../fields.js';
import { previewStream, streamGuide } from '../guide.js';
import { streams } from '../product.js';
import { showStream, StreamReply } from '../reply.js';
import { factsOfTerms } from '../view.js';

export const create = withOwnWords(
  defineOperation({
    id: 'streams.create',
    summary: 'Create a stream',
    description:
      'The stream is PENDING until its funding is confirmed. A template fills in whatever of the schedule is left out.',
    http: { method: 'POST', path: '/api/streams/create', creates: true },
    cli: {
      callerFields: ['sender'],
      guide: streamGuide,
      preview: previewStream,
      example: 'streams create --recipient <address> --total-amount 1 --schedule-template linear-cliff',
    },
    auth: 'address',
    forKeys: 'measured',
    input: z.object({
      ...ScheduleFields,
      sender: AddressField.optional().describe('Must be you when given'),
      tokenType: TokenTypeField.default('BCH'),
      tokenCategory: TokenCategoryField,
      vaultId: VaultId.nullish().describe('Links the stream to a vault'),
    }),
    output: z.object({
      message: z.string(),
      stream: StreamReply,
      deployment: z.object({
        contractAddress: z.string(),
        streamId: z.string().describe('Label'),
        onChainStreamId: z.string(),
        constructorParams: z.array(z.string()),
        fundingRequired: FundingRequired.extend({ threadDustSatoshis: z.number() }),
        nftCommitment: z.string(),
      }),
    }),
    errors: ['caller_mismatch', 'template_not_found', ...CREATE_ERRORS],
    aliases: { recipientAddress: 'recipient' },
    run: async (request, context) => {
      // Check: who asks, the vault, then everything that the covenant will bind.
      const { caller: sender, store } = context;
      checkSender('sender', request.sender, sender);
      const vault = await requestedVault(request.vaultId, store, sender);
      const asset = await requestedAsset(request, store);
      const now = await chainNow(context);
      const authorityPublicKey = await context.keys.authorityPublicKey();
      const frame = { sender, asset, vault, batchId: null, launchContext: null, now, authorityPublicKey };
      const draft = await draftStream(request, frame, context);
      if (!('stream' in draft)) throw draft.error ?? invalidInput(draft.issues);

      // Record: the stream at the address of its covenant, and its first event, with the answer.
      return createRecord(
        streams,
        { draft: draft.stream, amount: draft.stream.total_amount },
        async (stream, stored) => {
          const required = fundingRequired(streams, stream, context);
          return {
            message: `${stream.stream_id} is created and waits for its funding`,
            stream: await showStream(stream, stored, now),
            deployment: {
              contractAddress: stream.contract_address,
              streamId: stream.stream_id,
              onChainStreamId: stream.on_chain_stream_id,
              constructorParams: stream.constructor_params,
              fundingRequired: { ...required, threadDustSatoshis: Number(THREAD_DUST) },
              nftCommitment: required.withNFT.commitment,
            },
          };
        },
        context,
      );
    },
    view: ({ stream, message }) => [
      { kind: 'text', text: `${message}.` },
      factsOfTerms(stream),
      {
        kind: 'next',
        command: `streams fund ${shellLabel(stream.stream_id)}`,
        why: 'to put the money in',
      },
    ],
  }),
);
