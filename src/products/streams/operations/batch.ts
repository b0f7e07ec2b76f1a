/** A batch: streams of any mix of types, funded by one transaction. */
import { z } from 'zod';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { commitAnswer } from '../../../operation/commit-answer.js';
import {
  confirmationsOf,
  confirmed,
  ConfirmReply,
  indexedTransaction,
  mismatch,
  viewConfirmed,
} from '../../../offer/confirm.js';
import { TreasuryError, type ErrorCode } from '../../../errors.js';
import type { Context } from '../../../operation/context.js';
import {
  defineAction,
  defineOperation,
  HAND_OUT_ERRORS,
  INDEXED_ERRORS,
  KEYS_ERRORS,
  type View,
} from '../../../operation/define.js';
import { PreparationReply } from '../../../offer/funding-reply.js';
import { chainNow } from '../../../operation/chain-now.js';
import {
  FundingInfoFields,
  fundingInfoOf,
  MAXIMUM_DRAFTS,
  type ReadyFunding,
} from '../../../offer/funding.js';
import type { StoreReader } from '../../../operation/ports/store.js';
import { fundBatch } from '../batch-funding.js';
import { BatchInput, draftBatchFunding, readBatch, type BatchOrder } from '../batch-request.js';
import { CheckReply, showVerdict, viewCheck } from '../batch-verdicts.js';
import { batchReaders, findBatch, storingBatch, type StoredBatch } from '../batches.js';
import { VaultId } from '../fields.js';
import { streams as product } from '../product.js';
import { BatchReply, showBatch, showStream, StreamReply } from '../reply.js';
import { requireGoodRows } from '../rows.js';
import type { StreamRecord } from '../stream.js';

const ReadyReply = z.object({
  success: z.literal(true),
  label: z.string(),
  batchId: z.string(),
  streamIds: z.array(z.string()),
  batch: BatchReply,
  streams: z.array(StreamReply),
  fundingInfo: z.object({
    ...FundingInfoFields,
    contractAddress: z.string().describe('The covenant of the first stream'),
    streams: z.number(),
  }),
  wcTransaction: WalletTransactionField,
});

const ERRORS: readonly ErrorCode[] = [
  'caller_mismatch',
  'vault_not_found',
  'private_vault',
  'invalid_file',
  'batch_too_large',
  'store_conflict',
  'authority_missing',
  ...KEYS_ERRORS,
  ...HAND_OUT_ERRORS,
];

/** What a batch answers once it is stored. */
const answerOf =
  (offer: ReadyFunding, now: number) =>
  async ({ batch, streams }: StoredBatch, store: StoreReader) => {
    const contractAddress = streams[0]?.contract_address ?? '';
    const { token_type: tokenType, decimals } = batch;
    return {
      success: true as const,
      label: `${streams[0]?.stream_id ?? ''} to ${streams.at(-1)?.stream_id ?? ''}`,
      batchId: batch.id,
      streamIds: batch.stream_ids,
      batch: await showBatch(batch, store),
      streams: await Promise.all(streams.map((stream) => showStream(stream, store, now))),
      fundingInfo: {
        ...fundingInfoOf(offer, { contractAddress, tokenType, decimals }),
        streams: streams.length,
      },
      wcTransaction: offer.wcTransaction,
    };
  };

/**
 * The answer of a batch, which is stored with the pin of its genesis coin; or the preparation it needs first.
 *
 * @throws insufficient_funds, store_conflict, chain_unavailable, and what handing out throws
 */
const fundAndStore = async (order: BatchOrder, drafts: readonly StreamRecord[], context: Context) => {
  for (let tries = 1; ; tries += 1) {
    const { offer, keep } = await draftBatchFunding(order.sender, drafts, context);
    if (offer.kind === 'preparation') return offer.reply;
    const make = await storingBatch(drafts, order.launchContext, keep, context);
    try {
      return await commitAnswer(context, make, answerOf(offer, order.now));
    } catch (error) {
      const isTaken = error instanceof TreasuryError && error.code === 'store_conflict';
      if (!isTaken || tries === MAXIMUM_DRAFTS) throw error;
      await context.store.refresh();
    }
  }
};

const build = defineOperation({
  id: 'streams.batch-create',
  summary: 'Create many streams, and build the one transaction that funds them',
  description:
    'Streams of any mix of types in one asset, as many as one standard transaction holds. Every bad row is reported; nothing is stored if any fails, or while a preparation is needed.',
  http: {
    method: 'POST',
    path: '/api/treasuries/:vaultId/batch-create',
    creates: true,
    bodyLimit: 1_048_576,
  },
  cli: {
    callerFields: ['senderAddress'],
    example: 'streams batch <vault> --file team.csv --dry-run',
  },
  auth: 'address',
  callerField: 'senderAddress',
  input: BatchInput,
  output: z.union([ReadyReply, PreparationReply]),
  errors: ERRORS,
  aliases: { sender: 'senderAddress' },
  run: async (request, context) => {
    // Check: who asks, the vault, and every row.
    const order = await readBatch(request, context);
    const drafts = requireGoodRows(order.verdicts);

    // Build: one genesis coin for all. Record: the run, its streams and the pin of the coin, all or none.
    return fundAndStore(order, drafts, context);
  },
});

