/** Joining copies of a transaction that were signed apart: by several wallets, each for its own inputs. */
import { z } from 'zod';
import { combineCopies, requireSameTransaction } from '../../bch/combine-transactions.js';
import { verifyTransaction } from '../../bch/wallet-transaction.js';
import { CHAIN_ERRORS, defineOperation, RELAY_ERRORS } from '../../operation/define.js';
import { invalidInput } from '../../operation/read-input.js';
import { NamedDocumentField, readCopy } from './document.js';
import { SignedReply, showSigned, viewSigned } from './signed.js';
import { findSources } from './sources.js';

export const combine = defineOperation({
  id: 'tx.combine',
  summary: 'Join copies of one transaction that were signed apart; nothing is sent',
  description:
    'Each input takes its signatures from the copies that have them. One of the copies should be a wcTransaction, or an answer of tx sign --json: else the chain is asked what the inputs spend.',
  cli: { positional: ['files'], example: 'tx combine signed-by-ann.json signed-by-ben.json --json' },
  auth: 'none',
  input: z.object({
    files: z.array(NamedDocumentField).describe('Copies of the transaction: wcTransactions, signed or not'),
  }),
  output: SignedReply,
  errors: ['invalid_file', 'tx_missing_inputs', ...RELAY_ERRORS, ...CHAIN_ERRORS],
  run: async ({ files }, context) => {
    // Check: copies of one transaction, and what it spends.
    const [first, ...others] = files.map(readCopy);
    if (first === undefined || others.length === 0) {
      throw invalidInput([{ path: 'files', message: 'expected two copies of a transaction, or more' }]);
    }
    const copies = [first, ...others] as const;
    requireSameTransaction(copies, context.network);
    const sourceOutputs = await findSources(copies, context);

    // Build:
    const { transaction, openInputs } = combineCopies(copies, sourceOutputs);
    if (openInputs.length === 0) verifyTransaction({ transaction, sourceOutputs });
    const told = copies.find(({ request }) => request !== null)?.request;
    const joined = { broadcast: false, ...told, transaction, sourceOutputs };
    return showSigned(joined, context.network);
  },
  view: viewSigned,
});
