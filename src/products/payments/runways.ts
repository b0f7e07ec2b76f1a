/** How long recurring payments last. */
import { fundablePeriods, runwayEnd } from '../../covenant/recurring/rules.js';
import type { RunwaysOf } from '../../record/runway.js';
import { paymentCollection } from './payment.js';
import { balanceOf, termsOf } from './terms.js';

/** One that is funded to its end comes to that, and runs out of nothing. */
export const runways: RunwaysOf = async (store, sender) => {
  const { items } = await store.find(paymentCollection, { where: { sender, status: 'ACTIVE' } });
  return items
    .map((payment) => ({ payment, terms: termsOf(payment), balance: balanceOf(payment) }))
    .filter(({ terms, balance }) => fundablePeriods(terms, balance) !== 0)
    .map(({ payment, terms, balance }) => ({
      label: payment.payment_id,
      to: payment.recipient,
      toName: payment.recipient_name,
      held: { units: payment.pool, decimals: payment.decimals, category: payment.token_category },
      at: runwayEnd(terms, balance),
    }));
};
