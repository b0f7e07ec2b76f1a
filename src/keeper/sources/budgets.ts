/** Milestones of budget plans that can be released. */
import { z } from 'zod';
import type { Item } from '../items.js';
import { read, Units } from '../reading.js';
import { isFor, Seconds, type Source } from './asked.js';

const Plan = z.object({
  budget_id: z.string(),
  token_category: z.string().nullish(),
  tokenCategory: z.string().nullish(),
  releasable_amountOnChain: Units,
  next_unlock: Seconds,
});

export const releases: Source = async ({ rule, asker, now, ahead }) => {
  const items: Item[] = [];
  for (const status of ['ACTIVE', 'PAUSED']) {
    const found = await asker.all(
      'budgets.list',
      { recipient: asker.address, status },
      { name: 'plans', schema: Plan },
    );
    for (const { budget_id: label } of found) {
      if (!isFor(rule, label)) continue;
      const { plan } = read(z.object({ plan: Plan }), await asker.ask('budgets.show', { id: label }));
      const { releasable_amountOnChain: units, next_unlock: next } = plan;
      const category = plan.tokenCategory ?? plan.token_category ?? null;
      const about = { task: rule.do, label, input: { id: label, recipientAddress: asker.address } };
      if (units > 0n) items.push({ ...about, amount: { category, units }, at: null });
      else if (ahead && next !== null && next > now) items.push({ ...about, amount: null, at: next });
    }
  }
  return items;
};
