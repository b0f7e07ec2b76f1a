/** The registry of tokens. */
import { z } from 'zod';
import { tokenCollection } from '../../record/assets.js';
import { defineOperation } from '../../operation/define.js';
import { PageFields, pageOf, PageReply } from '../../operation/paging.js';
import { showToken, TokenReply, tokenTable } from './token.js';

export const list = defineOperation({
  id: 'tokens.list',
  summary: 'List the tokens whose symbol and decimals this home knows',
  cli: { homeOnly: true },
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
