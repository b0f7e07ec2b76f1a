/** A new wallet from fresh entropy. */
import { z } from 'zod';
import { defineOperation, NEW_WALLET_ERRORS } from '../../operation/define.js';
import { checkNoContact, KeyPath, showWallet, walletFacts, WalletName, WalletReply } from './wallet.js';

const ADVICE =
  'Write these words down and keep them off this machine: they are the only backup. Whoever has them has the money.';

export const create = defineOperation({
  id: 'wallet.create',
  summary: 'Make a wallet from a fresh seed phrase, which is shown once',
  description:
    'Where money is real a passphrase is asked for; on local and regtest the wallet is kept without one.',
  cli: { positional: ['name'], example: 'wallet create savings' },
  auth: 'none',
  input: z.object({ name: WalletName, path: KeyPath.optional() }),
  output: z.object({
    wallet: WalletReply,
    mnemonic: z.string().describe('Seed phrase: it is not shown again, except by wallet export'),
    advice: z.string(),
  }),
  errors: NEW_WALLET_ERRORS,
  run: async ({ name, path }, context) => {
    await checkNoContact(name, context);
    const { wallet, mnemonic } = await context.keys.create({
      name,
      passphrase: null,
      ...(path === undefined ? {} : { path }),
    });
    return { wallet: showWallet(wallet), mnemonic, advice: ADVICE };
  },
  view: ({ wallet, mnemonic, advice }) => [
    walletFacts(wallet),
    { kind: 'text', text: `Seed phrase:\n\n  ${mnemonic}` },
    { kind: 'text', text: advice },
    { kind: 'qr', address: wallet.address },
  ],
});
