/** A wallet from a seed phrase or a private key that exists already. */
import { z } from 'zod';
import { defineOperation, NEW_WALLET_ERRORS } from '../../operation/define.js';
import { checkNoContact, KeyPath, showWallet, walletFacts, WalletName, WalletReply } from './wallet.js';

const SecretField = z
  .string()
  .meta({ secret: true })
  .describe(
    'Seed phrase or WIF, never as a word of the command: the name of a file with it, - for standard input, or left out to be asked',
  );

/** A seed phrase has spaces; a WIF has none. */
const isPhrase = (secret: string): boolean => /\s/.test(secret.trim());

export const importWallet = defineOperation({
  id: 'wallet.import',
  summary: 'Add a wallet from its seed phrase or its private key (WIF)',
  description:
    'Where money is real a passphrase is asked for; on local and regtest the wallet is kept without one.',
  cli: { positional: ['name'], example: 'wallet import savings' },
  auth: 'none',
  input: z.object({ name: WalletName, secret: SecretField, path: KeyPath.optional() }),
  output: z.object({ wallet: WalletReply }),
  errors: NEW_WALLET_ERRORS,
  run: async ({ name, secret, path }, context) => {
    await checkNoContact(name, context);
    const wallet = await context.keys.import({
      name,
      passphrase: null,
      ...(path === undefined ? {} : { path }),
      ...(isPhrase(secret) ? { mnemonic: secret } : { wif: secret }),
    });
    return { wallet: showWallet(wallet) };
  },
  view: ({ wallet }) => [walletFacts(wallet), { kind: 'qr', address: wallet.address }],
});
