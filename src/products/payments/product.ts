/** Recurring payments, declared: what the operations and the core know of them. */
import { RecordId } from '../../bch/fields.js';
import { checkCategory } from '../../covenant/checks.js';
import { checkRecurringTerms, recurringContract } from '../../covenant/recurring/contract.js';
import { RecurringDetails } from '../../covenant/recurring/observe.js';
import { settledPeriods } from '../../covenant/recurring/rules.js';
import { recurringState } from '../../covenant/recurring/state.js';
import { recurringStray } from '../../covenant/recurring/stray.js';
import { recurringGenesis } from '../../covenant/recurring/transactions.js';
import { definePoolProduct } from '../../record/covenant-product.js';
import { findVault, vaultCollection, vaultReaders } from '../vaults/index.js';
import { observePayment } from './observe.js';
import { executionCollection, paymentCollection, PAYMENT_MOVES, type PaymentRecord } from './payment.js';
import { balanceOf, firstDueOf, startOf, termsOf } from './terms.js';

const PAYING_EVENTS: readonly string[] = ['claimed', 'paused', 'cancelled'];

export const payments = definePoolProduct<PaymentRecord, keyof typeof PAYMENT_MOVES>({
  noun: 'payments',
  route: '/api/payments',
  entityType: 'payment',
  words: ['recurring payment', 'payment'],
  id: RecordId.describe('Payment id, or label such as PAY-0001'),
  collection: paymentCollection,
  notFound: 'payment_not_found',
  labelKind: 'PAY',
  labelField: 'payment_id',
  contractType: 'RecurringPayment',
  contract: (payment, network) => recurringContract(termsOf(payment), network),
  checkTerms: (payment) => [
    ...checkRecurringTerms(termsOf(payment), startOf(payment)),
    checkCategory(payment.token_category, payment.thread),
  ],
  tokenCategory: (payment) => payment.token_category,
  parties: ({ sender, recipient }) => ({ sender, recipient }),
  funder: 'sender',
  genesis: (payment, network) => recurringGenesis(termsOf(payment), startOf(payment), network),
  remaining: (payment) => payment.pool,
  moves: PAYMENT_MOVES,
  fresh: (payment) => ({
    next_payment_date: firstDueOf(payment),
    total_paid: 0n,
    payment_count: 0,
    pool: 0n,
  }),
  opened: (payment) => ({ pool: BigInt(startOf(payment).funded) * payment.amount_per_period }),
  fundedDetails: (payment) => ({ periods: startOf(payment).funded }),
  observe: observePayment,
  // A pause and a cancellation pay what was settled, as a claim does.
  paid: ({ event_type, amount, details }, { recipient }) =>
    PAYING_EVENTS.includes(event_type)
      ? { to: RecurringDetails.parse(details).recipient ?? recipient, amount }
      : null,
  unclaimed: (payment, at) =>
    BigInt(settledPeriods(termsOf(payment), balanceOf(payment), at)) * payment.amount_per_period,
  rows: [
    {
      collection: executionCollection,
      time: 'paid_at',
      // Whatever paid the recipient is an execution.
      of: (payment, { id, event_type, amount, details, tx_hash, created_at: paid_at }) => {
        if (!PAYING_EVENTS.includes(event_type) || amount === 0n) return [];
        const { periods } = RecurringDetails.parse(details);
        const { id: payment_id, decimals } = payment;
        return [{ id, payment_id, amount, periods, decimals, paid_at, tx_hash }];
      },
    },
  ],
  strays: {
    isState: (_payment, commitment) => recurringState.decode(commitment) !== null,
    way: ({ cancelable }) =>
      cancelable
        ? 'the sender cancels it, which pays what is due in it to its recipient and the rest back'
        : 'it is irrevocable, and its recipient claims it as it falls due',
    terms: (payment, stray, network) => {
      const { payment_id: label, decimals } = payment;
      return recurringStray(termsOf(payment), { label, decimals }, stray, network);
    },
    due: 'what is due',
  },
  findVault,
  ...vaultReaders(({ vault_id: vaultId, sender, recipient }) => ({
    vaultId,
    parties: [sender, recipient],
  })),
  needs: ({ vault_id: id }) => (id === null ? [] : [{ collection: vaultCollection, id }]),
});
