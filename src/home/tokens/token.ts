/** A token of the registry as requests name it and as answers show it. */
import { z } from 'zod';
import { TokenRecord } from '../../record/assets.js';
import type { ViewBlock } from '../../operation/define.js';

export const TokenSymbol = TokenRecord.shape.symbol.describe('Ticker such as TEAM, at most 26 characters');
export const Decimals = TokenRecord.shape.decimals.describe(
  'Decimals of the display unit, 0 to 18: with 2, the amount 1.50 is 150 on chain',
);
export const TokenName = TokenRecord.shape.name.min(1).describe('Name for people; default the symbol');

export const TokenReply = z.object({
  category: z.string(),
  symbol: z.string(),
  name: z.string(),
  decimals: z.number(),
  source: z.string().describe('created here, added by hand, or imported from a BCMR registry'),
  createdAt: z.number().describe('Unix seconds'),
});
export type TokenReply = z.output<typeof TokenReply>;

/** For the schema, see {@link TokenReply}. */
export const showToken = ({ id, symbol, name, decimals, source, created_at }: TokenRecord): TokenReply => ({
  category: id,
  symbol,
  name,
  decimals,
  source,
  createdAt: created_at,
});

/** Tokens for people. */
export const tokenTable = (tokens: readonly TokenReply[]): ViewBlock => ({
  kind: 'table',
  head: ['Symbol', 'Decimals', 'Name', 'Source', 'Category'],
  rows: tokens.map(({ symbol, decimals, name, source, category }) => [
    symbol,
    String(decimals),
    name,
    source,
    category,
  ]),
  empty: 'No tokens yet.',
});
