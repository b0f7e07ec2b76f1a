/** Movements and income as rows: of the answer, and of its CSV. */
import { z } from 'zod';
import { formatUnits } from '../../bch/amount.js';
import { csvText } from '../../operation/csv.js';
import { FLOWS } from '../../record/movement.js';
import type { Entry, LabelSum } from './book.js';
import type { IncomeEntry, IncomeSum } from './income.js';

/** One movement, or one line of income. */
export const Row = z.object({
  date: z.string().describe('ISO-8601, UTC'),
  label: z.string(),
  type: z.string(),
  flow: z
    .enum([...FLOWS, 'earned', 'received'])
    .describe(
      'in: into the contract; out: paid by it; back: returned to who funded it. With a basis, earned: income; received: what was paid of it',
    ),
  party: z.string(),
  asset: z.string().describe('BCH, or the category of the token'),
  amount: z.string().describe('Exact, display units'),
  usd: z.number().nullable().describe('USD per BCH when it was seen; null when it was not known'),
  txHash: z.string(),
  ownLabel: z.string().nullable().describe('What the maker of the record calls it'),
  ownNote: z.string().nullable(),
});
export type Row = z.output<typeof Row>;

/** The sums of one record and asset. */
export const SumRow = z.object({
  label: z.string(),
  asset: z.string(),
  opening: z.string(),
  in: z.string(),
  out: z.string(),
  back: z.string(),
  closing: z.string().describe('opening + in - out - back'),
});
export type SumRow = z.output<typeof SumRow>;

/** A movement as a row. */
export const showEntry = ({ event, label, own, flow, party, asset, amount, decimals, usd }: Entry): Row => ({
  date: new Date(event.created_at * 1000).toISOString().replace('.000Z', 'Z'),
  label,
  type: event.event_type,
  flow,
  party,
  asset,
  amount: formatUnits(amount, decimals),
  usd,
  txHash: event.tx_hash ?? '',
  ownLabel: own.own_label,
  ownNote: own.own_note,
});

/** Sums of movements as a row. */
export const showSum = ({ label, asset, decimals, ...sums }: LabelSum): SumRow => {
  const show = (units: bigint) => formatUnits(units, decimals);
  return {
    label,
    asset,
    opening: show(sums.opening),
    in: show(sums.in),
    out: show(sums.out),
    back: show(sums.back),
    closing: show(sums.closing),
  };
};

/** Rows of a schema as CSV with a head line. */
export const csvOf = <Shape extends z.core.$ZodShape>(
  { shape }: z.ZodObject<Shape>,
  rows: readonly Readonly<Record<keyof Shape, string | number | null>>[],
): string => {
  const head = Object.keys(shape);
  return csvText(
    head,
    rows.map((row) => head.map((name) => row[name] ?? null)),
  );
};

/** A line of income: what was earned, and what was received. */
export const showIncome = (entry: IncomeEntry): readonly Row[] => {
  const { seconds, label, own, type, recipient, asset, decimals, usd, txHash } = entry;
  const row = (flow: 'earned' | 'received', units: bigint): readonly Row[] =>
    units === 0n
      ? []
      : [
          {
            date: new Date(seconds * 1000).toISOString().replace('.000Z', 'Z'),
            label,
            type,
            flow,
            party: recipient,
            asset,
            amount: formatUnits(units, decimals),
            usd,
            txHash: txHash ?? '',
            ownLabel: own.own_label,
            ownNote: own.own_note,
          },
        ];
  return [...row('earned', entry.earned), ...row('received', entry.received)];
};

/** Sums of income as a row. */
export const showIncomeSum = ({
  label,
  asset,
  decimals,
  opening,
  earned,
  received,
  closing,
}: IncomeSum): SumRow => {
  const show = (units: bigint) => formatUnits(units, decimals);
  return {
    label,
    asset,
    opening: show(opening),
    in: show(earned),
    out: show(received),
    back: show(0n),
    closing: show(closing),
  };
};
