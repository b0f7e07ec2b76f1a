/** Funding a budget plan: mints its thread and puts the whole budget in. */
import { defineFunding } from '../../../offer/fund.js';
import { plans } from '../product.js';

export const fund = defineFunding(plans, {
  auth: 'address',
  step: 'Put the whole budget into a plan',
  funding: 'mint its thread with the whole budget from the controller’s coins',
  fields: {},
  info: () => ({}),
});
