/** Recovering what lies unexpected at a payment's address: by its own state, the sender cancels it and the recipient claims it. */
import { defineRecovery } from '../../../offer/recovery.js';
import { payments } from '../product.js';

export const recover = defineRecovery(payments, 'nothing_claimable');
