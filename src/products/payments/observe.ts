/** How the record of a payment follows its covenant. */
import { parseAddress } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import { touchedAt, type Followed, type Observed } from '../../covenant/follow.js';
import {
  observeRecurring,
  observeRecurringFunding,
  type RecurringObserved,
} from '../../covenant/recurring/observe.js';
import type { PaymentRecord } from './payment.js';
import { firstDueOf, startOf, termsOf } from './terms.js';

/** A payment's record after its covenant was seen to move. */
const withObserved = (
  payment: PaymentRecord,
  { status, thread, state, moves }: RecurringObserved,
  chain: ChainTransaction,
): Observed<PaymentRecord> => ({
  record: {
    ...payment,
    status,
    thread,
    next_payment_date: thread === null ? null : state.nextDue,
    total_paid: BigInt(state.paid) * payment.amount_per_period,
    payment_count: state.paid,
    pool: state.pool,
    last_tx_hash: chain.transaction.txid,
    updated_at: touchedAt(payment, chain),
  },
  moves,
});

/** How payments are followed on a network. */
export const followedPayment = (network: Network): Followed<PaymentRecord> => ({
  lockingBytecode: (payment) => parseAddress(payment.contract_address).lockingBytecode,
  thread: (payment) => payment.thread,
  fundedBy: (payment) => payment.tx_hash,
  isPending: (payment) => payment.status === 'PENDING',
  unfunded: (payment) => ({
    ...payment,
    status: 'PENDING',
    next_payment_date: firstDueOf(payment),
    total_paid: 0n,
    payment_count: 0,
    pool: 0n,
    tx_hash: null,
    last_tx_hash: null,
    thread: null,
  }),
  observeFunding: (payment, chain, spent) => {
    const genesis = { terms: termsOf(payment), start: startOf(payment), network };
    const observed = observeRecurringFunding(genesis, chain, spent);
    if (observed === null) return null;
    return withObserved({ ...payment, tx_hash: chain.transaction.txid }, observed, chain);
  },
  observeMove: (payment, chain) => {
    if (payment.thread === null) throw new Error(`${payment.payment_id} has no thread that could move`);
    const position = { thread: payment.thread, pool: payment.pool };
    return withObserved(
      payment,
      observeRecurring({ terms: termsOf(payment), network }, position, chain),
      chain,
    );
  },
});
