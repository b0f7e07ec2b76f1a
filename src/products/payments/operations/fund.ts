/** Funding a payment: mints its thread and puts the first periods in, up to twelve. */
import { z } from 'zod';
import { upfrontPeriods } from '../../../covenant/recurring/rules.js';
import { defineFunding } from '../../../offer/fund.js';
import { payments } from '../product.js';

export const fund = defineFunding(payments, {
  description: 'It funds up to 12 periods, fewer when the end comes sooner.',
  step: 'Put the first periods into a recurring payment',
  funding: 'mint its thread with the first periods from the sender’s coins',
  fields: { periods: z.number().describe('Periods that this funds: up to 12') },
  info: (together) => ({ periods: together.reduce((sum, payment) => sum + upfrontPeriods(payment), 0) }),
  confirm: {
    fields: { fundedPeriods: z.number() },
    answer: (payment) => ({ fundedPeriods: upfrontPeriods(payment) }),
  },
});
