/** What every product's funding-info does: find the payer's coins, build, run the VM, answer in either form. */
import { z } from 'zod';
import type { Address } from '../bch/address.js';
import { displayNumber } from '../bch/amount.js';
import { WalletTransactionField } from '../bch/fields.js';
import { THREAD_DUST, type Transaction } from '../bch/transaction.js';
import { buildFunding } from '../covenant/funding.js';
import { auditGenesis, type GenesisMember } from '../covenant/genesis.js';
import { TreasuryError } from '../errors.js';
import type { Caller, Context } from '../operation/context.js';
import { choosePinned, keepPin, type PinSubject } from './funding-pins.js';
import { handOut } from './hand-out.js';
import { FundingInputs, FundingOutputs, PreparationReply, showInputs, showOutputs } from './funding-reply.js';
import type { StoreWriter } from '../operation/ports/store.js';

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

/** What is to be funded. */
export type FundingOrder = {
  readonly payer: Address;
  readonly members: readonly GenesisMember[];
  /** In the words of a prompt. */
  readonly what: string;
  /** What its genesis coin is pinned for. */
  readonly subject: PinSubject;
  /** True for what funds it, whatever its sum; default what mints exactly `members`. */
  readonly isFunding?: (transaction: Transaction) => boolean;
};

/** A funding that may be given out once its pin is written down. */
export type FundingDraft = {
  readonly offer: FundingOffer;
  /** Writes the pin inside a change of the store; false when it has to be built anew. @throws store_conflict */
  readonly keep: (writer: StoreWriter) => Promise<boolean>;
};

/**
 * The funding of `members` by a payer, checked by the VM; or the preparation it needs, as the reply to give. Nothing is
 * stored: the transaction must not leave before `keep` has written its pin.
 *
 * @throws insufficient_funds, store_conflict, chain_unavailable, and what handing out throws
 */
export const draftFunding = async (
  { payer, members, what, subject, isFunding }: FundingOrder,
  context: Pick<Context, 'chain' | 'network' | 'store' | 'clock'>,
): Promise<FundingDraft> => {
  const mintsMembers = (transaction: Transaction) => auditGenesis(transaction, members).ok;
  const choice = await choosePinned(subject, payer, isFunding ?? mintsMembers, context);
  const plan = { payer, payerCoins: choice.coins, members, genesisCoin: choice.pinned };
  const funding = buildFunding(plan);
  if (funding.kind === 'preparation') {
    const prompt = `Prepare a coin to fund ${what}`;
    return {
      keep: () => Promise.resolve(true),
      offer: {
        kind: 'preparation',
        reply: {
          success: false,
          code: 'preparation_required',
          requiresPreparation: true,
          preparationTransaction: await handOut(funding.payment, payer, prompt, context),
          message: `${payer.text} has no free coin at output index 0 that can start a covenant: sign and broadcast the preparation transaction, then ask again`,
        },
      },
    };
  }
  const { payment, genesisCoin } = funding;
  return {
    keep: (writer) => keepPin(writer, choice, genesisCoin, context.clock.now()),
    offer: {
      kind: 'ready',
      pool: members.reduce((sum, { pool }) => sum + pool, 0n),
      threadDust: THREAD_DUST * BigInt(members.length),
      inputs: showInputs(payment.inputs),
      outputs: showOutputs(payment.outputs, context.network),
      fee: Number(payment.fee),
      wcTransaction: await handOut(payment, payer, `Fund ${what}`, context),
    },
  };
};

/** How often a funding is built anew because another process has taken its coin. */
export const MAXIMUM_DRAFTS = 5;

/**
 * The funding of a record that is in the store, its genesis coin pinned; or the preparation it needs.
 *
 * @throws insufficient_funds, store_conflict, chain_unavailable, and what handing out throws
 */
export const offerFunding = async (
  order: FundingOrder,
  context: Pick<Context, 'chain' | 'network' | 'store' | 'clock'>,
): Promise<FundingOffer> => {
  for (let drafts = 0; drafts < MAXIMUM_DRAFTS; drafts += 1) {
    const { offer, keep } = await draftFunding(order, context);
    // Record: the pin is on disk before the transaction leaves.
    if (offer.kind === 'preparation' || (await context.store.transaction(keep))) return offer;
    await context.store.refresh();
  }
  throw new TreasuryError('store_conflict', { label: order.subject.label });
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
  { label, what = label, payer, members, collection, id, subject, ...terms }: FundingRequest,
  extra: Extra,
  context: Pick<Context, 'chain' | 'network' | 'store' | 'clock'> & { readonly caller: Caller | null },
) => {
  const own: PinSubject = { id, label, record: { collection, id } };
  // Anybody may ask for the funding of a record that anybody may read.
  const isLease = context.caller?.text === payer.text;
  const order = { payer, members, what, subject: { ...(subject ?? own), isLease } };
  const offer = await offerFunding(order, context);
  if (offer.kind === 'preparation') return offer.reply;
  return {
    success: true as const,
    label,
    fundingInfo: { ...fundingInfoOf(offer, terms), ...extra },
    wcTransaction: offer.wcTransaction,
  };
};
