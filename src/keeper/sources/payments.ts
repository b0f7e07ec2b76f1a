/** What there is to claim of recurring payments, and which run out. */
import { z } from 'zod';
import type { Item } from '../items.js';
import { read, Units } from '../reading.js';
import { andLater, isFor, listed, Seconds, type Source } from './asked.js';

const Payment = z.object({
  payment_id: z.string(),
  status: z.string(),
  token_category: z.string().nullable(),
  amount_per_periodOnChain: Units,
  nextPaymentDate: Seconds,
  intervalSeconds: z.number(),
  due_periods: z.number(),
  funded_periods: z.number(),
  payment_count: z.number(),
  total_periods: z.number().nullable(),
  runway_ends_at: Seconds,
});

export const paymentClaims: Source = async (asked) => {
  const { rule, asker, now, ahead } = asked;
  const due = await listed(asked);
  if (!ahead) return due;
  const found = await asker.all(
    'payments.list',
    { recipient: asker.address, status: 'ACTIVE' },
    { name: 'payments', schema: Payment },
  );
  const later = found.flatMap(({ payment_id: label, nextPaymentDate: at, ...payment }): Item[] =>
    at === null || at <= now || !isFor(rule, label)
      ? []
      : [
          {
            task: rule.do,
            label,
            input: { id: label },
            amount: { category: payment.token_category, units: payment.amount_per_periodOnChain },
            at,
          },
        ],
  );
  return andLater(due, later);
};

/** What is left of a payment, and when it has run out. */
export const paymentRefills: Source = async ({ rule, asker, now, ahead }) => {
  const found = await asker.all(
    'payments.list',
    { sender: asker.address, status: 'ACTIVE' },
    { name: 'payments', schema: Payment },
  );
  const items: Item[] = [];
  for (const { payment_id: label } of found) {
    if (!isFor(rule, label)) continue;
    // As the chain has it: whoever refilled it elsewhere is seen.
    const shown = await asker.ask('payments.show', { id: label });
    const { payment } = read(z.object({ payment: Payment }), shown);
    const { funded_periods: funded, total_periods: total, payment_count: paid } = payment;
    const left = total === null ? Infinity : total - paid - funded;
    const periods = Math.min(rule.periods ?? 1, left);
    const at = funded === 0 ? now : (payment.runway_ends_at ?? Infinity) - (rule.ahead ?? 0);
    const isDue = at <= now;
    if (payment.status !== 'ACTIVE' || periods <= 0 || (!isDue && (!ahead || at === Infinity))) continue;
    items.push({
      task: rule.do,
      label,
      input: { id: label, periods },
      amount: { category: payment.token_category, units: BigInt(periods) * payment.amount_per_periodOnChain },
      at: isDue ? null : at,
    });
  }
  return items;
};
