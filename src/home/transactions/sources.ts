/** What the inputs of a transaction spend: as its copies say, or else as the chain has it. */
import type { WcSourceOutput } from 'cashscript';
import type { Output } from '../../bch/coins.js';
import { fromLibauthOutput, fromLibauthTransaction, toLibauthOutput } from '../../bch/transaction.js';
import { TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import type { DocumentCopy } from './document.js';

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
