/** Taking back every access token. */
import { z } from 'zod';
import { defineOperation } from '../../operation/define.js';

export const revoke = defineOperation({
  id: 'auth.revoke',
  summary: 'Void every access token and challenge given so far',
  auth: 'none',
  input: z.object({}),
  output: z.object({ message: z.string() }),
  errors: [],
  run: async (_, { access }) => {
    await access.revokeAll();
    return { message: 'Every access token and challenge given so far is void.' };
  },
  view: ({ message }) => [{ kind: 'text', text: message }],
});
