/** Telling the registry what a token is called and how it is counted. */
import { z } from 'zod';
import { Hex32 } from '../../bch/fields.js';
import { tokenCollection, type TokenRecord } from '../../record/assets.js';
import { defineOperation } from '../../operation/define.js';
import { Decimals, showToken, TokenSymbol, TokenName, TokenReply, tokenTable } from './token.js';

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
