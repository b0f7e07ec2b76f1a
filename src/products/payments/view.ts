/** A payment for people. */
import { pushedWords } from '../../record/pushed-words.js';
import { amountsIn } from '../../record/show-amount.js';
import type { z } from 'zod';
import { statusText } from '../../record/damaged.js';
import { column } from '../../operation/columns.js';
import type { View, ViewBlock } from '../../operation/define.js';
import { showDate } from '../../bch/show-date.js';
import type { Details } from '../../offer/read-record.js';
import { shellLabel } from '../../record/labels.js';
import type { ExecutionReply, PaymentReply } from './reply.js';
import { drawSchedule, periodsAhead } from './schedule-view.js';
import { wordedLabel, wordRows } from '../../record/own-words.js';

type Payment = z.output<typeof PaymentReply>;

type Shown = Details<'payment', Payment> & {
  readonly payment_executions: readonly z.output<typeof ExecutionReply>[];
};

/** How amounts of a payment read. */
export const inAsset = ({
  decimals,
  token_category: category,
}: Pick<Payment, 'decimals' | 'token_category'>) => amountsIn({ decimals, category });

/** When the next period falls due: at no time while it is paused or once it has ended. */
const nextDateOf = ({ status, next_payment_date: date }: Payment): string =>
  status === 'PAUSED' ? 'when resumed' : showDate(date, 'none');

/** Payments as one table. */
export const tableOfPayments = (payments: readonly Payment[], empty: string): ViewBlock => ({
  kind: 'table',
  head: [
    column.key('Label'),
    column.text('Recipient'),
    column.state('Status'),
    column.amount('Amount'),
    column.text('Interval', 2),
    column.amount('Due'),
    column.amount('Funded', 2),
    column.date('Next payment'),
  ],
  rows: payments.map((payment) => [
    wordedLabel(payment.payment_id, payment),
    payment.recipient_name ?? payment.recipient,
    statusText(payment),
    inAsset(payment)(payment.amount_per_periodOnChain),
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
  const next = (command: string, why: string, by: string): View => [{ kind: 'next', command, why, by: [by] }];
  const { sender, recipient } = payment;
  const { status, due_periods: due, claimable_periods: claimable, funded_periods: funded } = payment;
  const isFullyFunded = payment.total_periods === payment.payment_count + funded;
  if (status === 'PENDING') return next(`payments fund ${label}`, 'to put the first periods in', sender);
  if (claimable > 0)
    return [
      ...next(`payments claim ${label}`, 'to take what is due, as the recipient', recipient),
      ...(payment.pushable_amount > 0
        ? next(`payments push ${label}`, 'to pay the recipient what is due', sender)
        : []),
    ];
  if (status === 'PAUSED') return next(`payments resume ${label}`, 'to go on, an interval from now', sender);
  if (status !== 'ACTIVE' || isFullyFunded) return [];
  return due > 0 || funded === 0
    ? next(`payments refill ${label} --periods 3`, 'since nothing is funded any more', sender)
    : [];
};

const factsOf = (payment: Shown['payment']): ViewBlock => ({
  kind: 'facts',
  rows: [
    ...wordRows(payment),
    ['Asset', payment.token_category ?? 'BCH'],
    ['Pays', `${inAsset(payment)(payment.amount_per_periodOnChain)} ${payment.interval.toLowerCase()}`],
    ['Sender', payment.sender],
    ['Recipient', [payment.recipient_name, payment.recipient].filter((text) => text !== null).join(', ')],
    ['Starts', showDate(payment.start_date)],
    ['Ends', showDate(payment.endDate, 'open-ended')],
    ['Paid', `${inAsset(payment)(payment.total_paidOnChain)} in ${payment.payment_count} periods`],
    [
      'Claimable',
      `${inAsset(payment)(payment.claimable_amountOnChain)} for ${payment.claimable_periods} of ${payment.due_periods} due`,
    ],
    ['Held', `${inAsset(payment)(payment.funded_amountOnChain)} for ${payment.funded_periods} periods`],
    ['Next payment', nextDateOf(payment)],
    ['Funded until', showDate(payment.runway_ends_at, 'nothing is running')],
    ['Pause and cancel', payment.cancelable ? 'allowed' : 'irrevocable'],
    ['Pushed', pushedWords(payment.push_minimumOnChain, inAsset(payment))],
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
          head: [column.key('Period'), column.date('Falls due'), column.state('State')],
          rows: periodsAhead(payment).map(({ number, due, state }) => [String(number), showDate(due), state]),
          empty: 'No period is left.',
        },
      ]
    : []),
  {
    kind: 'table',
    head: [
      column.amount('Paid', 0),
      column.amount('Periods'),
      column.date('When'),
      column.txid('Transaction'),
    ],
    rows: executions.map((row) => [
      inAsset(payment)(row.amountOnChain),
      String(row.periods),
      showDate(row.paid_at),
      row.tx_hash,
    ]),
    empty: 'Nothing was paid yet.',
  },
];
