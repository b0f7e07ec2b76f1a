/** Recovering what lies unexpected at a stream's address: by its own state, the sender cancels it and the recipient claims it. */
import { defineRecovery } from '../../../offer/recovery.js';
import { streams } from '../product.js';

export const recover = defineRecovery(streams, 'nothing_claimable');
