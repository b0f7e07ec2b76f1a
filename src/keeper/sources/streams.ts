/** What there is to claim of streams, and which open ones run out. */
import { z } from 'zod';
import { formatUnits } from '../../bch/amount.js';
import type { Item } from '../items.js';
import { read, Units } from '../reading.js';
import { andLater, isFor, listed, Seconds, type Source } from './asked.js';

const Stream = z.object({
  stream_id: z.string(),
  status: z.string(),
  token_category: z.string().nullable(),
  decimals: z.number(),
  refillable: z.boolean(),
  amount_per_intervalOnChain: Units.nullish(),
  interval_seconds: z.number().nullish(),
  total_amountOnChain: Units,
  vested_amountOnChain: Units,
  next_unlock: Seconds,
});

export const streamClaims: Source = async (asked) => {
  const { rule, asker, now, ahead } = asked;
  const due = await listed(asked);
  if (!ahead) return due;
  const found = await asker.all(
    'streams.list',
    { recipient: asker.address, status: 'ACTIVE' },
    { name: 'streams', schema: Stream },
  );
  const later = found.flatMap(({ stream_id: label, next_unlock: at }): Item[] =>
    at === null || at <= now || !isFor(rule, label)
      ? []
      : [{ task: rule.do, label, input: { id: label }, amount: null, at }],
  );
  return andLater(due, later);
};

export const streamRefills: Source = async ({ rule, asker, now, ahead }) => {
  const found = await asker.all(
    'streams.list',
    { sender: asker.address, status: 'ACTIVE' },
    { name: 'streams', schema: Stream },
  );
  const items: Item[] = [];
  for (const { stream_id: label, refillable } of found) {
    if (!refillable || !isFor(rule, label)) continue;
    const { stream } = read(z.object({ stream: Stream }), await asker.ask('streams.show', { id: label }));
    const { amount_per_intervalOnChain: each, interval_seconds: interval, next_unlock: next } = stream;
    if (stream.status !== 'ACTIVE' || each == null || interval == null || each === 0n) continue;
    const left = Number((stream.total_amountOnChain - stream.vested_amountOnChain) / each);
    const at = left === 0 || next === null ? now : next + (left - 1) * interval - (rule.ahead ?? 0);
    if (at > now && !ahead) continue;
    const units = BigInt(rule.periods ?? 1) * each;
    items.push({
      task: rule.do,
      label,
      input: { id: label, refillAmount: formatUnits(units, stream.decimals) },
      amount: { category: stream.token_category, units },
      at: at > now ? at : null,
    });
  }
  return items;
};
