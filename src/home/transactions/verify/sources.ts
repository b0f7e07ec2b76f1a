/** What a transaction spends, by the chain: amounts, tokens and scripts are looked up by the id of what made them. */
import { binToHex } from '@bitauth/libauth';
import { outpointText, type Coin, type Output } from '../../../bch/coins.js';
import { fromLibauthOutput, fromLibauthTransaction, type Transaction } from '../../../bch/transaction.js';
import type { SigningRequest } from '../../../bch/wallet-transaction.js';
import { isTreasuryError } from '../../../errors.js';
import type { Context } from '../../../operation/context.js';

/** A coin that an input spends, and who says so. */
export type SpentCoin = {
  readonly index: number;
  readonly outpoint: string;
  readonly sequence: number;
  /** Hex. */
  readonly unlockingBytecode: string;
  /** What the chain says, or where it says nothing what the file says; null: nobody says anything. */
  readonly coin: Coin | null;
  /** `chain`: read from the transaction that made it, whose id is the hash of it. */
  readonly by: 'chain' | 'file' | 'nobody';
  /** What the file says, where it says something. */
  readonly claimed: Output | null;
};

/** What the chain could be asked: null where it was not asked. */
export type ChainAnswer = Pick<Context, 'chain'> | null;

/** A look at the chain that went wrong, in words; null: it went well. */
export type Sources = { readonly spent: readonly SpentCoin[]; readonly failure: string | null };

const UNREACHED: readonly unknown[] = ['chain_unavailable', 'server_disagrees'];

/** The outputs that the inputs spend, by the chain. @throws what is no failure to reach it */
const askChain = async (
  { inputs }: Transaction,
  { chain }: Pick<Context, 'chain'>,
): Promise<{ readonly coins: readonly (Coin | null)[]; readonly failure: string | null }> => {
  try {
    const coins: (Coin | null)[] = [];
    for (const { txid, vout } of inputs) {
      const found = await chain.transaction(txid);
      // The id is the hash of the transaction, worked out here: another one is no answer.
      const output = found?.transaction.txid === txid ? found.transaction.outputs[vout] : undefined;
      coins.push(output === undefined ? null : { ...output, txid, vout, height: found?.height ?? null });
    }
    return { coins, failure: null };
  } catch (error) {
    if (!isTreasuryError(error) || !UNREACHED.includes(error.code)) throw error;
    return { coins: [], failure: error.message };
  }
};

/**
 * What a transaction spends.
 *
 * @param sourceOutputs what the file says of it; nothing for a raw transaction
 * @param asked the chain; null: it is not to be asked
 */
export const readSources = async (
  { transaction, sourceOutputs }: Pick<SigningRequest, 'transaction' | 'sourceOutputs'>,
  asked: ChainAnswer,
): Promise<Sources> => {
  const read = fromLibauthTransaction(transaction);
  const { coins, failure } = asked === null ? { coins: [], failure: null } : await askChain(read, asked);
  const spent = read.inputs.map((input, index): SpentCoin => {
    const source = sourceOutputs[index];
    const claimed = source === undefined ? null : fromLibauthOutput(source);
    const { txid, vout, sequence, unlockingBytecode } = input;
    const known = coins[index] ?? null;
    const told = claimed === null ? null : { ...claimed, txid, vout, height: null };
    return {
      index,
      outpoint: outpointText(input),
      sequence,
      unlockingBytecode:
        unlockingBytecode === '' && source !== undefined ? placeholderOf(source) : unlockingBytecode,
      coin: known ?? told,
      by: known !== null ? 'chain' : told !== null ? 'file' : 'nobody',
      claimed,
    };
  });
  return { spent, failure };
};

/** Some programs leave the input empty and its placeholders in the source output alone. */
const placeholderOf = ({ unlockingBytecode }: { readonly unlockingBytecode: Uint8Array }): string =>
  binToHex(unlockingBytecode);
