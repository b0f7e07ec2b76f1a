/** The record of a recurring payment, its statuses and its moves. */
import { z } from 'zod';
import { Hex32, TokenType, Units } from '../../bch/fields.js';
import { defineCollection } from '../../operation/ports/store.js';
import type { MoveRule } from '../../record/move-checks.js';
import { PoolFields, poolIndexes } from '../../record/pool-record.js';

/** Seconds from one payment to the next. A month is 30 days, a year 365. */
export const INTERVAL_SECONDS = {
  DAILY: 86_400,
  WEEKLY: 604_800,
  BIWEEKLY: 1_209_600,
  MONTHLY: 2_592_000,
  YEARLY: 31_536_000,
} as const;
export const INTERVALS = ['DAILY', 'WEEKLY', 'BIWEEKLY', 'MONTHLY', 'YEARLY'] as const;

export const PAYMENT_STATUSES = ['PENDING', 'ACTIVE', 'PAUSED', 'CANCELLED', 'COMPLETED'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** Who makes a move, and from which statuses. */
export const PAYMENT_MOVES = {
  fund: { by: 'sender', from: ['PENDING'] },
  claim: { by: 'recipient', from: ['ACTIVE'] },
  push: { by: 'anybody', from: ['ACTIVE'] },
  refill: { by: 'sender', from: ['ACTIVE', 'PAUSED'] },
  pause: { by: 'sender', from: ['ACTIVE'], onlyCancelable: true },
  resume: { by: 'sender', from: ['PAUSED'] },
  cancel: { by: 'sender', from: ['ACTIVE', 'PAUSED'], onlyCancelable: true },
} as const satisfies Record<string, MoveRule & { readonly from: readonly PaymentStatus[] }>;

/** Amounts are in the smallest unit; times in unix seconds; addresses in their `q` form. */
export const PaymentRecord = z.object({
  id: z.string(),
  /** Label, `#PAY-0001`. */
  payment_id: z.string(),
  /** The 32 bytes that make this deployment distinct. */
  on_chain_payment_id: Hex32,
  vault_id: z.string().nullable(),
  sender: z.string(),
  recipient: z.string(),
  recipient_name: z.string().nullable(),
  token_type: TokenType,
  token_category: Hex32.nullable(),
  amount_per_period: Units,
  interval: z.enum(INTERVALS),
  start_date: z.int(),
  /** Null: open-ended. */
  end_date: z.int().nullable(),
  /** How many are paid in all; 0: open-ended. */
  periods: z.int(),
  cancelable: z.boolean(),
  /** The least that a push pays, the last push apart; 0: nobody can push it. */
  push_minimum: Units.default(0n).describe('The least that a push pays, display units; 0: no push'),

  /** From here on: the fold of the chain. */
  status: z.enum(PAYMENT_STATUSES),
  /** When the next period falls due. */
  next_payment_date: z.int().nullable().describe('Unix seconds; null once it has ended'),
  total_paid: Units,
  payment_count: z.int().describe('Periods paid'),
  /** What the covenant still holds. */
  pool: Units,
  ...PoolFields,
});
export type PaymentRecord = z.output<typeof PaymentRecord>;

export const paymentCollection = defineCollection({
  name: 'payments',
  schema: PaymentRecord,
  indexes: {
    label: (payment) => payment.payment_id,
    sender: (payment) => payment.sender,
    recipient: (payment) => payment.recipient,
    ...poolIndexes,
    contract: (payment) => payment.contract_address,
    vault: (payment) => payment.vault_id,
    status: (payment) => payment.status,
  },
  unique: ['label'],
});

/** One payout: a claim, or what a pause or a cancellation paid the recipient. */
export const ExecutionRecord = z.object({
  id: z.string(),
  payment_id: z.string(),
  amount: Units,
  periods: z.int(),
  decimals: z.int(),
  paid_at: z.int().describe('Unix seconds'),
  tx_hash: Hex32,
});
export type ExecutionRecord = z.output<typeof ExecutionRecord>;

export const executionCollection = defineCollection({
  name: 'payment_executions',
  schema: ExecutionRecord,
  indexes: { payment: (execution) => execution.payment_id },
});
