/** Signing a transaction file with a wallet of this home, offline. */
import { z } from 'zod';
import { decodeRaw } from '../../bch/transaction.js';
import { encodeWalletTransaction, signWalletTransaction } from '../../bch/wallet-transaction.js';
import { defineOperation } from '../../operation/define.js';
import { walletOfAddress } from '../wallets/wallet.js';
import { DocumentField, readSigningRequest, refusalOf } from './document.js';

export const sign = defineOperation({
  id: 'tx.sign',
  summary: 'Sign a transaction file with a wallet; nothing is sent',
  cli: { positional: ['file'], example: 'tx sign unsigned.json --wallet main' },
  auth: 'address',
  input: z.object({ file: DocumentField }),
  output: z.object({
    transaction: z.string().describe('Raw transaction, hex'),
    txHash: z.string(),
    complete: z.boolean().describe('True when nothing else has to be signed'),
  }),
  errors: ['tx_malformed', 'signing_failed', 'wallet_not_found', 'wallet_locked', 'wrong_passphrase'],
  run: async ({ file }, context) => {
    const request = readSigningRequest(file);
    const { name } = await walletOfAddress(context.caller, context);
    const signer = await context.keys.unlock(name);
    const signed = signWalletTransaction(encodeWalletTransaction(request), signer);
    const { sourceOutputs } = request;
    const refusal = refusalOf({ transaction: decodeRaw(signed.transaction), sourceOutputs });
    return { transaction: signed.transaction, txHash: signed.txid, complete: refusal === null };
  },
  view: ({ transaction, complete }) => [
    { kind: 'text', text: transaction },
    ...(complete
      ? [{ kind: 'next' as const, command: 'tx broadcast --transaction <hex>', why: 'to send it' }]
      : []),
  ],
});
