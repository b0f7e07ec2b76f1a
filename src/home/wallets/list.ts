/** The wallets of this home. */
import { z } from 'zod';
import { defineOperation, KEYS_ERRORS } from '../../operation/define.js';
import { roleOf, showWallet, WalletReply } from './wallet.js';

export const list = defineOperation({
  id: 'wallet.list',
  summary: 'List the wallets of this home',
  cli: { homeOnly: true },
  auth: 'none',
  input: z.object({}),
  output: z.object({ wallets: z.array(WalletReply), total: z.number() }),
  errors: KEYS_ERRORS,
  run: async (_, { keys }) => {
    const wallets = (await keys.list()).map(showWallet);
    return { wallets, total: wallets.length };
  },
  view: ({ wallets }) => [
    {
      kind: 'table',
      head: ['Wallet', 'Address', 'Passphrase', 'Role'],
      rows: wallets.map((wallet) => [
        wallet.name,
        wallet.address,
        wallet.encrypted ? 'yes' : 'none',
        roleOf(wallet),
      ]),
      empty: 'No wallets yet.',
    },
    ...(wallets.length === 0
      ? [{ kind: 'next' as const, command: 'wallet create main', why: 'to make the first one' }]
      : []),
  ],
});
