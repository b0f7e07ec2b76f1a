/** What every product's funding-info does: find the payer's coins, build, run the VM, answer in either form. */
import { z } from 'zod';
import type { Address } from '../bch/address.js';
import { displayNumber } from '../bch/amount.js';
import { WalletTransactionField } from '../bch/fields.js';
import { THREAD_DUST } from '../bch/transaction.js';
import { buildFunding } from '../covenant/funding.js';
import type { GenesisMember } from '../covenant/genesis.js';
import type { Context } from './context.js';
import {
  FundingInputs,
  FundingOutputs,
  handOut,
  PreparationReply,
  showInputs,
  showOutputs,
} from './hand-out.js';

/** `fundingInfo` fields that all products share. */
export const FundingInfoFields = {
  contractAddress: z.string(),
  onChainAmount: z.string().describe('The pool in the smallest unit'),
  tokenType: z.string(),
  threadDustSatoshis: z.number().describe('Satoshis beside the pool that carry the state'),
  inputs: FundingInputs,
  outputs: FundingOutputs,
  fee: z.number().describe('Satoshis'),
  amount: z.number(),
};

/** The reply of a funding-info route: what a product adds to `fundingInfo`, or the preparation form. */
export const fundingReply = <Extra extends z.ZodRawShape>(extra: Extra) =>
  z.union([
    z.object({
      success: z.literal(true),
      label: z.string(),
      fundingInfo: z.object({ ...FundingInfoFields, ...extra }),
      wcTransaction: WalletTransactionField,
    }),
    PreparationReply,
  ]);

/** The part of a ready answer that the chain gives. */
export type ReadyFunding = {
  readonly kind: 'ready';
  /** What all members hold together, smallest unit. */
  readonly pool: bigint;
  /** Satoshis beside it that carry the states. */
  readonly threadDust: bigint;
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
    pool: members.reduce((sum, { pool }) => sum + pool, 0n),
    threadDust: THREAD_DUST * BigInt(members.length),
    inputs: showInputs(payment.inputs),
    outputs: showOutputs(payment.outputs, context.network),
    fee: Number(payment.fee),
    wcTransaction: await handOut(payment, payer, `Fund ${what}`, context),
  };
};

/** What a record says of its own pool. */
export type FundedTerms = {
  /** Cash address. */
  readonly contractAddress: string;
  readonly tokenType: string;
  readonly decimals: number;
};

/** The `fundingInfo` of a ready answer. */
export const fundingInfoOf = (
  { pool, threadDust, inputs, outputs, fee }: ReadyFunding,
  { contractAddress, tokenType, decimals }: FundedTerms,
) => ({
  contractAddress,
  amount: displayNumber(pool, decimals),
  onChainAmount: pool.toString(),
  tokenType,
  threadDustSatoshis: Number(threadDust),
  inputs,
  outputs,
  fee,
});

export type FundingRequest = FundedTerms & {
  readonly label: string;
  /** What is funded, in the words of a prompt; default the label. */
  readonly what?: string;
  readonly payer: Address;
  readonly members: readonly GenesisMember[];
};

/**
 * The answer of a funding-info route, in the form of {@link fundingReply}.
 *
 * @param extra what the product adds to `fundingInfo`
 * @throws insufficient_funds, chain_unavailable, and what handing out throws
 */
export const answerFunding = async <Extra extends object>(
  { label, what = label, payer, members, ...terms }: FundingRequest,
  extra: Extra,
  context: Pick<Context, 'chain' | 'network'>,
) => {
  const offer = await offerFunding(payer, members, what, context);
  if (offer.kind === 'preparation') return offer.reply;
  return {
    success: true as const,
    label,
    fundingInfo: { ...fundingInfoOf(offer, terms), ...extra },
    wcTransaction: offer.wcTransaction,
  };
};
