/** Choosing the wallet that commands use when none is named. */
import { z } from 'zod';
import { defineOperation, WALLET_ERRORS } from '../../operation/define.js';
import { showWallet, WalletName, WalletReply } from './wallet.js';

export const use = defineOperation({
  id: 'wallet.use',
  summary: 'Make a wallet the one that commands use when none is named',
  cli: { homeOnly: true, positional: ['name'] },
  auth: 'none',
  input: z.object({ name: WalletName }),
  output: z.object({ wallet: WalletReply }),
  errors: WALLET_ERRORS,
  run: async ({ name }, { keys }) => ({ wallet: showWallet(await keys.use(name)) }),
  view: ({ wallet }) => [{ kind: 'text', text: `${wallet.name} is the default wallet: ${wallet.address}` }],
});
