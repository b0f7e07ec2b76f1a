/** Where to pay a wallet. */
import { z } from 'zod';
import { defineOperation, WALLET_ERRORS } from '../../operation/define.js';
import { meantWallet, WalletName } from './wallet.js';

export const address = defineOperation({
  id: 'wallet.address',
  summary: 'Show where to pay a wallet',
  cli: { homeOnly: true, positional: ['name'] },
  auth: 'optional',
  input: z.object({ name: WalletName.optional() }),
  output: z.object({
    name: z.string(),
    address: z.string(),
    tokenAddress: z.string().describe('The same party: give this one wherever tokens are to be sent'),
  }),
  errors: WALLET_ERRORS,
  run: async ({ name }, context) => {
    const wallet = await meantWallet(name, context);
    return { name: wallet.name, address: wallet.address.text, tokenAddress: wallet.address.tokenText };
  },
  // One word and nothing else, so that scripts can take it: `$(treasury wallet address)`.
  view: (reply) => [
    { kind: 'text', text: reply.address },
    { kind: 'qr', address: reply.address },
  ],
});
