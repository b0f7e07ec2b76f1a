/** Recovering what lies unexpected at a plan's address: by its own state, the controller cancels it and the recipient releases it. */
import { defineRecovery } from '../../../offer/recovery.js';
import { plans } from '../product.js';

export const recover = defineRecovery(plans, 'nothing_releasable');
