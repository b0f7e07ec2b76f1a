/** Handing out a transaction: nothing leaves this program that the VM has not run. */
import { z } from 'zod';
import { addressOf, type Address } from '../bch/address.js';
import type { Coin, Output, Token } from '../bch/coins.js';
import { WalletTransactionField } from '../bch/fields.js';
import { NETWORKS, type Network } from '../bch/network.js';
import { encodeWalletTransaction, preflight, type WalletTransaction } from '../bch/wallet-transaction.js';
import type { UnsignedTransaction } from '../covenant/spend.js';
import type { Context } from './context.js';

/**
 * The wcTransaction of an unsigned transaction, after it was run through the VM as far as signatures allow, and its
 * size, fee, dust and finality were checked.
 *
 * @throws tx_script_failed, tx_token_rule, tx_dust, tx_fee_too_low, tx_too_large, tx_not_final, chain_unavailable
 */
export const handOut = async (
  unsigned: Pick<UnsignedTransaction, 'transaction' | 'sourceOutputs'>,
  signer: Address,
  userPrompt: string,
  context: Pick<Context, 'chain' | 'network'>,
): Promise<WalletTransaction> => {
  const { medianTimePast } = await context.chain.tip();
  const { transaction } = unsigned;
  const sourceOutputs = [...unsigned.sourceOutputs];
  preflight({ transaction, sourceOutputs }, { lockingBytecode: signer.lockingBytecode }, { medianTimePast });
  const broadcast = NETWORKS[context.network].walletsReach;
  return encodeWalletTransaction({ transaction, sourceOutputs, broadcast, userPrompt });
};

/** Chain now: the latest locktime that is final. Source: covenants, vocabulary (median time past, minus 1). */
export const chainNow = async (context: Pick<Context, 'chain'>): Promise<number> =>
  (await context.chain.tip()).medianTimePast - 1;

const TokenReply = z.object({
  category: z.string(),
  amount: z.string().describe('Smallest unit'),
  nft: z.object({ capability: z.string(), commitment: z.string() }).optional(),
});

/** Inputs and outputs of a transaction, as funding-info shows them. */
export const FundingInputs = z.array(
  z.object({ txid: z.string(), vout: z.number(), satoshis: z.number(), token: TokenReply.optional() }),
);
/** For the inputs, see {@link FundingInputs}. */
export const FundingOutputs = z.array(
  z.object({ address: z.string(), satoshis: z.number(), token: TokenReply.optional() }),
);

const showToken = (token: Token | undefined): { token?: z.output<typeof TokenReply> } =>
  token === undefined ? {} : { token: { ...token, amount: token.amount.toString() } };

/** Coins as funding-info shows them. */
export const showInputs = (coins: readonly Coin[]): z.output<typeof FundingInputs> =>
  coins.map(({ txid, vout, satoshis, token }) => ({
    txid,
    vout,
    satoshis: Number(satoshis),
    ...showToken(token),
  }));

/** Outputs as funding-info shows them: what carries tokens at the token-aware form of its address. */
export const showOutputs = (outputs: readonly Output[], network: Network): z.output<typeof FundingOutputs> =>
  outputs.map(({ lockingBytecode, satoshis, token }) => {
    const address = addressOf(lockingBytecode, network);
    return {
      address: (token === undefined ? address?.text : address?.tokenText) ?? lockingBytecode,
      satoshis: Number(satoshis),
      ...showToken(token),
    };
  });

/** The answer when the payer must first make a coin that can start a covenant. Source: specification, funding-info. */
export const PreparationReply = z.object({
  success: z.literal(false),
  code: z.literal('preparation_required'),
  requiresPreparation: z.literal(true),
  preparationTransaction: WalletTransactionField,
  message: z.string(),
});
