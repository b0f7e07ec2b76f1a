/** Wallets made, imported, exported, and asked to sign a text. */
import { z } from 'zod';
import { defineOperation, NEW_WALLET_ERRORS, SIGN_ERRORS, UNLOCK_ERRORS } from '../../operation/define.js';
import {
  checkNoContact,
  KeyPath,
  showWallet,
  walletFacts,
  WalletName,
  walletOfAddress,
  WalletReply,
} from './wallet.js';

const SEED_ADVICE =
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
    return { wallet: showWallet(wallet), mnemonic, advice: SEED_ADVICE };
  },
  view: ({ wallet, mnemonic, advice }) => [
    walletFacts(wallet),
    { kind: 'text', text: `Seed phrase:\n\n  ${mnemonic}` },
    { kind: 'text', text: advice },
    { kind: 'qr', address: wallet.address },
  ],
});

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

const EXPORT_ADVICE = 'Keep this off this machine and show it to nobody: whoever has it has the money.';

export const exportWallet = defineOperation({
  id: 'wallet.export',
  summary: 'Show the secrets of a wallet, for a backup',
  cli: { positional: ['name'], example: 'wallet export authority' },
  auth: 'none',
  input: z.object({ name: WalletName }),
  output: z.object({
    name: z.string(),
    mnemonic: z.string().nullable().describe('Seed phrase; null when the wallet was imported as WIF'),
    path: z.string().nullable(),
    wif: z.string().describe('Private key'),
    advice: z.string(),
  }),
  errors: [...UNLOCK_ERRORS, 'wallet_remote'],
  run: async ({ name }, { keys }) => ({ name, ...(await keys.export(name)), advice: EXPORT_ADVICE }),
  view: ({ name, mnemonic, path, wif, advice }) => [
    {
      kind: 'facts',
      rows: [
        ['Wallet', name],
        ...(mnemonic === null ? [] : [['Seed phrase', mnemonic] as const, ['Path', path ?? ''] as const]),
        ['Private key', wif],
      ],
    },
    { kind: 'text', text: advice },
  ],
});

export const signMessage = defineOperation({
  id: 'wallet.sign-message',
  summary: 'Sign a text with the key of a wallet (Bitcoin signed message)',
  cli: { positional: ['message'] },
  auth: 'address',
  input: z.object({ message: z.string().min(1).max(10_000).describe('The text, byte for byte') }),
  output: z.object({
    address: z.string(),
    message: z.string(),
    signature: z.string().describe('65 bytes, base64'),
  }),
  errors: SIGN_ERRORS,
  run: async ({ message }, context) => {
    const { name, address } = await walletOfAddress(context.caller, context);
    return { address: address.text, message, signature: await context.keys.signMessage(name, message) };
  },
});
