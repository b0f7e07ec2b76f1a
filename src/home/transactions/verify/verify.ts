/** Checking a transaction on another machine: what it does, from its file, the chain and the artifacts alone. */
import { z } from 'zod';
import { decodeRaw } from '../../../bch/transaction.js';
import { CHAIN_ERRORS, defineOperation, KEYS_ERRORS } from '../../../operation/define.js';
import { DocumentField, holdsSources, readRawTransaction, readSigningRequest } from '../document.js';
import { examine, type Claimed } from './examine.js';
import { showExamined, VerifyReply } from './reply.js';
import { viewVerify } from './view.js';

/** What a file says; a raw transaction says nothing of what it spends. @throws tx_malformed */
const readClaims = (file: Readonly<Record<string, unknown>>): Claimed =>
  holdsSources(file)
    ? readSigningRequest(file)
    : { transaction: decodeRaw(readRawTransaction(file)), sourceOutputs: [] };

export const verify = defineOperation({
  id: 'tx.verify',
  summary: 'Work out anew what a transaction file does, believing nothing that it says; compare its digest',
  description:
    'What the inputs hold is looked up in the chain, contracts are built anew from the artifacts of this program, and their state is read from the transaction. Words in the file are not shown. Exit 5: the file claims something else than was found, or a signature is wrong; 6: the chain does not know what an input spends; 7: the chain could not be asked.',
  cli: {
    positional: ['file'],
    example: 'tx verify unsigned.json --digest "4T5V-NJQ2-8K0C-XR3M-71WZ-EB6G-PDH9-YSAF"',
  },
  auth: 'none',
  input: z.object({
    file: DocumentField,
    digest: z
      .string()
      .max(100)
      .optional()
      .describe('What somebody else sees, to be compared; in any case, spaces or dashes'),
    offline: z
      .boolean()
      .default(false)
      .describe('Do not ask the chain: the file is then believed in what its inputs hold'),
  }),
  output: VerifyReply,
  errors: ['tx_malformed', ...KEYS_ERRORS, ...CHAIN_ERRORS],
  run: async ({ file, digest: told, offline }, context) => {
    const { loadContractWords } = await import('../../../products/index.js');
    const words = await loadContractWords();
    const examined = await examine(readClaims(file), { ...context, words, offline, told });
    return showExamined(examined, context.network, offline);
  },
  view: viewVerify,
});
