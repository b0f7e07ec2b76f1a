/** What every product's funding-info does: find the payer's coins, build, run the VM, answer in either form. */
import { z } from 'zod';
import type { Address } from '../bch/address.js';
import { displayNumber } from '../bch/amount.js';
import { WalletTransactionField, type ContractTerms } from '../bch/fields.js';
import { THREAD_DUST, type Transaction } from '../bch/transaction.js';
import { buildFunding } from '../covenant/funding.js';
import { auditGenesis, type GenesisMember } from '../covenant/genesis.js';
import type { Caller, Context } from '../operation/context.js';
import type { PinSubject } from './funding-pins.js';
import { FundingInputs, FundingOutputs, PreparationReply, showInputs, showOutputs } from './funding-reply.js';
import {
  draftPinned,
  offerPinned,
  type PinnedDraft,
  type PinnedOffer,
  type PinnedOrder,
} from './pinned-offer.js';

export { MAXIMUM_DRAFTS } from './pinned-offer.js';

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
  | ReadyFunding
  | { readonly kind: 'preparation'; readonly reply: z.output<typeof PreparationReply> };

/** What is to be funded. */
export type FundingOrder = {
  readonly payer: Address;
  readonly members: readonly GenesisMember[];
  /** The contracts of the members. */
  readonly contracts: readonly ContractTerms[];
  /** In the words of a prompt. */
  readonly what: string;
  /** What its genesis coin is pinned for. */
  readonly subject: PinSubject;
  /** True for what funds it, whatever its sum; default what mints exactly `members`. */
  readonly isFunding?: (transaction: Transaction) => boolean;
};

/** A funding that may be given out once its pin is written down. */
export type FundingDraft = PinnedDraft<FundingOffer>;

const pinnedOrder = ({ members, what, isFunding, ...order }: FundingOrder): PinnedOrder => ({
  ...order,
  isFunding: isFunding ?? ((transaction) => auditGenesis(transaction, members).ok),
  build: ({ payer, coins: payerCoins, pinned: genesisCoin }) =>
    buildFunding({ payer, payerCoins, members, genesisCoin }),
  prompt: `Fund ${what}`,
  preparing: `Prepare a coin to fund ${what}`,
  lacking: 'free coin at output index 0 that can start a covenant',
});

const tellFunding = (
  offer: PinnedOffer,
  { members }: FundingOrder,
  { network }: Pick<Context, 'network'>,
): FundingOffer => {
  if (offer.kind === 'preparation') return offer;
  const { payment, wcTransaction } = offer;
  return {
    kind: 'ready',
    pool: members.reduce((sum, { pool }) => sum + pool, 0n),
    threadDust: THREAD_DUST * BigInt(members.length),
    inputs: showInputs(payment.inputs),
    outputs: showOutputs(payment.outputs, network),
    fee: Number(payment.fee),
    wcTransaction,
  };
};

/** The funding of `members` by a payer, or the preparation it needs. Nothing is stored. @throws as {@link draftPinned} */
export const draftFunding = async (
  order: FundingOrder,
  context: Pick<Context, 'chain' | 'network' | 'store' | 'clock'>,
): Promise<FundingDraft> => {
  const { offer, keep } = await draftPinned(pinnedOrder(order), context);
  return { keep, offer: tellFunding(offer, order, context) };
};

/** {@link draftFunding} of a record that is in the store, its genesis coin pinned. @throws as {@link draftPinned} */
export const offerFunding = async (
  order: FundingOrder,
  context: Pick<Context, 'chain' | 'network' | 'store' | 'clock'>,
): Promise<FundingOffer> => tellFunding(await offerPinned(pinnedOrder(order), context), order, context);

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
  /** The contracts of the members. */
  readonly contracts: readonly ContractTerms[];
  /** Name of the collection of the record that is funded. */
  readonly collection: string;
  readonly id: string;
  /** What its genesis coin is pinned for; default the record alone. */
  readonly subject?: PinSubject;
};

/**
 * The answer of a funding-info route, in the form of {@link fundingReply}.
 *
 * @param extra what the product adds to `fundingInfo`
 * @throws insufficient_funds, store_conflict, chain_unavailable, and what handing out throws
 */
export const answerFunding = async <Extra extends object>(
  { label, what = label, payer, members, contracts, collection, id, subject, ...terms }: FundingRequest,
  extra: Extra,
  context: Pick<Context, 'chain' | 'network' | 'store' | 'clock'> & { readonly caller: Caller | null },
) => {
  const own: PinSubject = { id, label, record: { collection, id } };
  // Anybody may ask for the funding of a record that anybody may read.
  const isLease = context.caller?.text === payer.text;
  const order = { payer, members, contracts, what, subject: { ...(subject ?? own), isLease } };
  const offer = await offerFunding(order, context);
  if (offer.kind === 'preparation') return offer.reply;
  return {
    success: true as const,
    label,
    fundingInfo: { ...fundingInfoOf(offer, terms), ...extra },
    wcTransaction: offer.wcTransaction,
  };
};
