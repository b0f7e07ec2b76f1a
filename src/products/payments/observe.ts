/** How the record of a payment follows its covenant. */
import type { Network } from '../../bch/network.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import { moved, type Observed } from '../../covenant/follow.js';
import { observeRecurring } from '../../covenant/recurring/observe.js';
import type { PaymentRecord } from './payment.js';
import { termsOf } from './terms.js';

/** What a transaction that spends the thread did. */
export const observePayment = (
  payment: PaymentRecord,
  chain: ChainTransaction,
  network: Network,
): Observed<PaymentRecord> => {
  if (payment.thread === null) throw new Error(`${payment.payment_id} has no thread that could move`);
  const position = { thread: payment.thread, pool: payment.pool };
  const observed = observeRecurring({ terms: termsOf(payment), network }, position, chain);
  const { status, thread, state, moves } = observed;
  const changes: Partial<PaymentRecord> = {
    status,
    thread,
    next_payment_date: thread === null ? null : state.nextDue,
    total_paid: BigInt(state.paid) * payment.amount_per_period,
    payment_count: state.paid,
    pool: state.pool,
  };
  return moved(payment, chain, changes, moves);
};
