/** Spends of vaults that two signers have signed. */
import { z } from 'zod';
import type { Item } from '../items.js';
import { read, Units } from '../reading.js';
import { isFor, type Source } from './asked.js';

const Vault = z.object({ id: z.string(), label: z.string().nullish(), role: z.string() });
/** The vaults that a wallet may read. */
export const Vaults = z.object({ all: z.array(Vault) });

const Spend = z.object({
  label: z.string(),
  outputs: z.array(z.object({ tokenCategory: z.string().nullable(), amountOnChain: Units })),
});

export const spends: Source = async ({ rule, asker }) => {
  const { all } = read(Vaults, await asker.ask('vaults.list'));
  const items: Item[] = [];
  for (const { id, label: group } of all) {
    if (group == null || !isFor(rule, group)) continue;
    const ready = await asker.all(
      'vaults.spend-list',
      { id, status: 'READY' },
      { name: 'spends', schema: Spend },
    );
    for (const { label, outputs } of ready) {
      const category = outputs.some(({ tokenCategory }) => tokenCategory === null)
        ? null
        : (outputs[0]?.tokenCategory ?? null);
      const units = outputs
        .filter(({ tokenCategory }) => tokenCategory === category)
        .reduce((sum, { amountOnChain }) => sum + amountOnChain, 0n);
      items.push({
        task: rule.do,
        label,
        group,
        input: { id, spendId: label },
        amount: { category, units },
        at: null,
      });
    }
  }
  return items;
};
