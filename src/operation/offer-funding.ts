/** What every product's funding-info does: find the payer's coins, build, run the VM, answer in either form. */
import { z } from 'zod';
import type { Address } from '../bch/address.js';
import type { WalletTransactionField } from '../bch/fields.js';
import { buildFunding } from '../covenant/funding.js';
import type { GenesisMember } from '../covenant/genesis.js';
import type { Context } from './context.js';
import type { PreparationReply } from './hand-out.js';
import { FundingInputs, FundingOutputs, handOut, showInputs, showOutputs } from './hand-out.js';

/** `fundingInfo` fields that all products share. */
export const FundingInfoFields = {
  contractAddress: z.string(),
  onChainAmount: z.string().describe('The pool in the smallest unit'),
  tokenType: z.string(),
  threadDustSatoshis: z.number().describe('Satoshis beside the pool that carry the state'),
  inputs: FundingInputs,
  outputs: FundingOutputs,
  fee: z.number().describe('Satoshis'),
};

/** The part of a ready answer that the chain gives. */
export type ReadyFunding = {
  readonly kind: 'ready';
  readonly inputs: z.output<typeof FundingInputs>;
  readonly outputs: z.output<typeof FundingOutputs>;
  readonly fee: number;
  readonly wcTransaction: z.output<typeof WalletTransactionField>;
};

export type FundingOffer =
  ReadyFunding | { readonly kind: 'preparation'; readonly reply: z.output<typeof PreparationReply> };

/**
 * The funding of `members` by a payer, checked by the VM; or the preparation it needs, as the reply to give.
 *
 * @throws insufficient_funds, chain_unavailable, and what handing out throws
 */
export const offerFunding = async (
  payer: Address,
  members: readonly GenesisMember[],
  what: string,
  context: Pick<Context, 'chain' | 'network'>,
): Promise<FundingOffer> => {
  const payerCoins = await context.chain.coins(payer.lockingBytecode);
  const funding = buildFunding({ payer, payerCoins, members });
  if (funding.kind === 'preparation') {
    const prompt = `Prepare a coin to fund ${what}`;
    return {
      kind: 'preparation',
      reply: {
        success: false,
        code: 'preparation_required',
        requiresPreparation: true,
        preparationTransaction: await handOut(funding.payment, payer, prompt, context),
        message: `${payer.text} has no coin at output index 0 that can start a covenant: sign and broadcast the preparation transaction, then ask again`,
      },
    };
  }
  const { payment } = funding;
  return {
    kind: 'ready',
    inputs: showInputs(payment.inputs),
    outputs: showOutputs(payment.outputs, context.network),
    fee: Number(payment.fee),
    wcTransaction: await handOut(payment, payer, `Fund ${what}`, context),
  };
};
