/** The secrets of a wallet, for a backup. */
import { z } from 'zod';
import { defineOperation, UNLOCK_ERRORS } from '../../operation/define.js';
import { WalletName } from './wallet.js';

const ADVICE = 'Keep this off this machine and show it to nobody: whoever has it has the money.';

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
  errors: UNLOCK_ERRORS,
  run: async ({ name }, { keys }) => ({ name, ...(await keys.export(name)), advice: ADVICE }),
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
