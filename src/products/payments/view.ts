/** A payment for people. */
import { showNumber } from '../../bch/amount.js';
import type { z } from 'zod';
import { statusText } from '../../record/damaged.js';
import type { View, ViewBlock } from '../../operation/define.js';
import { showDate } from '../../bch/show-date.js';
import type { Details } from '../../offer/read-record.js';
import { shortAsset } from '../../record/assets.js';
import { shellLabel } from '../../record/labels.js';
import type { ExecutionReply, PaymentReply } from './reply.js';
import { drawSchedule, periodsAhead } from './schedule-view.js';

type Payment = z.output<typeof PaymentReply>;

type Shown = Details<'payment', Payment> & {
  readonly payment_executions: readonly z.output<typeof ExecutionReply>[];
};

/** When the next period falls due: at no time while it is paused or once it has ended. */
const nextDateOf = ({ status, next_payment_date: date }: Payment): string =>
  status === 'PAUSED' ? 'when resumed' : showDate(date, 'none');

/** Payments as one table. */
export const tableOfPayments = (payments: readonly Payment[], empty: string): ViewBlock => ({
  kind: 'table',
  head: ['Label', 'Recipient', 'Status', 'Asset', 'Amount', 'Interval', 'Due', 'Funded', 'Next payment'],
  rows: payments.map((payment) => [
    payment.payment_id,
    payment.recipient_name ?? payment.recipient,
    statusText(payment),
    shortAsset(payment.token_category),
    showNumber(payment.amount_per_period),
    payment.interval,
    String(payment.due_periods),
    String(payment.funded_periods),
    nextDateOf(payment),
  ]),
  empty,
});

/** What can be done with a payment next. */
export const nextOf = ({ payment }: Shown): View => {
  const label = shellLabel(payment.payment_id);
  const next = (command: string, why: string): View => [{ kind: 'next', command, why }];
  const { status, due_periods: due, claimable_periods: claimable, funded_periods: funded } = payment;
  const isFullyFunded = payment.total_periods === payment.payment_count + funded;
  if (status === 'PENDING') return next(`payments fund ${label}`, 'to put the first periods in');
  if (claimable > 0) return next(`payments claim ${label}`, 'to take what is due, as the recipient');
  if (status === 'PAUSED') return next(`payments resume ${label}`, 'to go on, an interval from now');
  if (status !== 'ACTIVE' || isFullyFunded) return [];
  return due > 0 || funded === 0
    ? next(`payments refill ${label} --periods 3`, 'since nothing is funded any more')
    : [];
};

const factsOf = (payment: Shown['payment']): ViewBlock => ({
  kind: 'facts',
  rows: [
    ['Asset', payment.token_category ?? 'BCH'],
    ['Pays', `${showNumber(payment.amount_per_period)} ${payment.interval.toLowerCase()}`],
    ['Sender', payment.sender],
    ['Recipient', [payment.recipient_name, payment.recipient].filter((text) => text !== null).join(', ')],
    ['Starts', showDate(payment.start_date)],
    ['Ends', showDate(payment.endDate, 'open-ended')],
    ['Paid', `${payment.total_paid} in ${payment.payment_count} periods`],
    [
      'Claimable',
      `${showNumber(payment.claimable_amount)} for ${payment.claimable_periods} of ${payment.due_periods} due`,
    ],
    ['Held', `${showNumber(payment.funded_amount)} for ${payment.funded_periods} periods`],
    ['Next payment', nextDateOf(payment)],
    ['Funded until', showDate(payment.runway_ends_at, 'nothing is running')],
    ['Pause and cancel', payment.cancelable ? 'allowed' : 'irrevocable'],
    ['Contract', payment.contract_address],
    ['Funding', payment.tx_hash ?? 'not yet'],
    ['Confirmations', String(payment.confirmations)],
  ],
});

/** How `payments show` reads. */
export const viewPayment = ({ payment, payment_executions: executions }: Shown): View => [
  { kind: 'text', text: `${payment.payment_id} (${payment.status})` },
  { kind: 'text', text: drawSchedule(payment) },
  factsOf(payment),
  ...(payment.status === 'ACTIVE'
    ? [
        {
          kind: 'table' as const,
          head: ['Period', 'Falls due', 'State'],
          rows: periodsAhead(payment).map(({ number, due, state }) => [String(number), showDate(due), state]),
          empty: 'No period is left.',
        },
      ]
    : []),
  {
    kind: 'table',
    head: ['Paid', 'Periods', 'When', 'Transaction'],
    rows: executions.map((row) => [
      showNumber(row.amount),
      String(row.periods),
      showDate(row.paid_at),
      row.tx_hash,
    ]),
    empty: 'Nothing was paid yet.',
  },
];
