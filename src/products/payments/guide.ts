/** How a recurring payment is asked for. */
import { showDate } from '../../bch/show-date.js';
import type { View } from '../../operation/define.js';
import type { Guide } from '../../operation/guide.js';
import type { z } from 'zod';
import { chooseVault } from '../vaults/index.js';
import { INTERVAL_SECONDS, INTERVALS } from './payment.js';
import type { PaymentReply } from './reply.js';

const DAY = 86_400;
/** As many of the first payments as show the rhythm. */
const SHOWN = 4;

/** The first payments, by their dates. */
const datesOf = ({ start_date: start, interval, total_periods: periods }: z.output<typeof PaymentReply>) => {
  const count = Math.min(SHOWN, periods ?? SHOWN);
  return Array.from({ length: count }, (_, index) =>
    showDate(start + (index + 1) * INTERVAL_SECONDS[interval]),
  );
};

export const paymentGuide: Guide = {
  intro:
    'A recurring payment pays the same amount every interval. It is created here, and funded by the next command.',
  order: [
    'vaultId',
    'recipient',
    'recipientName',
    'tokenCategory',
    'interval',
    'amountPerPeriod',
    'startDate',
    'endDate',
    'cancelable',
    'pushMinimum',
  ],
  questions: {
    vaultId: { item: 'Vault', ask: 'Does it belong to a vault?', enter: 'no', choices: chooseVault },
    recipient: { ask: 'Who gets it? A number of these, @name or an address' },
    recipientName: { ask: 'What are they called?' },
    tokenCategory: { ask: 'What does it pay?' },
    amountPerPeriod: { ask: 'How much each time?' },
    interval: {
      ask: 'How often?',
      choices: () =>
        INTERVALS.map((value) => ({
          value,
          name: `${value.toLowerCase().padEnd(9)}  every ${INTERVAL_SECONDS[value] / DAY} days`,
        })),
    },
    // Said as it is now, so that the same command later gives the same payment.
    startDate: { ask: 'When does it start? The first payment is an interval later', suggest: () => 'now' },
    endDate: { ask: 'When does it end? A payment due then counts', enter: 'open-ended' },
    cancelable: { ask: 'May you pause and cancel it?' },
    pushMinimum: {
      ask: 'May anybody have what is due paid to the recipient? From which amount on?',
      enter: 'nobody but the recipient',
    },
  },
};

/** The first payments, and how many there are. */
export const previewPayment = ({ payment }: { readonly payment: z.output<typeof PaymentReply> }): View => [
  {
    kind: 'facts',
    rows: [
      [
        'Pays on',
        [...datesOf(payment), ...((payment.total_periods ?? Infinity) > SHOWN ? ['...'] : [])].join(', '),
      ],
      ...(payment.total_periods === null ? [] : [['In all', `${payment.total_periods} payments`] as const]),
    ],
  },
];
