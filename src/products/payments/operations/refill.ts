/** Refilling a payment: the sender puts more whole periods in. */
import { z } from 'zod';
import { displayNumber, formatUnits, showAmounts } from '../../../bch/amount.js';
import { fundedPeriods } from '../../../covenant/recurring/rules.js';
import { buildRecurringRefill } from '../../../covenant/recurring/transactions.js';
import { defineMove } from '../../../offer/move.js';
import { payments } from '../product.js';
import { checkFundable } from '../rules.js';
import { recurringSpend, termsOf } from '../terms.js';
import { Periods, toldOf, countPeriods } from '../settlement.js';

export const refill = defineMove(payments, 'refill', {
  summary: 'Build the transaction that puts more periods into a recurring payment',
  cli: { example: 'payments refill PAY-0001 --periods 3' },
  step: 'Put more periods in',
  input: { periods: Periods },
  errors: ['periods_exceeds_left'],
  fields: { periods: z.number(), refillAmount: z.number(), refillAmountOnChain: z.string() },
  build: (spend, { periods }) => {
    const { payment_id: label, amount_per_period: each, decimals } = spend.record;
    checkFundable(spend.record, periods);
    const refillAmount = BigInt(periods) * each;
    return {
      ...buildRecurringRefill(recurringSpend(spend), { periods }),
      prompt: `Put ${formatUnits(refillAmount, decimals)} ${spend.unit} into ${label}`,
      told: { periods, ...showAmounts({ refillAmount }, decimals) },
    };
  },
  confirm: {
    event: 'refilled',
    expected: 'a refill',
    message: (move) => {
      const { amount, periods } = toldOf(move);
      return `${amount} for ${countPeriods(periods)} was put into ${move.record.payment_id}`;
    },
    fields: { refillAmount: z.number(), periods: z.number(), fundedPeriods: z.number() },
    answer: (move) => ({
      refillAmount: displayNumber(move.event.amount, move.record.decimals),
      periods: toldOf(move).periods,
      fundedPeriods: fundedPeriods(termsOf(move.record), move.record.pool),
    }),
  },
});
