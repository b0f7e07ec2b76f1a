/** A batch: streams of any mix of types, funded by one transaction. */
import { z } from 'zod';
import { withOwnWords } from '../../../record/own-words.js';
import { BCH_DECIMALS, formatUnits, showNumber } from '../../../bch/amount.js';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import {
  confirmationsOf,
  confirmed,
  ConfirmReply,
  indexedTransaction,
  mismatch,
  viewConfirmed,
} from '../../../offer/confirm.js';
import {
  defineAction,
  defineOperation,
  HAND_OUT_ERRORS,
  INDEXED_ERRORS,
  KEYS_ERRORS,
  VAULT_ERRORS,
  type View,
} from '../../../operation/define.js';
import { PreparationReply } from '../../../offer/funding-reply.js';
import { chainNow } from '../../../operation/chain-now.js';
import { FundingInfoFields, fundingInfoOf } from '../../../offer/funding.js';
import { BATCH_SHEET } from '../batch-csv.js';
import { BatchInput, readBatch } from '../batch-request.js';
import { batchReaders, createBatch, draftBatchFunding, findBatch, fundBatch } from '../batches.js';
import { VaultId } from '../fields.js';
import { streams as product } from '../product.js';
import { BatchReply, showBatch, showMade, showStreams, StreamReply } from '../reply.js';
import { requireGoodRows, showVerdict, VerdictReply, viewVerdicts } from '../rows.js';

const WarningsField = z
  .array(z.string())
  .optional()
  .describe('Somebody who is in it twice, or an earlier batch of the same recipients and amounts');

const warned = (warnings: readonly string[]) => (warnings.length === 0 ? {} : { warnings: [...warnings] });

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
  warnings: WarningsField,
});

/** What is asked of a batch, whether it is made or only checked. */
const request = {
  auth: 'address',
  callerField: 'senderAddress',
  input: BatchInput,
  aliases: { sender: 'senderAddress' },
  errors: [
    'caller_mismatch',
    ...VAULT_ERRORS,
    'invalid_file',
    'batch_too_large',
    'store_conflict',
    'authority_missing',
    ...KEYS_ERRORS,
    ...HAND_OUT_ERRORS,
  ],
} as const;

const build = withOwnWords(
  defineOperation({
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
      sheet: { kind: BATCH_SHEET, entries: 'entries', file: 'file' },
      guide: false,
      example: 'streams batch <vault> --file team.csv --dry-run',
    },
    ...request,
    output: z.union([ReadyReply, PreparationReply]),
    run: async (asked, context) => {
      // Check: who asks, the vault, and every row.
      const { verdicts, launchContext, now, warnings } = await readBatch(asked, context);
      const drafts = requireGoodRows(verdicts);

      // Build: one genesis coin for all. Record: the run, its streams and the pin of the coin, all or none.
      return createBatch(
        drafts,
        launchContext,
        async ({ batch, streams }, offer, writer) => {
          const contractAddress = streams[0]?.contract_address ?? '';
          const { token_type: tokenType, decimals } = batch;
          const info = fundingInfoOf(offer, { contractAddress, tokenType, decimals });
          return {
            success: true as const,
            label: `${streams[0]?.stream_id ?? ''} to ${streams.at(-1)?.stream_id ?? ''}`,
            batchId: batch.id,
            streamIds: batch.stream_ids,
            batch: await showBatch(batch, writer),
            streams: await showMade(streams, writer, now),
            fundingInfo: { ...info, streams: streams.length },
            wcTransaction: offer.wcTransaction,
            ...warned(warnings),
          };
        },
        context,
      );
    },
  }),
);

const confirm = defineOperation({
  id: 'streams.confirm-batch',
  summary: 'Confirm the funding of a batch on chain',
  description: 'Every expected output is verified before any stream becomes active.',
  http: { method: 'POST', path: '/api/treasuries/:vaultId/batch-create/confirm', bodyLimit: 65_536 },
  cli: { positional: ['vaultId', 'batchId', 'txHash'] },
  auth: 'optional',
  forKeys: 'measured',
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
    return { ...answer, batch: shown, streams: await showStreams(streams, store, now) };
  },
  view: viewConfirmed,
});

/** What `--dry-run` does: the same checks and the same transaction, and nothing is stored. */
const check = withOwnWords(
  defineOperation({
    id: 'streams.check-batch',
    summary: 'Check every row of a batch and build its transaction, without storing anything',
    cli: false,
    ...request,
    output: z.object({
      success: z.boolean(),
      code: z.literal('invalid_input').optional(),
      message: z.string(),
      rows: z.array(VerdictReply),
      good: z.number(),
      refused: z.number(),
      fee: z.number().optional().describe('Satoshis'),
      wcTransaction: WalletTransactionField.nullable().describe('Null while any row is refused'),
      warnings: WarningsField,
    }),
    run: async (asked, context) => {
      const { verdicts, warnings } = await readBatch(asked, context);
      const rows = verdicts.map(showVerdict);
      const refused = rows.filter(({ verdict }) => verdict === 'refused').length;
      const counts = { rows, good: rows.length - refused, refused };
      if (refused > 0) {
        const message = `${refused} of ${rows.length} rows are refused`;
        const refusal = { success: false, code: 'invalid_input' as const, message };
        return { ...refusal, ...counts, wcTransaction: null, ...warned(warnings) };
      }
      const { offer } = await draftBatchFunding(requireGoodRows(verdicts), context);
      const isReady = offer.kind === 'ready';
      return {
        success: true,
        message: `${rows.length} rows are good${isReady ? '' : '; a preparation comes first'}`,
        ...counts,
        fee: isReady ? offer.fee : undefined,
        wcTransaction: isReady ? offer.wcTransaction : offer.reply.preparationTransaction,
        ...warned(warnings),
      };
    },
    view: ({ rows, message }) => [...viewVerdicts(rows), { kind: 'text', text: `${message}.` }],
  }),
);

/** What a batch comes to, before it is agreed to. */
const viewTotals = ({ batch: run, streams, fundingInfo }: z.input<typeof ReadyReply>): View => {
  const payees = new Set(streams.map(({ recipient }) => recipient)).size;
  return [
    {
      kind: 'facts',
      rows: [
        ['Streams', `${streams.length}, to ${payees} ${payees === 1 ? 'recipient' : 'recipients'}`],
        ['In all', `${showNumber(run.total_amount)} ${run.token_category ?? 'BCH'}`],
        ['Fee', `${formatUnits(BigInt(fundingInfo.fee), BCH_DECIMALS)} BCH`],
        ['Paid by', run.sender],
      ],
    },
  ];
};

export const batch = defineAction({
  build,
  confirm,
  check,
  totals: viewTotals,
  left: ({ label, streams }: z.input<typeof ReadyReply>) => [
    { kind: 'text', text: `${label} are stored, and wait for their funding.` },
    {
      kind: 'next',
      command: `streams fund ${streams[0]?.stream_id ?? ''}`,
      why: 'to fund all of them; the same batch again would be another one',
    },
  ],
  verb: 'batch',
  summary: 'Create and fund many streams with one transaction',
});
