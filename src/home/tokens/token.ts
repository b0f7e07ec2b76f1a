/** The registry of tokens: as requests name one, as answers show it, listed and added to. */
import { z } from 'zod';
import { Hex32 } from '../../bch/fields.js';
import { column } from '../../operation/columns.js';
import { defineOperation, type ViewBlock } from '../../operation/define.js';
import { PageFields, pageOf, PageReply } from '../../operation/paging.js';
import { tokenCollection, TokenRecord } from '../../record/assets.js';

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
export const showToken = ({ id, created_at, ...token }: TokenRecord): TokenReply => ({
  ...token,
  category: id,
  createdAt: created_at,
});

/** Tokens for people. */
export const tokenTable = (tokens: readonly TokenReply[]): ViewBlock => ({
  kind: 'table',
  head: [
    column.key('Symbol'),
    column.amount('Decimals', 2),
    column.text('Name'),
    column.text('Source', 2),
    column.text('Category'),
  ],
  rows: tokens.map(({ symbol, decimals, name, source, category }) => [
    symbol,
    String(decimals),
    name,
    source,
    category,
  ]),
  empty: 'No tokens yet.',
});

export const list = defineOperation({
  id: 'tokens.list',
  summary: 'List the tokens whose symbol and decimals this home knows',
  cli: { homeOnly: true, readsOnly: true },
  auth: 'none',
  input: z.object(PageFields),
  output: z.object({ tokens: z.array(TokenReply), ...PageReply }),
  errors: [],
  run: async (paging, { store }) => {
    const { items, ...page } = await pageOf(store, tokenCollection, {}, paging);
    return Promise.resolve({ tokens: items.map(showToken), ...page });
  },
  view: ({ tokens }) => [tokenTable(tokens)],
});

export const add = defineOperation({
  id: 'tokens.add',
  summary: 'Add a token to the registry, or correct it',
  description: 'Records made before keep the decimals that they were made with.',
  cli: { positional: ['category'], example: 'tokens add <category> --symbol TEAM --decimals 2' },
  auth: 'none',
  input: z.object({
    category: Hex32.describe('Token category, 64 hex digits'),
    symbol: TokenSymbol,
    decimals: Decimals,
    name: TokenName.optional(),
  }),
  output: z.object({ token: TokenReply }),
  errors: [],
  run: ({ category, symbol, decimals, name }, { store, clock }) =>
    store.transaction(async (writer) => {
      const known = await writer.get(tokenCollection, category);
      const token: TokenRecord = {
        id: category,
        symbol,
        name: name ?? symbol,
        decimals,
        source: 'added',
        created_at: known?.created_at ?? clock.now(),
      };
      writer.put(tokenCollection, token);
      return { token: showToken(token) };
    }),
  view: ({ token }) => [tokenTable([token])],
});
