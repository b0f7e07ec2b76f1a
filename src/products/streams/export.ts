/** The lines of a batch run's export. */
import { formatUnits } from '../../bch/amount.js';
import { csvText, type CsvCell } from '../../operation/csv.js';
import type { ShownStream } from './reply.js';

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
export const exportBatch = (streams: readonly ShownStream[]): string =>
  csvText(
    COLUMNS.map(([title]) => title),
    streams.map((stream) => COLUMNS.map(([, cell]) => cell(stream))),
  );
