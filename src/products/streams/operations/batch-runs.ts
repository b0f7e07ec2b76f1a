/** The history of batch runs, one run, and its export. */
import { z } from 'zod';
import { formatUnits } from '../../../bch/amount.js';
import { showDate } from '../../../bch/show-date.js';
import { column } from '../../../operation/columns.js';
import { csvText, viewCsv, type CsvCell } from '../../../operation/csv.js';
import { defineOperation, type RunContext, type ViewBlock } from '../../../operation/define.js';
import { EventReply, eventsOf, showEvent } from '../../../record/events.js';
import { PageReply, pageOf, ShortPageFields } from '../../../operation/paging.js';
import { listNow, StaleReply } from '../../../operation/stale.js';
import type { StoreReader } from '../../../operation/ports/store.js';
import { activityCollection } from '../activity.js';
import { batchReaders, findBatch } from '../batches.js';
import { ActivityFields } from '../fields.js';
import { searchQuery } from '../lists.js';
import { streams } from '../product.js';
import {
  BatchReply,
  showBatch,
  showStreams,
  StreamReply,
  type ShownBatch,
  type ShownStream,
} from '../reply.js';
import { batchCollection, type BatchRecord } from '../stream.js';
import { inAsset, more, tableOfStreams } from '../view.js';

const BatchId = z.string().min(1).max(100).describe('Id of the run');

const hasEvent = async (store: StoreReader, { stream_ids }: BatchRecord, type: string): Promise<boolean> => {
  for (const id of stream_ids) {
    const where = { stream: `${id}|${type}` };
    if ((await store.find(activityCollection, { where, limit: 1 })).total > 0) return true;
  }
  return false;
};

const tableOfRuns = (runs: readonly ShownBatch[]): ViewBlock => ({
  kind: 'table',
  head: [
    column.key('Run'),
    column.date('When', 2),
    column.state('Status'),
    column.amount('Streams'),
    column.amount('Active', 2),
    column.amount('Completed', 2),
    column.amount('Cancelled', 2),
    column.amount('Total'),
  ],
  rows: runs.map((run) => [
    run.id,
    showDate(run.created_at),
    run.status,
    String(run.count),
    String(run.active),
    String(run.completed),
    String(run.cancelled),
    inAsset(run)(run.total_amountOnChain),
  ]),
  empty: 'No batch runs yet. `treasury streams batch` makes one.',
});

export const batchRuns = defineOperation({
  id: 'streams.batch-runs',
  summary: 'List the batch runs, newest first',
  http: { method: 'GET', path: '/api/streams/batch-runs' },
  cli: { verb: 'runs' },
  auth: 'optional',
  input: z.object({ ...ActivityFields, ...ShortPageFields }),
  output: z.object({ batches: z.array(BatchReply), ...PageReply }),
  errors: ['vault_not_found'],
  run: async ({ page, limit, eventType, dateFrom = 0, dateTo = Infinity, ...request }, context) => {
    const { store } = context;
    const searched = { collection: batchCollection, ...batchReaders };
    const query = await searchQuery(searched, request, context);
    const type = eventType === 'claim' ? 'claimed' : eventType;
    // Runs are few beside streams: what no index holds is looked through.
    const isAsked = (batch: BatchRecord) =>
      batch.created_at >= dateFrom && batch.created_at <= dateTo && (query.filter?.(batch) ?? true);
    const shown = new Set<string>();
    for (const batch of (await store.find(batchCollection, { ...query, filter: isAsked })).items)
      if (type === undefined || (await hasEvent(store, batch, type))) shown.add(batch.id);
    const filter = ({ id }: BatchRecord) => shown.has(id);
    const { items, ...figures } = await pageOf(store, batchCollection, { ...query, filter }, { page, limit });
    return { batches: await Promise.all(items.map((batch) => showBatch(batch, store))), ...figures };
  },
  view: (reply) => [tableOfRuns(reply.batches), ...more(reply.batches.length, reply)],
});

/** A run with its streams, for who may read it. @throws batch_not_found, private_vault */
const readRun = async (id: string, context: RunContext<'optional'>) => {
  const { store, caller } = context;
  const batch = await findBatch(store, id);
  await batchReaders.checkReader(batch, caller, store);
  const { now, stale } = await listNow(context);
  const members = await Promise.all(batch.stream_ids.map((stream) => streams.find(store, stream)));
  return {
    batch: await showBatch(batch, store),
    streams: await showStreams(members, store, now),
    ...stale,
  };
};

