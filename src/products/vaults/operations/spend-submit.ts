/** Handing in a signature: checked when it arrives, so that a bad one is known while its signer is still there. */
import { z } from 'zod';
import { defineOperation, RELAY_ERRORS } from '../../../operation/define.js';
import { takeSignatures } from '../collect-signatures.js';
import { SIGNING_ERRORS, openSpend, SPEND_PLACE, SpendPath } from '../open-spend.js';
import { SaidSpendReply, showSpend } from '../reply.js';
import { viewSpend } from '../view.js';

export const spendSubmit = defineOperation({
  id: 'vaults.spend-submit',
  summary: "Hand in the transaction that a signer's wallet has signed",
  description:
    'The signature must be of one of the three signers, of hash type 0x61, over exactly what was handed out.',
  http: { method: 'POST', path: '/api/vaults/:id/spends/:spendId/signatures', bodyLimit: 262_144 },
  cli: { verb: 'spend submit', ...SPEND_PLACE },
  auth: 'address',
  input: SpendPath.extend({
    signedTransaction: z.string().max(200_000).describe('Raw transaction, hex, as the wallet gives it back'),
  }),
  output: SaidSpendReply,
  errors: [...SIGNING_ERRORS, 'tx_mismatch', ...RELAY_ERRORS],
  run: async ({ signedTransaction, ...path }, context) => {
    const opened = await openSpend(path, context);
    const spend = await takeSignatures(opened, signedTransaction.trim(), context);
    const waits = spend.status === 'READY' ? 'can be broadcast' : 'waits for one more signature';
    return { message: `${spend.label} ${waits}`, ...(await showSpend(spend, context)) };
  },
  view: viewSpend,
});
