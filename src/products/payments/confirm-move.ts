/** Confirming a move of a payment: what all of them share. The chain is the evidence, so nobody has to be named. */
import { formatUnits } from '../../bch/amount.js';
import { confirmMove, type MoveClaim } from '../../offer/confirm-move.js';
import type { Context } from '../../operation/context.js';
import type { EventType } from '../../record/events.js';
import type { PaymentRecord } from './payment.js';
import { followPayment } from './records.js';

type PaymentConfirmation = {
  readonly id: string;
  readonly txHash: string;
  readonly type: EventType;
  /** The move in words, with its article. */
  readonly expected: string;
} & Partial<Pick<MoveClaim<PaymentRecord>, 'follow' | 'difference'>>;

/**
 * Follows the payment, and gives the move that a transaction made.
 *
 * @returns the record, the event, its amount for people, and how many periods it was about
 * @throws payment_not_found, tx_not_indexed, tx_mismatch, chain_unavailable
 */
export const confirmPaymentMove = async (
  { id, expected, ...claim }: PaymentConfirmation,
  context: Context,
) => {
  const move = await confirmMove(
    {
      follow: (transaction) => followPayment(id, context, [transaction]),
      ...claim,
      label: (payment: PaymentRecord) => payment.payment_id,
      expected: () => expected,
    },
    context,
  );
  const amount = formatUnits(move.event.amount, move.record.decimals);
  return { ...move, amount, periods: Number(move.event.details['periods']) };
};

/** `1 period`, `3 periods`. */
export const countPeriods = (periods: number): string => `${periods} ${periods === 1 ? 'period' : 'periods'}`;

/** What a pause or a cancellation paid, in words. */
export const tellPayout = ({
  amount,
  periods,
}: {
  readonly amount: string;
  readonly periods: number;
}): string => (periods === 0 ? 'nothing was due' : `${amount} for ${countPeriods(periods)} was paid`);
