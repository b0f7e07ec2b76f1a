/** What else may lie at a payment's address, and who takes it out. */
import type { StrayRules } from '../../record/deployable.js';
import type { PaymentRecord } from './payment.js';
import { recurringState } from '../../covenant/recurring/state.js';

export const paymentStrays: StrayRules<PaymentRecord> = {
  noun: 'payments',
  label: (payment) => payment.payment_id,
  decimals: (payment) => payment.decimals,
  tokenCategory: (payment) => payment.token_category,
  isState: (_payment, commitment) => recurringState.decode(commitment) !== null,
  way: ({ cancelable }) =>
    cancelable
      ? 'the sender cancels it, which pays what is due in it to its recipient and the rest back'
      : 'it is irrevocable, and its recipient claims it as it falls due',
};
