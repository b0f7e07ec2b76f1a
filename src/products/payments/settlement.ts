/** What the moves of a payment say of periods, and of what is settled with a pause or a cancellation. */
import { z } from 'zod';
import { displayNumber } from '../../bch/amount.js';
import { RecurringDetails } from '../../covenant/recurring/observe.js';
import { settledPeriods } from '../../covenant/recurring/rules.js';
import type { ConfirmedMove } from '../../offer/confirm-move.js';
import type { PaymentRecord } from './payment.js';
import { balanceOf, termsOf } from './terms.js';

/** A number of periods. */
export const Periods = z.int().min(1).max(1_000_000).describe('Number of periods, from 1');

/** What a pause and a cancellation answer: what is due and funded is paid to the recipient with them. */
export const SettledFields = {
  paidPeriods: z.number().describe('Due and funded periods that this transaction pays'),
  paidAmount: z.number(),
  paidAmountOnChain: z.string(),
};

/** What is due and funded at a time: `paid` in the smallest unit. */
export const settledAt = (payment: PaymentRecord, time: number) => {
  const paidPeriods = settledPeriods(termsOf(payment), balanceOf(payment), time);
  return { paidPeriods, paid: BigInt(paidPeriods) * payment.amount_per_period };
};

type Move = ConfirmedMove<PaymentRecord>;

/** What a confirmed move was about: its amount for people, and periods. */
export const toldOf = ({ amount, event }: Move) => ({
  amount,
  periods: RecurringDetails.parse(event.details).periods,
});

/** `1 period`, `3 periods`. */
export const countPeriods = (periods: number): string => `${periods} ${periods === 1 ? 'period' : 'periods'}`;

/** What confirming either says of it. `was` is the move in words: `paused`. */
export const confirmsSettled = (was: string) => ({
  fields: { paidPeriods: z.number(), paidAmount: z.number() },
  message: (move: Move) => {
    const { amount, periods } = toldOf(move);
    const paid = periods === 0 ? 'nothing was due' : `${amount} for ${countPeriods(periods)} was paid`;
    return `${move.record.payment_id} was ${was}: ${paid}`;
  },
  answer: (move: Move) => ({
    paidPeriods: toldOf(move).periods,
    paidAmount: displayNumber(move.event.amount, move.record.decimals),
  }),
});
