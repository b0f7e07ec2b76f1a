/** Handing out what starts from a pinned coin: its pin is written down before it leaves. */
import type { z } from 'zod';
import type { Address } from '../bch/address.js';
import type { Coin } from '../bch/coins.js';
import type { ContractTerms } from '../bch/fields.js';
import type { Payment } from '../bch/payment.js';
import type { Transaction } from '../bch/transaction.js';
import type { WalletTransaction } from '../bch/wallet-transaction.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import type { StoreWriter } from '../operation/ports/store.js';
import { choosePinned, keepPin, type PinChoice, type PinSubject } from './funding-pins.js';
import type { PreparationReply } from './funding-reply.js';
import { handOut } from './hand-out.js';

/** What is handed out, and what of it is known before its coins are. */
export type PinnedOrder = {
  readonly payer: Address;
  /** What its coin is pinned for. */
  readonly subject: PinSubject;
  /** True for a transaction that is what is ordered. */
  readonly isFunding: (transaction: Transaction) => boolean;
  /** From the payer's coins: the transaction, or the self-send that makes a coin to start from. */
  readonly build: (
    choice: PinChoice,
  ) =>
    | { readonly kind: 'ready'; readonly payment: Payment; readonly genesisCoin: Coin }
    | { readonly kind: 'preparation'; readonly payment: Payment };
  /** The contracts that it pays into, for whoever checks it elsewhere. */
  readonly contracts?: readonly ContractTerms[];
  /** The wallet's prompts. */
  readonly prompt: string;
  readonly preparing: string;
  /** What the payer lacks when it must be prepared: `coin at output index 0 that can start a covenant`. */
  readonly lacking: string;
  /** Writes the record that the pin stands on, where it is not in the store yet; returns its id. */
  readonly keepRecord?: (writer: StoreWriter) => Promise<string>;
};

export type PinnedOffer =
  | { readonly kind: 'ready'; readonly payment: Payment; readonly wcTransaction: WalletTransaction }
  | { readonly kind: 'preparation'; readonly reply: z.output<typeof PreparationReply> };

/** An offer that may be given out once its pin is written down. */
export type PinnedDraft<Offer> = {
  readonly offer: Offer;
  /** Writes the pin inside a change of the store; false when it has to be built anew. @throws store_conflict */
  readonly keep: (writer: StoreWriter) => Promise<boolean>;
};

type PinContext = Pick<Context, 'chain' | 'network' | 'store' | 'clock'>;

/**
 * The order, checked by the VM; or the preparation it needs, as the reply to give. Nothing is stored: the transaction
 * must not leave before `keep` has written its pin.
 *
 * @throws insufficient_funds, store_conflict, chain_unavailable, and what handing out throws
 */
export const draftPinned = async (
  { payer, subject, isFunding, build, contracts = [], prompt, preparing, lacking, keepRecord }: PinnedOrder,
  context: PinContext,
): Promise<PinnedDraft<PinnedOffer>> => {
  const choice = await choosePinned(subject, payer, isFunding, context);
  const built = build(choice);
  const { payment } = built;
  if (built.kind === 'preparation') {
    const reply = {
      success: false as const,
      code: 'preparation_required' as const,
      requiresPreparation: true as const,
      preparationTransaction: await handOut(payment, payer, preparing, context),
      message: `${payer.text} has no ${lacking}: sign and broadcast the preparation transaction, then ask again`,
    };
    return { keep: () => Promise.resolve(true), offer: { kind: 'preparation', reply } };
  }
  // What a change writes hangs on nothing but what it reads: it may be run again.
  const now = context.clock.now();
  const wcTransaction = await handOut({ ...payment, contracts }, payer, prompt, context);
  return {
    offer: { kind: 'ready', payment, wcTransaction },
    keep: async (writer) => {
      const { record } = subject;
      const kept = { ...record, id: (await keepRecord?.(writer)) ?? record.id };
      const own = { ...choice, subject: { ...subject, record: kept } };
      return keepPin(writer, own, built.genesisCoin, now);
    },
  };
};

/** How often an offer is built anew because another process has taken its coin. */
export const MAXIMUM_DRAFTS = 5;

/**
 * The order, its coin pinned; or the preparation it needs.
 *
 * @throws as {@link draftPinned}
 */
export const offerPinned = async (order: PinnedOrder, context: PinContext): Promise<PinnedOffer> => {
  for (let drafts = 0; drafts < MAXIMUM_DRAFTS; drafts += 1) {
    const { offer, keep } = await draftPinned(order, context);
    // Record: the pin is on disk before the transaction leaves.
    if (offer.kind === 'preparation' || (await context.store.transaction(keep))) return offer;
    await context.store.refresh();
  }
  throw new TreasuryError('store_conflict', { label: order.subject.label });
};
