/** Signing a transaction file with a wallet of this home, offline. */
import { z } from 'zod';
import { decodeRaw } from '../../bch/transaction.js';
import { encodeWalletTransaction, signWalletTransaction } from '../../bch/wallet-transaction.js';
import { defineOperation, UNLOCK_ERRORS } from '../../operation/define.js';
import { walletOfAddress } from '../wallets/wallet.js';
import { DocumentField, readSigningRequest } from './document.js';
import { SignedReply, showSigned, viewSigned } from './signed.js';

export const sign = defineOperation({
  id: 'tx.sign',
  summary: 'Sign a transaction file with a wallet; nothing is sent',
  description:
    'With --json the answer is a file for tx inspect, tx combine, tx broadcast, and tx sign with another wallet.',
  cli: { positional: ['file'], example: 'tx sign unsigned.json --wallet main --json' },
  auth: 'address',
  input: z.object({ file: DocumentField }),
  output: SignedReply,
  errors: ['tx_malformed', 'signing_failed', ...UNLOCK_ERRORS],
  run: async ({ file }, context) => {
    const request = readSigningRequest(file);
    const { name } = await walletOfAddress(context.caller, context);
    const signer = await context.keys.unlock(name);
    const signed = signWalletTransaction(encodeWalletTransaction(request), signer);
    return showSigned({ ...request, transaction: decodeRaw(signed.transaction) }, context.network);
  },
  view: viewSigned,
});
