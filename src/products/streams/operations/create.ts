/** Creating a stream: terms in, a PENDING record and its deployment out. */
import { z } from 'zod';
import { showAmounts } from '../../../bch/amount.js';
import { AddressField, TokenCategoryField, TokenTypeField } from '../../../bch/fields.js';
import { THREAD_DUST } from '../../../bch/transaction.js';
import { TreasuryError } from '../../../errors.js';
import { requestedAsset } from '../../../record/assets.js';
import { commitAnswer } from '../../../operation/commit-answer.js';
import { CREATE_ERRORS, defineOperation } from '../../../operation/define.js';
import { chainNow } from '../../../operation/chain-now.js';
import { shellLabel } from '../../../record/labels.js';
import type { StoreWriter } from '../../../operation/ports/store.js';
import { invalidInput } from '../../../operation/read-input.js';
import { draftStream, requestedVault, storeStream } from '../draft.js';
import { ScheduleFields, VaultId } from '../fields.js';
import { streams } from '../product.js';
import { showStream, StreamReply } from '../reply.js';
import { viewCreated } from '../view.js';

export const create = defineOperation({
  id: 'streams.create',
  summary: 'Create a stream',
  description:
    'The stream is PENDING until its funding is confirmed. A template fills in whatever of the schedule is left out.',
  http: { method: 'POST', path: '/api/streams/create', creates: true },
  cli: {
    callerFields: ['sender'],
    example: 'streams create --recipient <address> --total-amount 1 --schedule-template linear-cliff',
  },
  auth: 'address',
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
      fundingRequired: z.object({
        toAddress: z.string().describe('The contract address'),
        toTokenAddress: z.string().describe('Its token-aware form'),
        amount: z.number(),
        amountOnChain: z.string(),
        tokenType: z.string(),
        threadDustSatoshis: z.number(),
        withNFT: z.object({ commitment: z.string(), capability: z.literal('mutable') }),
      }),
      nftCommitment: z.string(),
    }),
  }),
  errors: ['caller_mismatch', 'template_not_found', ...CREATE_ERRORS],
  aliases: { recipientAddress: 'recipient' },
  run: async (request, context) => {
    // Check: who asks, the vault, then everything that the covenant will bind.
    const { caller: sender, store, network } = context;
    if (request.sender !== undefined && request.sender.text !== sender.text) {
      const { text: value } = request.sender;
      throw new TreasuryError('caller_mismatch', { field: 'sender', value, caller: sender.text });
    }
    const vault = await requestedVault(request.vaultId, store, sender);
    const asset = await requestedAsset(request, store);
    const now = await chainNow(context);
    const authorityPublicKey = await context.keys.authorityPublicKey();
    const terms = { batchId: null, launchContext: null, now, authorityPublicKey };
    const frame = { sender, asset, vault, ...terms };
    const draft = await draftStream(request, frame, context);
    if (!('stream' in draft)) throw draft.error ?? invalidInput(draft.issues);

    // Record: the stream and its first event, with the answer.
    const price = await context.price.reading();
    const { commitment } = streams.genesis(draft.stream, network);
    const { address } = streams.contract(draft.stream, network);
    const make = (writer: StoreWriter) => storeStream(writer, draft.stream, price, context);
    return commitAnswer(context, make, async (stream, stored) => ({
      message: `${stream.stream_id} is created and waits for its funding`,
      stream: await showStream(stream, stored, now),
      deployment: {
        contractAddress: stream.contract_address,
        streamId: stream.stream_id,
        onChainStreamId: stream.on_chain_stream_id,
        constructorParams: stream.constructor_params,
        fundingRequired: {
          toAddress: address.text,
          toTokenAddress: address.tokenText,
          ...showAmounts({ amount: stream.total_amount }, stream.decimals),
          tokenType: stream.token_type,
          threadDustSatoshis: Number(THREAD_DUST),
          withNFT: { commitment, capability: 'mutable' as const },
        },
        nftCommitment: commitment,
      },
    }));
  },
  view: ({ stream, message }) => [
    { kind: 'text', text: `${message}.` },
    ...viewCreated(stream),
    {
      kind: 'next',
      command: `streams fund ${shellLabel(stream.stream_id)}`,
      why: 'to put the money in',
    },
  ],
});
