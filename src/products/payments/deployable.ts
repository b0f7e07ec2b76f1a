/** What the registry, the audit and the monitor need to know of payments. */
import { checkCategory } from '../../covenant/checks.js';
import { defineDeployable } from '../../record/deployable.js';
import { defineFeed } from '../../record/order-by-time.js';
import { poolMovements } from '../../record/movement.js';
import { vaultCollection } from '../vaults/index.js';
import { checkRecurringTerms, recurringContract } from '../../covenant/recurring/contract.js';
import type { ExecutionRecord, PaymentRecord } from './payment.js';
import { executionCollection, paymentCollection, paymentFollowing } from './records.js';
import { startOf, termsOf } from './terms.js';
import { recurringGenesis } from '../../covenant/recurring/transactions.js';
import { paymentStrays } from './strays.js';
import { paidByPayment } from './paid.js';

const pool = {
  tokenCategory: (payment: PaymentRecord) => payment.token_category,
  parties: (payment: PaymentRecord) => ({ sender: payment.sender, recipient: payment.recipient }),
};

export const deployable = defineDeployable<PaymentRecord>({
  contractType: () => 'RecurringPayment',
  module: 'payments',
  entityType: 'payment',
  strays: paymentStrays,
  collection: paymentCollection,
  label: (payment) => payment.payment_id,
  contract: (payment, network) => recurringContract(termsOf(payment), network),
  checkTerms: (payment) => [
    ...checkRecurringTerms(termsOf(payment), startOf(payment)),
    checkCategory(payment.token_category, payment.thread),
  ],
  genesis: (payment, { network }) => [recurringGenesis(termsOf(payment), startOf(payment), network)],
  remaining: (payment) => (payment.thread === null ? null : payment.pool),
  ...pool,
  movements: poolMovements({ ...pool, paid: paidByPayment }),
  following: paymentFollowing,
  needs: ({ vault_id }) => (vault_id === null ? [] : [{ collection: vaultCollection, id: vault_id }]),
  feeds: [defineFeed<ExecutionRecord>({ collection: executionCollection, timeOf: ({ paid_at }) => paid_at })],
});
