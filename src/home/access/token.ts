/** An access token for scripts. */
import { z } from 'zod';
import { defineOperation, UNLOCK_ERRORS } from '../../operation/define.js';
import { walletOfAddress } from '../wallets/wallet.js';
import { AccessTokenReply, issueToken } from './access-token.js';

export const token = defineOperation({
  id: 'auth.token',
  summary: 'Make an access token for scripts that speaks for a wallet of this home',
  cli: { example: 'auth token --wallet main' },
  auth: 'address',
  input: z.object({}),
  output: z.object({ address: z.string(), ...AccessTokenReply.shape }),
  errors: UNLOCK_ERRORS,
  run: async (_, context) => {
    // Check: whoever asks can use the key, just as if they had signed a challenge.
    const { name } = await walletOfAddress(context.caller, context);
    const { address } = await context.keys.unlock(name);
    return { address: address.text, ...(await issueToken(address.text, context.access)) };
  },
  view: ({ accessToken }) => [{ kind: 'text', text: accessToken }],
});
