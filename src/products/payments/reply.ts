/** Payments and executions as answers show them. */
import { z } from 'zod';
import { Units } from '../../bch/fields.js';
import { DamagedReply } from '../../record/damaged.js';
import { defineShown } from '../../record/shown-record.js';
import { duePeriods, fundedPeriods, runwayEnd, settledPeriods } from '../../covenant/recurring/rules.js';
import { ExecutionRecord, INTERVAL_SECONDS, PaymentRecord } from './payment.js';
import { pushableOf } from './pushing.js';
import { balanceOf, termsOf } from './terms.js';

const shownPayment = defineShown(PaymentRecord, {
  hidden: ['artifact_fingerprint', 'end_date', 'periods', 'pool'],
  computed: {
    intervalSeconds: z.number(),
    endDate: z.number().nullable().describe('Null: open-ended'),
    total_periods: z.number().nullable().describe('Payments of the whole term; null when open-ended'),
    nextPaymentDate: z.number().nullable(),
    due_periods: z.number().describe('Periods that are due and not paid, funded or not'),
    claimable_periods: z.number().describe('Periods that are due and funded'),
    claimable_amount: Units,
    pushable_amount: Units.describe('What a push would pay now, display units; 0: nothing'),
    funded_periods: z.number().describe('Periods that the covenant holds'),
    funded_amount: Units,
    runway_ends_at: z.number().nullable().describe('When the last funded period falls due, unix seconds'),
    refillable: z.literal(true),
    damaged: DamagedReply,
  },
});

/** A payment. Source: docs/design/api.md. */
export const PaymentReply = shownPayment.reply;

/** For the schema, see {@link PaymentReply}. `now` is chain now, unix seconds. */
export const showPayment = (payment: PaymentRecord, now: number): z.output<typeof PaymentReply> => {
  const [terms, balance] = [termsOf(payment), balanceOf(payment)];
  const claimable = settledPeriods(terms, balance, now);
  return shownPayment.show(payment, {
    intervalSeconds: INTERVAL_SECONDS[payment.interval],
    endDate: payment.end_date,
    total_periods: payment.periods === 0 ? null : payment.periods,
    nextPaymentDate: payment.next_payment_date,
    due_periods: duePeriods(terms, balance, now),
    claimable_periods: claimable,
    claimable_amount: BigInt(claimable) * payment.amount_per_period,
    pushable_amount: pushableOf(payment, now),
    funded_periods: fundedPeriods(terms, payment.pool),
    funded_amount: payment.pool,
    runway_ends_at: runwayEnd(terms, balance),
    refillable: true,
  });
};

/** An execution. Source: docs/design/api.md. */
export const { reply: ExecutionReply, show: showExecution } = defineShown(ExecutionRecord, {
  hidden: ['decimals'],
});