const confirm = defineOperation({
  id: 'streams.confirm-batch',
  summary: 'Confirm the funding of a batch on chain',
  description: 'Every expected output is verified before any stream becomes active.',
  http: { method: 'POST', path: '/api/treasuries/:vaultId/batch-create/confirm', bodyLimit: 1_048_576 },
  cli: { positional: ['vaultId', 'batchId', 'txHash'] },
  auth: 'optional',
  input: z.object({
    vaultId: VaultId,
    txHash: TxHash,
    batchId: z.string().min(1).max(100),
    streamIds: z
      .array(z.string())
      .max(5_000)
      .optional()
      .describe('Compared with those of the batch when given'),
  }),
  output: ConfirmReply.extend({
    batch: BatchReply.optional().describe('For those who may read it'),
    streams: z.array(StreamReply).optional(),
  }),
  errors: ['vault_not_found', 'batch_not_found', 'stream_not_found', 'tx_mismatch', ...INDEXED_ERRORS],
  run: async ({ vaultId, txHash, batchId, streamIds }, context) => {
    // Check: the batch, its streams, and a transaction that the chain knows.
    const { store } = context;
    const batch = await findBatch(store, batchId, vaultId);
    const named = streamIds ?? batch.stream_ids;
    const isSame =
      named.length === batch.stream_ids.length && named.every((id) => batch.stream_ids.includes(id));
    if (!isSame)
      throw mismatch(txHash, `the streams of the batch ${batch.id}`, 'other streamIds in the request');
    const transaction = await indexedTransaction(txHash, context);
    const waiting = await Promise.all(batch.stream_ids.map((id) => product.find(store, id)));
    const funded = waiting.find(({ tx_hash }) => tx_hash !== null && tx_hash !== txHash)?.tx_hash ?? null;
    if (funded !== null) throw mismatch(txHash, `the funding of ${batch.id}`, 'another one, which funded it');

    // Record: all of them, or none.
    const streams = await fundBatch(waiting, transaction, context);
    const shown = await showBatch(batch, store);
    const now = await chainNow(context);
    const message = `${streams.length} streams are funded`;
    const answer = confirmed(message, txHash, shown.status, await confirmationsOf(txHash, context));
    // Of a private vault's batch, others hear what the transaction says.
    if (!(await batchReaders.readable(context.caller, store))(batch)) return answer;
    return {
      ...answer,
      batch: shown,
      streams: await Promise.all(streams.map((stream) => showStream(stream, store, now))),
    };
  },
  view: viewConfirmed,
});

/** The streams of a batch are funded together, through any of them. */
const viewUnfunded = ({ label, streams }: z.input<typeof ReadyReply>): View => [
  { kind: 'text', text: `${label} are stored, and wait for their funding.` },
  {
    kind: 'next',
    command: `streams fund ${streams[0]?.stream_id ?? ''}`,
    why: 'to fund all of them; the same batch again would be another one',
  },
];

/** What `--dry-run` does: the same checks and the same transaction, and nothing is stored. */
const check = defineOperation({
  id: 'streams.check-batch',
  summary: 'Check every row of a batch and build its transaction, without storing anything',
  cli: false,
  auth: 'address',
  callerField: 'senderAddress',
  input: BatchInput,
  output: CheckReply,
  errors: ERRORS,
  aliases: { sender: 'senderAddress' },
  run: async (request, context) => {
    const order = await readBatch(request, context);
    const rows = order.verdicts.map(showVerdict);
    const refused = rows.filter(({ verdict }) => verdict === 'refused').length;
    const counts = { rows, good: rows.length - refused, refused };
    if (refused > 0) {
      const message = `${refused} of ${rows.length} rows are refused`;
      return { success: false, code: 'invalid_input' as const, message, ...counts, wcTransaction: null };
    }
    const { offer } = await draftBatchFunding(order.sender, requireGoodRows(order.verdicts), context);
    const isReady = offer.kind === 'ready';
    return {
      success: true,
      message: `${rows.length} rows are good${isReady ? '' : '; a preparation comes first'}`,
      ...counts,
      fee: isReady ? offer.fee : undefined,
      wcTransaction: isReady ? offer.wcTransaction : offer.reply.preparationTransaction,
    };
  },
  view: viewCheck,
});

export const batch = defineAction({
  build,
  confirm,
  check,
  left: viewUnfunded,
  verb: 'batch',
  summary: 'Create and fund many streams with one transaction',
});
