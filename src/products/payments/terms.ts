/** What a payment's record says, as the recurring covenant takes it. */
import type { RecurringStart, RecurringTerms } from '../../covenant/recurring/contract.js';
import type { RecurringSpend } from '../../covenant/recurring/transactions.js';
import type { MoveSpend } from '../../offer/gather-spend.js';
import { INTERVAL_SECONDS, type PaymentRecord } from './payment.js';
import { upfrontPeriods, type RecurringBalance } from '../../covenant/recurring/rules.js';
import { CHAIN_STATUS } from '../../covenant/recurring/state.js';

/** The terms that a payment's address binds. */
export const termsOf = (payment: PaymentRecord): RecurringTerms => ({
  artifactFingerprint: payment.artifact_fingerprint,
  onChainId: payment.on_chain_payment_id,
  sender: payment.sender,
  authorityPublicKey: payment.authority_pubkey,
  tokenCategory: payment.token_category,
  amountPerPeriod: payment.amount_per_period,
  intervalSeconds: INTERVAL_SECONDS[payment.interval],
  periods: payment.periods,
  pushMinimum: payment.push_minimum,
});

/** When the first payment falls due, unix seconds. */
export const firstDueOf = ({
  start_date: start,
  interval,
}: Pick<PaymentRecord, 'start_date' | 'interval'>): number => start + INTERVAL_SECONDS[interval];

/** How a payment's covenant begins. Every payment can be refilled: funding puts in twelve periods at most. */
export const startOf = (payment: PaymentRecord): RecurringStart => ({
  recipient: payment.recipient,
  firstDue: firstDueOf(payment),
  funded: upfrontPeriods(payment),
  cancelable: payment.cancelable,
  refillable: true,
});

/** How far a payment is. One that has not begun or has ended has an empty pool, so nothing of it is due and funded. */
export const balanceOf = (payment: PaymentRecord): RecurringBalance => ({
  status: payment.status === 'ACTIVE' ? CHAIN_STATUS.active : CHAIN_STATUS.paused,
  nextDue: payment.next_payment_date ?? firstDueOf(payment),
  paid: payment.payment_count,
  pool: payment.pool,
});

/** What a spend of a payment starts from, as the recurring covenant takes it. */
export const recurringSpend = ({ record, ...spend }: MoveSpend<PaymentRecord>): RecurringSpend => ({
  terms: termsOf(record),
  ...spend,
});
