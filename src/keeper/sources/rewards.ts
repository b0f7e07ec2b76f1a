/** Campaigns whose end has passed and that hold something still. */
import { z } from 'zod';
import type { Item } from '../items.js';
import { Units } from '../reading.js';
import { isFor, Seconds, type Source } from './asked.js';

const Campaign = z.object({
  campaign_id: z.string(),
  status: z.string(),
  token_category: z.string().nullish(),
  end_date: Seconds,
  total_poolOnChain: Units,
  distributed_totalOnChain: Units,
});

export const campaignEnds: Source = async ({ rule, asker, now, ahead }) => {
  const found = await asker.all(
    'rewards.list',
    { creator: asker.address },
    { name: 'campaigns', schema: Campaign },
  );
  return found.flatMap(({ campaign_id: label, status, end_date: at, ...campaign }): Item[] => {
    const units = campaign.total_poolOnChain - campaign.distributed_totalOnChain;
    const isOpen = status === 'ACTIVE' || status === 'PAUSED';
    if (!isOpen || at === null || at === 0 || units === 0n || !isFor(rule, label) || (at >= now && !ahead))
      return [];
    const amount = { category: campaign.token_category ?? null, units };
    return [{ task: rule.do, label, input: { id: label }, amount, at: at < now ? null : at }];
  });
};
