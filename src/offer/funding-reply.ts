/** Coins and outputs as a funding's answer shows them, and the answer of one that must be prepared. */
import { z } from 'zod';
import { addressOf } from '../bch/address.js';
import type { Coin, Output, Token } from '../bch/coins.js';
import { WalletTransactionField } from '../bch/fields.js';
import type { Network } from '../bch/network.js';

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

/** The answer when the payer must first make a coin that can start a covenant. Source: docs/design/api.md. */
export const PreparationReply = z.object({
  success: z.literal(false),
  code: z.literal('preparation_required'),
  requiresPreparation: z.literal(true),
  preparationTransaction: WalletTransactionField,
  message: z.string(),
});
