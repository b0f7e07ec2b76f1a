/** Payments and executions as answers show them. */
import { z } from 'zod';
import { showAmounts } from '../../bch/amount.js';
import { DamagedReply } from '../../record/damaged.js';
import { ThreadPointer } from '../../covenant/thread.js';
import { INTERVAL_SECONDS, type ExecutionRecord, type PaymentRecord } from './payment.js';
import { duePeriods, fundedPeriods, runwayEnd, settledPeriods } from '../../covenant/recurring/rules.js';
import { balanceOf, termsOf } from './terms.js';

const amount = z.number().describe('Display units');
const amountOnChain = z.string().describe('Smallest unit');

/** A payment. Source: specification, Resources; design, api.md (Payments). */
export const PaymentReply = z.object({
  id: z.string(),
  payment_id: z.string(),
  on_chain_payment_id: z.string(),
  vault_id: z.string().nullable(),
  sender: z.string(),
  recipient: z.string(),
  recipient_name: z.string().nullable(),
  token_type: z.string(),
  token_category: z.string().nullable(),
  decimals: z.number(),
  amount_per_period: amount,
  amount_per_periodOnChain: amountOnChain,
  interval: z.string(),
  intervalSeconds: z.number(),
  start_date: z.number(),
  endDate: z.number().nullable().describe('Null: open-ended'),
  total_periods: z.number().nullable().describe('Payments of the whole term; null when open-ended'),
  next_payment_date: z.number().nullable().describe('Unix seconds; null once it has ended'),
  nextPaymentDate: z.number().nullable(),
  total_paid: amount,
  total_paidOnChain: amountOnChain,
  payment_count: z.number().describe('Periods paid'),
  due_periods: z.number().describe('Periods that are due and not paid, funded or not'),
  claimable_periods: z.number().describe('Periods that are due and funded'),
  claimable_amount: amount,
  claimable_amountOnChain: amountOnChain,
  funded_periods: z.number().describe('Periods that the covenant holds'),
  funded_amount: amount,
  funded_amountOnChain: amountOnChain,
  runway_ends_at: z.number().nullable().describe('When the last funded period falls due, unix seconds'),
  cancelable: z.boolean(),
  refillable: z.literal(true),
  status: z.string(),
  damaged: DamagedReply,
  contract_address: z.string(),
  constructor_params: z.array(z.string()),
  authority_pubkey: z.string(),
  tx_hash: z.string().nullable(),
  last_tx_hash: z.string().nullable(),
  thread: ThreadPointer.nullable(),
  created_at: z.number(),
  updated_at: z.number(),
});

/** For the schema, see {@link PaymentReply}. `now` is chain now, unix seconds. */
export const showPayment = (payment: PaymentRecord, now: number): z.output<typeof PaymentReply> => {
  const { decimals } = payment;
  const [terms, balance] = [termsOf(payment), balanceOf(payment)];
  const claimable = settledPeriods(terms, balance, now);
  return {
    ...payment,
    ...showAmounts(
      {
        amount_per_period: payment.amount_per_period,
        total_paid: payment.total_paid,
        claimable_amount: BigInt(claimable) * payment.amount_per_period,
        funded_amount: payment.pool,
      },
      decimals,
    ),
    intervalSeconds: INTERVAL_SECONDS[payment.interval],
    endDate: payment.end_date,
    total_periods: payment.periods === 0 ? null : payment.periods,
    nextPaymentDate: payment.next_payment_date,
    due_periods: duePeriods(terms, balance, now),
    claimable_periods: claimable,
    funded_periods: fundedPeriods(terms, payment.pool),
    runway_ends_at: runwayEnd(terms, balance),
    refillable: true,
  };
};

/** An execution. Source: specification, Recurring payments; design, api.md. */
export const ExecutionReply = z.object({
  id: z.string(),
  payment_id: z.string(),
  amount,
  amountOnChain,
  periods: z.number(),
  paid_at: z.number().describe('Unix seconds'),
  tx_hash: z.string(),
});

/** For the schema, see {@link ExecutionReply}. */
export const showExecution = ({ amount: units, decimals, ...execution }: ExecutionRecord) => ({
  ...execution,
  ...showAmounts({ amount: units }, decimals),
});
