/** Handing a signed transaction to the network. */
import { z } from 'zod';
import { invalidField } from '../../errors.js';
import { BROADCAST_ERRORS, defineOperation } from '../../operation/define.js';
import { DocumentField, readRawTransaction } from './document.js';

const RawTransactionField = z.string().trim().min(1).describe('Signed raw transaction, hex');

const output = z.object({ txHash: z.string() });

/** Over HTTP: for wallets that do not reach the network by themselves. */
export const broadcastRaw = defineOperation({
  id: 'transactions.broadcast',
  summary: 'Broadcast a signed transaction; one that the network knows already is a success',
  http: { method: 'POST', path: '/api/transactions/broadcast', bodyLimit: 262_144 },
  cli: false,
  auth: 'none',
  forKeys: 'public',
  input: z.object({ transaction: RawTransactionField }),
  output,
  errors: BROADCAST_ERRORS,
  run: async ({ transaction }, { chain }) => ({ txHash: await chain.broadcast(transaction) }),
});

/** At the terminal: from a file, or raw. */
export const broadcastFile = defineOperation({
  id: 'tx.broadcast',
  summary: 'Broadcast a signed transaction from a file, or given as hex',
  cli: { positional: ['file'], example: 'tx broadcast signed.json' },
  auth: 'none',
  input: z.object({
    file: DocumentField.describe('What tx sign or tx combine answered, or a signed transaction').optional(),
    transaction: RawTransactionField.optional(),
  }),
  output,
  errors: BROADCAST_ERRORS,
  run: async ({ file, transaction }, { chain }) => {
    if ((file === undefined) === (transaction === undefined)) {
      throw invalidField('file', 'is required, or --transaction instead of it');
    }
    const raw = transaction ?? readRawTransaction(file ?? {});
    return { txHash: await chain.broadcast(raw) };
  },
  view: ({ txHash }) => [{ kind: 'facts', rows: [['Sent', txHash]] }],
});