export const batchRun = defineOperation({
  id: 'streams.batch-run',
  summary: 'Show a batch run with its streams and events',
  http: { method: 'GET', path: '/api/streams/batch-runs/:id' },
  cli: { verb: 'run' },
  auth: 'optional',
  input: z.object({ id: BatchId }),
  output: z.object({
    batch: BatchReply,
    streams: z.array(StreamReply),
    events: z.array(EventReply).describe('The latest of each stream'),
    ...StaleReply,
  }),
  errors: ['batch_not_found', 'stream_not_found', 'vault_not_found', 'private_vault'],
  run: async ({ id }, context) => {
    const run = await readRun(id, context);
    return {
      ...run,
      events: (await Promise.all(run.streams.map((stream) => eventsOf(context.store, stream.id, 1))))
        .flat()
        .map(showEvent),
    };
  },
  view: ({ batch, streams: shown }) => [tableOfRuns([batch]), tableOfStreams(shown)],
});

const dateOf = (seconds: number | null): string =>
  seconds === null ? '' : new Date(seconds * 1000).toISOString();

const exact = (units: string, decimals: number): string => formatUnits(BigInt(units), decimals);

/** Column titles, and what stands in them. Amounts are exact decimal text, dates ISO 8601 in UTC. */
const COLUMNS: readonly (readonly [title: string, cell: (stream: ShownStream) => CsvCell])[] = [
  ['label', ({ stream_id }) => stream_id],
  ['id', ({ id }) => id],
  ['status', ({ status }) => status],
  ['type', ({ stream_type }) => stream_type],
  ['template', ({ schedule_template }) => schedule_template],
  ['sender', ({ sender }) => sender],
  ['recipient', ({ recipient }) => recipient],
  ['token_type', ({ token_type }) => token_type],
  ['token_category', ({ token_category }) => token_category],
  ['total', ({ total_amountOnChain, decimals }) => exact(total_amountOnChain, decimals)],
  ['vested', ({ vested_amountOnChain, decimals }) => exact(vested_amountOnChain, decimals)],
  ['withdrawn', ({ withdrawn_amountOnChain, decimals }) => exact(withdrawn_amountOnChain, decimals)],
  ['claimable', ({ claimable_amountOnChain, decimals }) => exact(claimable_amountOnChain, decimals)],
  ['returned', ({ returned_amountOnChain, decimals }) => exact(returned_amountOnChain, decimals)],
  ['start', ({ start_time }) => dateOf(start_time)],
  ['end', ({ end_time }) => dateOf(end_time)],
  ['interval_seconds', ({ interval_seconds }) => interval_seconds],
  ['description', ({ description }) => description],
  ['contract_address', ({ contract_address }) => contract_address],
  ['funding_tx', ({ tx_hash }) => tx_hash],
];

/** A batch run as CSV: one header line, one line for each stream. */
const exportBatch = (streams: readonly ShownStream[]): string =>
  csvText(
    COLUMNS.map(([title]) => title),
    streams.map((stream) => COLUMNS.map(([, cell]) => cell(stream))),
  );

const CsvReply = z.object({
  format: z.literal('csv'),
  contentType: z.string(),
  fileName: z.string(),
  text: z.string().describe('One header line, one line for each stream'),
});
const JsonReply = z.object({
  format: z.literal('json'),
  fileName: z.string(),
  batch: BatchReply,
  streams: z.array(StreamReply),
  ...StaleReply,
});

export const exportRun = defineOperation({
  id: 'streams.export',
  summary: 'Export a batch run as CSV or JSON',
  description: 'The CSV opens in a spreadsheet and cannot carry a formula.',
  http: {
    method: 'GET',
    path: '/api/streams/batch-runs/:id/export',
    text: (reply) => CsvReply.safeParse(reply).data ?? null,
  },
  auth: 'optional',
  input: z.object({ id: BatchId, format: z.enum(['csv', 'json']).default('csv') }),
  output: z.union([CsvReply, JsonReply]),
  errors: ['batch_not_found', 'stream_not_found', 'vault_not_found', 'private_vault'],
  run: async ({ id, format }, context) => {
    const run = await readRun(id, context);
    const fileName = `batch-${run.batch.id}.${format}`;
    if (format === 'json') return { format, fileName, ...run };
    const contentType = 'text/csv; charset=utf-8; header=present';
    return { format, contentType, fileName, text: exportBatch(run.streams) };
  },
  view: (reply) =>
    reply.format === 'csv' ? viewCsv(reply.text) : [{ kind: 'file', text: JSON.stringify(reply.streams) }],
});
