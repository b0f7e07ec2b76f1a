/** One wallet, without its secrets. */
import { z } from 'zod';
import { defineOperation, WALLET_ERRORS } from '../../operation/define.js';
import { meantWallet, showWallet, walletFacts, WalletName, WalletReply } from './wallet.js';

export const show = defineOperation({
  id: 'wallet.show',
  summary: 'Show a wallet: addresses, public key, where its key comes from',
  cli: { homeOnly: true, positional: ['name'] },
  auth: 'optional',
  input: z.object({ name: WalletName.optional() }),
  output: z.object({ wallet: WalletReply }),
  errors: WALLET_ERRORS,
  run: async ({ name }, context) => ({ wallet: showWallet(await meantWallet(name, context)) }),
  view: ({ wallet }) => [walletFacts(wallet), { kind: 'qr', address: wallet.address }],
});
