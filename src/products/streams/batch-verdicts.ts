/** The verdict on each row of a batch, as a dry run shows it. */
import { z } from 'zod';
import { showAmounts } from '../../bch/amount.js';
import { WalletTransactionField } from '../../bch/fields.js';
import type { View } from '../../operation/define.js';
import type { RowVerdict } from './rows.js';

const VerdictReply = z.object({
  row: z.number().describe('From 1'),
  verdict: z.enum(['good', 'refused']),
  recipient: z.string().nullable(),
  stream_type: z.string().nullable(),
  total_amount: z.number().nullable().describe('Display units'),
  total_amountOnChain: z.string().nullable().describe('Smallest unit'),
  issues: z.array(z.object({ path: z.string(), message: z.string() })),
});

/** What a dry run of a batch answers. */
export const CheckReply = z.object({
  success: z.boolean(),
  code: z.literal('invalid_input').optional(),
  message: z.string(),
  rows: z.array(VerdictReply),
  good: z.number(),
  refused: z.number(),
  fee: z.number().optional().describe('Satoshis'),
  wcTransaction: WalletTransactionField.nullable().describe('Null while any row is refused'),
});

/** A verdict as answers show it. */
export const showVerdict = (verdict: RowVerdict): z.output<typeof VerdictReply> => {
  const { row } = verdict;
  if ('issues' in verdict) {
    const unknown = { recipient: null, stream_type: null, total_amount: null, total_amountOnChain: null };
    return { row, verdict: 'refused', ...unknown, issues: [...verdict.issues] };
  }
  const { recipient, stream_type, total_amount, decimals } = verdict.stream;
  return {
    row,
    verdict: 'good',
    recipient,
    stream_type,
    ...showAmounts({ total_amount }, decimals),
    issues: [],
  };
};

const tell = (issues: z.output<typeof VerdictReply>['issues']): string =>
  issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');

/** How a dry run of a batch reads. */
export const viewCheck = ({ rows, message }: z.output<typeof CheckReply>): View => [
  {
    kind: 'table',
    head: ['Row', 'Recipient', 'Type', 'Amount', 'Verdict'],
    rows: rows.map(({ row, recipient, stream_type, total_amount, issues }) => [
      String(row),
      recipient ?? '',
      stream_type ?? '',
      total_amount === null ? '' : String(total_amount),
      issues.length === 0 ? 'good' : tell(issues),
    ]),
  },
  { kind: 'text', text: `${message}.` },
];
