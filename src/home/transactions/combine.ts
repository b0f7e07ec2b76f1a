/** Joining copies of a transaction that were signed apart: by several wallets, each for its own inputs. */
import type { WcSourceOutput } from 'cashscript';
import { z } from 'zod';
import type { Output } from '../../bch/coins.js';
import { combineCopies, requireSameTransaction } from '../../bch/combine-transactions.js';
import { fromLibauthOutput, fromLibauthTransaction, toLibauthOutput } from '../../bch/transaction.js';
import { verifyTransaction } from '../../bch/wallet-transaction.js';
import { invalidField, TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import { CHAIN_ERRORS, defineOperation, RELAY_ERRORS } from '../../operation/define.js';
import { NamedDocumentField, readCopy, type DocumentCopy } from './document.js';
import { showSigned, SignedReply, viewSigned } from './sign.js';

const textOf = (output: Output): string =>
  JSON.stringify(output, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));

/** @throws invalid_file naming the copy that says otherwise */
const requireSameSources = (
  known: readonly WcSourceOutput[],
  knownBy: string,
  { name, request }: DocumentCopy,
): void => {
  for (const [index, source] of (request?.sourceOutputs ?? []).entries()) {
    const own = known[index];
    if (own === undefined || textOf(fromLibauthOutput(own)) === textOf(fromLibauthOutput(source))) continue;
    const reason = `its input ${index} spends another amount, token or script than ${knownBy} says`;
    throw new TreasuryError('invalid_file', { file: name, reason });
  }
};

/** @throws tx_missing_inputs, chain_unavailable */
const askChain = async (
  { transaction }: DocumentCopy,
  { chain }: Pick<Context, 'chain'>,
): Promise<WcSourceOutput[]> => {
  const { inputs } = fromLibauthTransaction(transaction);
  const sources: WcSourceOutput[] = [];
  for (const [index, { txid, vout }] of inputs.entries()) {
    const input = transaction.inputs[index];
    const output = (await chain.transaction(txid))?.transaction.outputs[vout];
    if (input === undefined || output === undefined) {
      throw new TreasuryError('tx_missing_inputs', { outpoint: `${txid}:${vout}` });
    }
    sources.push({ ...input, ...toLibauthOutput(output) });
  }
  return sources;
};

/** The contract of an input, when any of the copies has it. */
const withContracts = (
  sources: readonly WcSourceOutput[],
  copies: readonly DocumentCopy[],
): WcSourceOutput[] =>
  sources.map((source, index) => {
    const contract = copies
      .map(({ request }) => request?.sourceOutputs[index]?.contract)
      .find((one) => one !== undefined);
    return contract === undefined ? source : { ...source, contract };
  });

/**
 * What the inputs spend, in their order. Offline where one of the copies says it.
 *
 * @throws invalid_file (copies say different things), tx_missing_inputs, chain_unavailable
 */
export const findSources = async (
  copies: readonly [DocumentCopy, ...DocumentCopy[]],
  context: Pick<Context, 'chain'>,
): Promise<WcSourceOutput[]> => {
  const teller = copies.find(({ request }) => request !== null);
  const known = teller?.request?.sourceOutputs;
  if (teller === undefined || known === undefined) return askChain(copies[0], context);
  for (const copy of copies) requireSameSources(known, teller.name, copy);
  return withContracts(known, copies);
};

export const combine = defineOperation({
  id: 'tx.combine',
  summary: 'Join copies of one transaction that were signed apart; nothing is sent',
  description:
    'Each input takes its signatures from the copies that have them. One of the copies should be a wcTransaction, or an answer of tx sign --json: else the chain is asked what the inputs spend.',
  cli: { positional: ['files'], example: 'tx combine signed-by-ann.json signed-by-ben.json --json' },
  auth: 'none',
  input: z.object({
    files: z.array(NamedDocumentField).describe('Copies of the transaction, signed or not'),
  }),
  output: SignedReply,
  errors: ['invalid_file', 'tx_missing_inputs', ...RELAY_ERRORS, ...CHAIN_ERRORS],
  run: async ({ files }, context) => {
    // Check: copies of one transaction, and what it spends.
    const [first, ...others] = files.map(readCopy);
    if (first === undefined || others.length === 0) {
      throw invalidField('files', 'expected two copies of a transaction, or more');
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
